#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/threads.h"
#include "faithful/engine/gemm.h"
#include "faithful/engine/tensor.h"

namespace faithful::engine {

// How a parameter starts. The numbers depend on the seed, the parameter's name and its shape alone, so a part that two
// models share starts equal in both.
struct Initializer {
  enum class Kind {
    kConstant,        // value
    kNormal,          // N(0, value²)
    kXavierUniform,   // U(-a, a), a = value sqrt(6 / (fan_in + fan_out)) (Glorot & Bengio 2010)
    kKaimingUniform,  // U(-a, a), a = value sqrt(3 / fan_in) (He et al. 2015; value = sqrt(2) for ReLU)
  };
  Kind kind = Kind::kConstant;
  double value = 0;
  std::size_t fan_in = 0, fan_out = 0;  // 0: the last size and the one before it
};
FAITHFUL_API Initializer zeros();
FAITHFUL_API Initializer ones();
FAITHFUL_API Initializer normal(double deviation);
FAITHFUL_API Initializer xavier_uniform(double gain = 1);
FAITHFUL_API Initializer kaiming_uniform(double gain);

struct ParameterEntry {
  std::string name = {};
  Shape shape = {};
  std::size_t offset = 0;  // of its first number in the buffer
  Initializer initializer = {};
  bool decays = true;  // AdamW shrinks it
  // False: its input seldom wants a gradient, so what that takes is not packed with the parameters but where it is used.
  bool passes_back = true;
  // A statistic (the running mean of a batch norm) is no weight: each shard leaves what it saw in the place of the
  // gradient, and the update moves the parameter towards their mean by `momentum`.
  bool statistic = false;
  double momentum = 0.1;
};

// A parameter's place in Parameters.
struct Parameter {
  std::uint32_t index = 0;
};

// All parameters of a model in one buffer, with names and shapes. The optimiser, the reduction of gradients,
// checkpoints and the model file all see that one array. (Entries begin at multiples of 16 numbers; what lies between
// stays zero.)
template <class T>
class FAITHFUL_API Parameters {
 public:
  // Sizes are declared first; allocate() then makes the buffer. Names are unique.
  Parameter declare(ParameterEntry entry);
  Parameter declare(const std::string& name, Shape shape, Initializer initializer, bool decays = true);
  void allocate();
  void initialize(std::uint64_t seed);

  const std::vector<ParameterEntry>& entries() const { return entries_; }
  std::size_t size() const { return size_; }  // of the buffer
  std::size_t count() const;                  // of weights, without statistics and gaps
  const ParameterEntry* find(std::string_view name) const;

  std::span<const T> values() const { return {values_.get(), size_}; }
  std::span<T> mutable_values();  // the packed forms are stale from here on, until pack()
  std::span<const T> values_of(Parameter parameter) const;
  std::span<T> mutable_values_of(Parameter parameter);

  // Rearranges every matrix [.., out, in] for the products that use it: x Wᵀ (forward) and dy W (backward). Without it
  // each operator packs for itself, which costs a few per cent when many shards share the weights.
  void pack(ThreadPool& pool);

  // The packed form of matrix `group` of a parameter, or null where it is stale or not kept (passes_back).
  // kTransposed: op(W) = Wᵀ [in, out], for x Wᵀ. kPlain: W [out, in], for dy W.
  const T* packed(std::size_t index, Form form, std::size_t group) const;

 private:
  struct FreeAligned {
    void operator()(T* data) const;
  };
  using Buffer = std::unique_ptr<T[], FreeAligned>;
  static Buffer make_buffer(std::size_t count);
  struct Packed {
    std::size_t offset[2], size[2], groups;  // by Form
  };

  std::vector<ParameterEntry> entries_;
  std::vector<Packed> places_;
  std::size_t size_ = 0, packed_size_ = 0;
  Buffer values_, packed_;
  bool packed_ready_ = false;
};

extern template class Parameters<float>;
extern template class Parameters<double>;

}  // namespace faithful::engine
