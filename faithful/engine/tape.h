#pragma once

// The tape records the forward pass of a model, so that the backward pass can follow it.
//
// Model code calls operators (operators.h) one after the other. Each computes its result at once and, where the tape
// records, leaves a closure that knows how to pass the gradient of the result on to its inputs. backward() runs the
// closures in reverse. Everything lives in an arena, so nothing is allocated once the arena has its size. With
// recording off (inference) the same model code leaves no closures.

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/engine/arena.h"
#include "faithful/engine/parameters.h"
#include "faithful/engine/profile.h"
#include "faithful/engine/tensor.h"

namespace faithful::engine {

// Where an operator puts the gradient of one of its inputs. The first operator to do so writes, later ones add; so
// gradients need not be zeroed beforehand.
template <class T>
struct Gradient {
  T* data;
  std::size_t stride;  // of the rows
  bool add;

  T* row(std::size_t r) const { return data + r * stride; }
};

// What random operators (dropout) draw from: numbers are keyed by all of these, by the operator's number on the tape
// and by the element, so that they do not depend on how a batch is cut into shards.
struct Draws {
  std::uint64_t seed = 0;
  std::uint32_t step = 0;
  std::uint32_t first_sample = 0;  // number in the batch of this tape's first sample
};

// Is told how far a backward pass is: whoever adds up gradients can begin with the last layers while the first ones
// still compute.
class BackwardWatch {
 public:
  static constexpr std::uint32_t kNotUsed = 0xFFFFFFFF;

  BackwardWatch() = default;
  virtual ~BackwardWatch() = default;
  BackwardWatch(const BackwardWatch&) = delete;
  BackwardWatch& operator=(const BackwardWatch&) = delete;

  // Steps down to `step` are done. first_uses: [entries of the parameters], the first step that may use each; the
  // gradients of those from `step` on are complete.
  virtual void after_step(std::size_t step, std::span<const std::uint32_t> first_uses) = 0;
  virtual void after_all() = 0;  // all gradients are complete
};

template <class T>
class FAITHFUL_API Tape {
 public:
  Tape() = default;
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  struct Options {
    bool record = false;          // leave closures, so that backward() can run
    bool training = false;        // dropout drops, batch norm takes the batch's statistics
    std::span<T> gradients = {};  // [parameters.size()]: of the parameters; empty: only those of variables are wanted
    bool add_gradients = false;   // to what `gradients` holds already
    Draws draws = {};
    Profile* profile = nullptr;      // adds up the seconds of every operator
    BackwardWatch* watch = nullptr;  // learns how far backward() has come
  };

  // Begins a pass: forgets the one before and takes back its memory.
  void begin(const Parameters<T>& parameters, Options options);

  // Between passes: as much memory as `other` has, so that a pass like its last one will allocate nothing.
  void reserve_like(const Tape& other);

  bool recording() const { return options_.record; }
  bool training() const { return options_.training; }
  const Draws& draws() const { return options_.draws; }
  std::uint32_t next_draw() { return draw_count_++; }  // the number of the next random operator
  Arena& arena() { return arena_; }                    // for what backwards needs
  Arena& scratch() { return scratch_; }                // for what an operator needs while it runs: see ScratchScope
  const Parameters<T>& parameters() const { return *parameters_; }

  // --- Tensors ---
  Tensor<T> operator[](Parameter parameter) {
    std::uint32_t& first = first_uses_[parameter.index];
    if (first == BackwardWatch::kNotUsed) first = static_cast<std::uint32_t>(steps_.size());
    return parameter_tensors_[parameter.index];
  }
  Tensor<T> input(const T* data, Shape shape);            // the caller's numbers; no gradient is wanted for them
  Tensor<T> variable(T* data, Shape shape, T* gradient);  // the caller's numbers and place for their gradient
  Tensor<T> make(Shape shape);                            // a new, uninitialised result
  Tensor<T> reshape(Tensor<T> x, Shape shape) const;      // the same numbers and gradient; x has no gaps between rows

  // Neighbouring column ranges of x as tensors of their own, without copying. x can be cut once.
  void split(Tensor<T> x, std::span<const std::size_t> widths, std::span<Tensor<T>> parts);

  // --- For operators ---
  // Records how to go back from `result`. The closure is run as backward() and only if a gradient reached the result.
  // It must be trivially destructible: pointers, sizes, tensors.
  template <class Closure>
  void record(const char* name, Tensor<T> result, Closure closure);

  bool wants(Tensor<T> x) const { return slots_[x.slot].wanted; }  // is a gradient of x of any use?
  Gradient<T> gradient(Tensor<T> x);                               // to write or add to: see Gradient
  T* gradient_to_add(Tensor<T> x);  // the same for operators that always add: zeroed first. x without gaps
  // Where x has no gradient yet, that of `result` becomes it without being copied; true: done. The two have as many
  // numbers, without gaps; the closure of `result` must have no more use for its own.
  bool hand_over(Tensor<T> result, Tensor<T> x);
  T* gradient_of(Tensor<T> result) const {
    return slots_[result.slot].gradient;
  }  // complete; its closure may overwrite it

  Profile::Scope time(const char* name) { return Profile::Scope(options_.profile, name, false); }

  // --- Backwards ---
  // Runs the tape from `loss` (one number), whose gradient is 1. Gradients of parameters that were not used are zero.
  void backward(Tensor<T> loss);

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Slot {
    T* gradient = nullptr;
    Shape shape;
    std::size_t stride = 0;
    bool wanted = true, written = false;
    bool kept = false;                                 // the gradient's place belongs to the caller
    std::uint32_t parent = kNone;                      // whose columns these are
    std::uint32_t first_part = kNone, part_count = 0;  // whose columns are parts
    std::size_t column = 0;                            // where this part begins in its parent
  };
  struct Step {
    const char* name;
    std::uint32_t result;
    void* closure;
    void (*run)(void* closure);
  };
  Tensor<T> add_slot(T* data, Shape shape, std::size_t stride, T* gradient, bool wanted);
  T* place_for_gradient(Slot& slot);
  void settle(Slot& slot);

  Arena arena_, scratch_;
  const Parameters<T>* parameters_ = nullptr;
  Options options_;
  std::uint32_t draw_count_ = 0;
  std::vector<Tensor<T>> parameter_tensors_;
  std::vector<std::uint32_t> first_uses_;  // of the parameters: the number of steps before
  std::vector<Slot> slots_;
  std::vector<Step> steps_;
};

template <class T>
template <class Closure>
void Tape<T>::record(const char* name, Tensor<T> result, Closure closure) {
  static_assert(std::is_trivially_destructible_v<Closure>, "the arena calls no destructors");
  if (!recording()) return;
  void* place = arena_.take<std::byte>(sizeof(Closure));
  new (place) Closure(closure);
  steps_.push_back({name, result.slot, place, [](void* kept) { (*static_cast<Closure*>(kept))(); }});
}

extern template class Tape<float>;
extern template class Tape<double>;

}  // namespace faithful::engine
