#pragma once

// An encoding inside a model: what it learns, and where it enters. The file of each encoding derives its class from
// InModel, or takes one of the classes that several share (added_table_internal.h, time_features_internal.h);
// faithful/model/position_internal.h calls it.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "faithful/encoding/encoding.h"
#include "faithful/engine/attention.h"
#include "faithful/engine/operators.h"
#include "faithful/engine/parameters.h"

namespace faithful {

using engine::Parameter;
using engine::Parameters;
using engine::Tape;
using engine::Tensor;

// What an encoding has to know of the model around it.
struct ModelPlace {
  std::string name = {};         // of the encoding
  EncodingOptions options = {};  // of S steps; dim is d, or H * d_h for encodings inside heads
  std::size_t width = 0;         // d
  std::size_t head_width = 0;    // d_h
  std::size_t layers = 0;        // L
  bool has_token = false;        // a class token stands before the first step
  bool by_time = false;          // positions are times, not 0, 1, 2, ..

  std::size_t steps() const { return options.length; }                // S
  std::size_t rows() const { return steps() + (has_token ? 1 : 0); }  // positions in attention
  std::size_t heads() const { return options.heads; }                 // H
  std::string layer(std::size_t number) const {  // what the names of a layer's parameters begin with
    return "layers." + std::to_string(number) + ".attention.";
  }
};

// What the layers of one pass share. begin() fills in the tensors that the encoding has.
template <class T>
struct PositionPass {
  std::size_t batch = 0;                     // B
  std::span<const T> times = {};             // [B, S]: the positions of the steps; empty: 0, 1, 2, ..
  std::span<const T> row_times = {};         // [B, rows]: those of all rows of attention, with a class token's
  std::span<const std::uint8_t> valid = {};  // [B, S]: 0 where a step is padding; empty: all are there
  Tensor<T> added = {};                      // [S, d] or [B, S, d]: added to the steps
  Tensor<T> beside = {};                     // [S, F] or [B, S, F]: concatenated to the steps
  // [rows, d] or [B, rows, d]: added in every layer to what queries and keys are made from, and not to what values are.
  Tensor<T> in_queries = {};
  std::array<Tensor<T>, 3> kept = {};  // what begin() computes for enter(), as the encoding likes
};

// The encoding `none`, and the base of all others. A class token stands before the first step: it has no code of its
// own where codes are added, and is one position before the first step where distances count.
template <class T>
class InModel {
 public:
  // A derived class declares what is learned: shared by all layers first, then layer by layer.
  InModel(const ModelPlace& place, Parameters<T>&) : place_(place) {}
  virtual ~InModel() = default;
  InModel(const InModel&) = delete;
  InModel& operator=(const InModel&) = delete;

  // Computes what is fixed, once; before the first pass.
  virtual void fill_tables() {}

  // Start values that the declared initializers do not give.
  virtual void initialize(Parameters<T>&, std::uint64_t /*seed*/) const {}

  virtual std::size_t columns_beside() const { return 0; }  // F of PositionPass::beside, where it is concatenated
  virtual bool replaces_queries() const { return false; }   // queries and keys come from the positions alone

  virtual void begin(Tape<T>&, PositionPass<T>&) const {}

  // Codes [B, S, d] that are computed from the embedded steps h [B, S, d], and added to them. They must not depend on
  // steps that are padding.
  virtual Tensor<T> codes_of(Tape<T>&, Tensor<T> /*h*/, const PositionPass<T>&) const { return {}; }

  // The steps h [B, S, d] with their codes, for what enter() needs of them.
  virtual void see(Tape<T>&, Tensor<T> /*h*/, PositionPass<T>&) const {}

  virtual void enter(Tape<T>&, std::size_t /*layer*/, const PositionPass<T>&, engine::AttentionInputs<T>&) const {}

 protected:
  const ModelPlace place_;
};

// Makes the class of an encoding: `.in_model = &kInModel<Kerple>` in its catalog entry.
struct InModelMaker {
  std::unique_ptr<InModel<float>> (*make_float)(const ModelPlace&, Parameters<float>&);
  std::unique_ptr<InModel<double>> (*make_double)(const ModelPlace&, Parameters<double>&);

  auto make(const ModelPlace& place, Parameters<float>& parameters) const { return make_float(place, parameters); }
  auto make(const ModelPlace& place, Parameters<double>& parameters) const { return make_double(place, parameters); }
};

template <template <class> class Class, class T>
std::unique_ptr<InModel<T>> make_in_model(const ModelPlace& place, Parameters<T>& parameters) {
  return std::make_unique<Class<T>>(place, parameters);
}

template <template <class> class Class>
inline constexpr InModelMaker kInModel{&make_in_model<Class, float>, &make_in_model<Class, double>};

// U(-a, a) with a = 1 / sqrt(fan_in): the start of a small network's weights and biases.
inline engine::Initializer uniform_of_fan(std::size_t fan_in) {
  return {engine::Initializer::Kind::kKaimingUniform, 1 / std::sqrt(3.0), fan_in, 1};
}

// Writes start values into a parameter.
template <class T>
void write_values(Parameters<T>& parameters, Parameter parameter, std::span<const double> values) {
  T* to = parameters.mutable_values_of(parameter).data();
  for (std::size_t i = 0; i < values.size(); ++i) to[i] = static_cast<T>(values[i]);
}

}  // namespace faithful
