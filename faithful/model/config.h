#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/encoding/encoding.h"

namespace faithful {

inline constexpr std::string_view kDecaying = "decaying";  // see ModelConfig::scale

// All that fixes the form of a classifier: with the same config and seed it starts from the same numbers. Names of the
// fields in files and options are those that visit_fields() gives.
struct ModelConfig {
  std::string form = "encoder";  // encoder: steps attend to steps; dfstrans: sensors and steps, see docs/model.md

  // What it takes and gives; from the data.
  std::size_t channels = 1;  // C
  std::size_t length = 100;  // samples of a window
  std::size_t classes = 2;   // K; two classes share one logit

  std::size_t differences = 0;  // N: beside every channel its differences in time of orders 1 .. N, brought to variance
                                // 1: what is small and fast under what is large and slow

  // Embedding: an optional convolution over time, then a linear map of each step.
  std::size_t filters = 0;  // of the convolution; 0: none, each step is embedded alone
  std::size_t kernel = 7;   // samples that one output of the convolution sees
  std::size_t segment = 1;  // samples that become one step: S = ceil(length / segment)

  // Encoder.
  std::size_t width = 64;           // d
  std::size_t heads = 4;            // H
  std::size_t head_width = 0;       // d_h; 0: d / H
  std::size_t layers = 2;           // L
  std::size_t feed_forward = 0;     // hidden width; 0: 4 d
  std::string block = "post";       // norm before or after the residual sum: pre, post; bare: attention alone, its
                                    // heads concatenated to H d_h, no residual, norm or feed-forward (the paper)
  std::string activation = "gelu";  // of the feed-forward: gelu, relu
  double dropout = 0.1;             // after the embedding, attention and feed-forward
  std::string pooling = "mean";     // over steps: mean, attention, token (a class token before the first step)

  // Position.
  std::string encoding = "dft";
  std::string scale = "as-defined";     // of additive encodings: as-defined, unit, matched, a factor, or decaying: by
                                        // sqrt(2/d) with every training step, as the authors' code does
  std::size_t period = 0;               // of dft; 0: its own, which needs S <= d
  double rho = 1e4;                     // base of sinusoidal, tape and rope
  std::size_t clip = 16;                // of shaw
  std::size_t time_dim = 16;            // of mtan and time2vec
  std::string mtan = "concat";          // concat, or attention: queries and keys are projections of time alone
  bool tupe_relative = false;           // adds t5's bias to tupe
  std::string pairing = "interleaved";  // of rope: interleaved, halves
  std::string positions = "index";      // index: 0, 1, 2, ..; time: those of the timestamps, in units of `time_step`
  double time_step = 0;                 // ns per unit of position, where positions are times
  std::uint64_t encoding_seed = 1;      // of a fixed random encoding (haar)

  // Of the form dfstrans alone, where d = filters * floor(segment / 2^stages).
  std::size_t stages = 3;         // of each sensor's convolutions, each followed by pooling by two
  bool sensor_weights = false;    // every sensor has temporal attention weights of its own
  bool step_weights = false;      // every step has spatial attention weights of its own
  std::size_t head_hidden = 512;  // hidden width between the sensors' means and the classes

  std::size_t steps() const { return (length + segment - 1) / segment; }  // S
  std::size_t outputs() const { return classes == 2 ? 1 : classes; }
  std::size_t key_width() const { return head_width == 0 ? width / heads : head_width; }
  std::size_t hidden() const { return feed_forward == 0 ? 4 * width : feed_forward; }
  bool decays() const { return scale == kDecaying; }
  bool is_dfstrans() const { return form == "dfstrans"; }
  std::size_t pooled() const {
    return stages < 64 ? segment >> stages : 0;
  }  // positions of a segment behind the stages
  std::size_t settled_width() const { return is_dfstrans() ? filters * pooled() : width; }  // d, once it is settled
  bool operator==(const ModelConfig&) const = default;
};

// Calls visit(name, field) for every field that all forms have.
template <class Config, class Visit>
void visit_common_fields(Config& config, Visit&& visit) {
  visit("channels", config.channels);
  visit("length", config.length);
  visit("classes", config.classes);
  visit("filters", config.filters);
  visit("kernel", config.kernel);
  visit("segment", config.segment);
  visit("width", config.width);
  visit("heads", config.heads);
  visit("head_width", config.head_width);
  visit("layers", config.layers);
  visit("feed_forward", config.feed_forward);
  visit("block", config.block);
  visit("activation", config.activation);
  visit("dropout", config.dropout);
  visit("pooling", config.pooling);
  visit("encoding", config.encoding);
  visit("scale", config.scale);
  visit("period", config.period);
  visit("rho", config.rho);
  visit("clip", config.clip);
  visit("time_dim", config.time_dim);
  visit("mtan", config.mtan);
  visit("tupe_relative", config.tupe_relative);
  visit("pairing", config.pairing);
  visit("positions", config.positions);
  visit("time_step", config.time_step);
  visit("encoding_seed", config.encoding_seed);
}

// The same for those that came with a second form.
template <class Config, class Visit>
void visit_form_fields(Config& config, Visit&& visit) {
  visit("form", config.form);
  visit("stages", config.stages);
  visit("sensor_weights", config.sensor_weights);
  visit("step_weights", config.step_weights);
  visit("head_hidden", config.head_hidden);
}

// Calls visit(name, field) for every field: the one list of their names, for files, options and comparisons. A config
// that is only read is shown as what it is: an encoder without the fields of other forms, no differences where there
// are none, so that texts, keys and files stay those from before there were any.
template <class Config, class Visit>
void visit_fields(Config& config, Visit&& visit) {
  visit_common_fields(config, visit);
  if (!std::is_const_v<Config> || config.differences > 0) visit("differences", config.differences);
  if (!std::is_const_v<Config> || config.is_dfstrans()) visit_form_fields(config, visit);
}

// Every field as `name=value`, a line each: equal for equal configs, and for no others that check_config lets pass.
FAITHFUL_API std::string to_text(const ModelConfig& config);

// paper, plain, small, base, large, dfstrans: the form of the model, without what the data fixes. InputError for
// another name.
FAITHFUL_API ModelConfig preset(std::string_view name);
FAITHFUL_API const std::vector<std::string>& preset_names();

// Sets d; heads of the full width (the paper's) stay so.
FAITHFUL_API void set_width(ModelConfig& config, std::size_t width);

// What the encoding room needs to build this config's encoding over its S steps.
FAITHFUL_API EncodingOptions encoding_options(const ModelConfig& config);

// Sets what follows from the rest: d of dfstrans, the period of dft where S > d. Returns what it did, a line each.
FAITHFUL_API std::vector<std::string> settle(ModelConfig& config);

// How many numbers a model of this form learns, and how many it stores: those, and the running statistics of batch
// norms. Takes no memory for them. The sizes must be within their bounds.
FAITHFUL_API std::size_t parameter_count(const ModelConfig& config);
FAITHFUL_API std::size_t stored_count(const ModelConfig& config);

// Windows that should go through such a model together, of at most `most`: fewer where they are long, so that
// activations stay in the cache, or at least in memory. Depends on the model alone.
FAITHFUL_API std::size_t inference_batch(const ModelConfig& config, std::size_t most);

// InputError where no such model can be; `place` names where the config came from, such as a file.
FAITHFUL_API void check_config(const ModelConfig& config, const std::string& place = "model");

}  // namespace faithful
