#pragma once

// The one place that knows where an encoding enters a model: added to the input, concatenated to it, in queries and
// keys, in the logits, in the attention weights, in keys and values.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "faithful/engine/operators.h"
#include "faithful/model/config.h"

namespace faithful {

template <class T>
class Position {
 public:
  // Declares what is learned. A class token stands before the first step: it has no code of its own where codes are
  // added, and is one position before the first step where distances count.
  Position(const ModelConfig& config, engine::Parameters<T>& parameters);

  // Computes what is fixed, once; before the first pass.
  void fill_tables();

  // Learned codes of the input start as the catalog says; all else by the initialisers declared.
  void initialize(engine::Parameters<T>& parameters, std::uint64_t seed) const;

  std::size_t concatenated_columns() const;  // beside those of the data
  bool replaces_queries() const;             // queries and keys come from the positions alone

  // What the layers of one pass share. `times` [B, S]: the positions of the steps; empty: 0, 1, 2, ..
  struct Pass {
    std::size_t batch = 0;
    engine::Tensor<T> added = {};                      // [S, d] or [B, S, d]
    engine::Tensor<T> features = {};                   // [S, F] or [B, S, F]
    engine::Tensor<T> query_part = {}, key_part = {};  // [S, H * E]
    engine::Tensor<T> bias = {};                       // [H, 2S - 1]
    engine::Tensor<T> angles = {};                     // [S, d_h / 2]
    std::span<const T> row_angles = {};                // [B, S, d_h / 2]
  };
  Pass begin(engine::Tape<T>& tape, std::size_t batch, std::span<const T> times) const;

  engine::Tensor<T> concatenate(engine::Tape<T>& tape, engine::Tensor<T> x, const Pass& pass) const;
  engine::Tensor<T> add_to(engine::Tape<T>& tape, engine::Tensor<T> h, const Pass& pass) const;
  void enter(engine::Tape<T>& tape, std::size_t layer, const Pass& pass, engine::AttentionInputs<T>& inputs) const;

 private:
  struct Layer {
    engine::Parameter relative_keys, relative_values;  // shaw
    engine::Parameter log_rates;                       // kerple
    engine::Parameter offset_weights;                  // erpe
    engine::Parameter time_weight, time_bias;          // mtan, where it replaces queries and keys
  };
  bool is(const char* name) const { return config_.encoding == name; }
  bool has_waves() const { return is("learned-frequency") || is("mtan") || is("time2vec"); }
  bool has_buckets() const { return is("t5") || (is("tupe") && config_.tupe_relative); }
  void declare_layer(std::size_t number, engine::Parameters<T>& parameters);
  std::vector<double> codes_of(std::span<const T> times) const;                        // [S, d]; empty: at 0, 1, 2, ..
  std::vector<double> angles_of(std::span<const T> times) const;                       // [times, d_h / 2], of rope
  double scale_factor() const;                                                         // of codes, by config.scale
  std::span<const T> codes_at(engine::Tape<T>& tape, std::span<const T> times) const;  // of all samples
  engine::Tensor<T> waves(engine::Tape<T>& tape, std::size_t batch, std::span<const T> times) const;
  void begin_tupe(engine::Tape<T>& tape, Pass& pass) const;

  ModelConfig config_;
  EncodingKind kind_;
  std::size_t rows_;  // positions in attention: S, and a class token
  std::vector<Layer> layers_;
  engine::Parameter table_, frequencies_, phases_;               // learned; learned-frequency, mtan, time2vec
  engine::Parameter decay_;                                      // of added codes whose scale is decaying: a factor
  engine::Parameter buckets_;                                    // t5
  engine::Parameter codes_, query_weight_, key_weight_, token_;  // tupe
  std::vector<T> fixed_;               // [S, d], angles [rows, d_h / 2] or slopes [H, 2 rows - 1]
  std::vector<T> index_;               // [S]: 0, 1, 2, .., as the waves want them
  std::vector<T> ones_, zeros_;        // [d]: tupe's layer norm learns nothing
  std::vector<std::uint32_t> bucket_;  // [2 rows - 1], of each offset
  std::vector<double> rotations_;      // [d_h / 2]: radians per position, of rope
  double factor_ = 1;                  // of codes that depend on times or are learned as waves
};

extern template class Position<float>;
extern template class Position<double>;

}  // namespace faithful
