#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/field.h"
#include "faithful/encoding/encoding.h"

namespace faithful {

enum class ModelForm : std::uint8_t {
  kEncoder,   // steps attend to steps
  kDfstrans,  // steps attend to steps and sensors to sensors, see docs/model.md
};
enum class LayerBlock : std::uint8_t {
  kPost,  // norm after the residual sum
  kPre,   // norm before attention and feed-forward
  kBare,  // attention alone, its heads concatenated to H d_h: no residual, norm or feed-forward (the paper)
};
enum class LayerActivation : std::uint8_t { kGelu, kRelu };
enum class Pooling : std::uint8_t { kMean, kAttention, kToken };  // kToken: a class token before the first step
enum class PositionSource : std::uint8_t {
  kIndex,  // 0, 1, 2, ..
  kTime,   // the timestamps, in units of `time_step`
};

inline constexpr std::string_view kDecaying = "decaying";  // see PositionConfig::scale

// The shape of the data, and how samples become steps.
struct InputConfig {
  std::size_t channels = 1;     // C
  std::size_t length = 100;     // samples of a window
  std::size_t classes = 2;      // K; two classes share one logit
  std::size_t differences = 0;  // N: adds differences in time of orders 1 .. N to each channel, at variance 1
  std::size_t average = 1;      // N: the mean of N samples counts as one sample; 0: so many that about 100 are left
  std::size_t filters = 0;   // of a convolution over time (of each sensor's, dfstrans); 0: each step is embedded alone
  std::size_t kernel = 7;    // length of a filter in samples
  std::size_t branches = 0;  // N: convolutions side by side, each twice as long as the one before, then a batch norm;
                             // 0: one convolution without a norm
  std::size_t bottleneck = 0;  // N: more than N columns (channels and their differences) are mixed to N before the
                               // branches, by a learned matrix; 0: never
  std::size_t blocks = 0;      // after the branches: residual blocks of a dilated convolution of each column
  std::size_t segment = 1;     // samples per step: S = ceil(length / segment)
  std::size_t stages = 3;      // dfstrans: convolutions of a sensor, each followed by pooling by two
  bool operator==(const InputConfig&) const = default;
};

// Samples that a filter of branch 0, 1, .. sees: kernel, 2 kernel + 1, ..
inline std::size_t branch_kernel(const InputConfig& input, std::size_t branch) {
  return ((input.kernel + 1) << branch) - 1;
}

// How the model knows the order of the steps.
struct PositionConfig {
  std::string encoding = "dft";
  std::string scale = "as-defined";  // of additive encodings: as-defined, unit, matched, a factor, or decaying: by
                                     // sqrt(2/d) with every training step, as the authors' code does
  OwnOptions own = {};               // of single encodings: rho, period, ..; faithful/encoding/own_options.h
  PositionSource source = PositionSource::kIndex;
  double time_step = 0;    // ns per unit of position, where positions are times
  std::uint64_t seed = 1;  // of a fixed random encoding
  bool operator==(const PositionConfig&) const = default;
};

// The layers of the Transformer.
struct BodyConfig {
  std::size_t width = 64;        // d; of dfstrans it follows: filters * floor(segment / 2^stages)
  std::size_t heads = 4;         // H
  std::size_t head_width = 0;    // d_h; 0: d / H
  std::size_t layers = 2;        // L
  std::size_t feed_forward = 0;  // hidden width; 0: 4 d
  LayerBlock block = LayerBlock::kPost;
  LayerActivation activation = LayerActivation::kGelu;  // of the feed-forward
  double dropout = 0.1;                                 // after the embedding, attention and feed-forward
  bool sensor_weights = false;                          // dfstrans: every sensor has its own temporal attention weights
  bool step_weights = false;                            // dfstrans: every step has its own spatial attention weights
  bool operator==(const BodyConfig&) const = default;
};

// From the steps to the classes.
struct HeadConfig {
  Pooling pooling = Pooling::kMean;  // over the steps
  std::size_t hidden = 512;          // dfstrans: hidden width between the sensors' means and the classes
  bool operator==(const HeadConfig&) const = default;
};

// The form of a classifier. The same config and seed give the same initial weights.
struct ModelConfig {
  ModelForm form = ModelForm::kEncoder;
  InputConfig input = {};
  PositionConfig position = {};
  BodyConfig body = {};
  HeadConfig head = {};

  bool is_dfstrans() const { return form == ModelForm::kDfstrans; }
  bool has_token() const { return head.pooling == Pooling::kToken; }
  bool has_times() const { return position.source == PositionSource::kTime; }
  bool decays() const { return position.scale == kDecaying; }
  std::size_t columns() const { return (1 + input.differences) * input.channels; }  // channels and their differences
  bool has_bottleneck() const { return input.bottleneck > 0 && columns() > input.bottleneck; }
  std::size_t samples_per_step() const { return std::max<std::size_t>(input.average, 1) * input.segment; }
  std::size_t steps() const { return (input.length + samples_per_step() - 1) / samples_per_step(); }  // S
  std::size_t outputs() const { return input.classes == 2 ? 1 : input.classes; }
  std::size_t key_width() const { return body.head_width == 0 ? body.width / body.heads : body.head_width; }
  std::size_t hidden() const { return body.feed_forward == 0 ? 4 * body.width : body.feed_forward; }
  std::size_t pooled() const { return input.stages < 64 ? input.segment >> input.stages : 0; }         // of a segment
  std::size_t settled_width() const { return is_dfstrans() ? input.filters * pooled() : body.width; }  // d
  bool operator==(const ModelConfig&) const = default;
};

// Every field of a config by its name, in the order of texts and files: the one table that describes them.
FAITHFUL_API std::vector<Setting> settings(ModelConfig& config);

// Sets one field from a text, as the command line and Python give it. If each head has the full width (as in the
// paper), a new width keeps that. InputError names the field if it is unknown, out of bounds, or does not apply to the
// form of the config.
FAITHFUL_API void set_field(ModelConfig& config, std::string_view name, std::string_view text);

// The fields of this config that texts, keys and files hold. An encoder leaves out the fields of other forms, and
// `differences`, `average`, `branches` and `blocks` where they do nothing, so that old keys and files stay valid.
FAITHFUL_API std::vector<std::pair<std::string, FieldValue>> recorded_fields(const ModelConfig& config);

// Those fields as `name=value`, one per line. Two valid configs have the same text only if they are equal.
FAITHFUL_API std::string to_text(const ModelConfig& config);

// paper, plain, small, base, large, dfstrans: the form of the model, without the shape of the data. InputError for
// another name.
FAITHFUL_API ModelConfig preset(std::string_view name);
FAITHFUL_API const std::vector<std::string>& preset_names();

// What the encoding room needs to build this config's encoding over its S steps.
FAITHFUL_API EncodingOptions encoding_options(const ModelConfig& config);

// Sets fields that follow from others: d of dfstrans, the period of dft if S > d, `average` 0. Returns a line for each
// change.
FAITHFUL_API std::vector<std::string> settle(ModelConfig& config);

// Sets options of an encoding that follow from S, or from the longest window, if positions are times. Adds a line for
// each change to the notes.
FAITHFUL_API void settle_position(ModelConfig& config, std::optional<double> longest, std::vector<std::string>& notes);

// How many weights a model of this form learns, and how many numbers it stores (also the running statistics of batch
// norms). Allocates nothing. The sizes must be within their bounds.
FAITHFUL_API std::size_t parameter_count(const ModelConfig& config);
FAITHFUL_API std::size_t stored_count(const ModelConfig& config);

// How many windows should go through such a model together, at most `most`: fewer if they are long, so that activations
// stay in the cache, or at least in memory. It depends only on the model.
FAITHFUL_API std::size_t inference_batch(const ModelConfig& config, std::size_t most);

// InputError if such a model is impossible. `file` is where the config came from, such as `m.safetensors: config`;
// empty: the caller set it.
FAITHFUL_API void check_config(const ModelConfig& config, const std::string& file = {});

}  // namespace faithful
