#include "faithful/engine/tape.h"

#include <algorithm>
#include <cassert>

namespace faithful::engine {

template <class T>
void Tape<T>::begin(const Parameters<T>& parameters, Options options) {
  const bool of_parameters = options.record && !options.gradients.empty();
  assert(!of_parameters || options.gradients.size() == parameters.size());
  parameters_ = &parameters;
  options_ = options;
  draw_count_ = 0;
  arena_.reset();
  scratch_.reset();
  slots_.clear();
  steps_.clear();
  parameter_tensors_.clear();
  first_uses_.assign(parameters.entries().size(), BackwardWatch::kNotUsed);
  for (const ParameterEntry& entry : parameters.entries()) {
    // Operators read parameters only; the cast spares a second, constant kind of tensor.
    T* values = const_cast<T*>(parameters.values().data()) + entry.offset;
    T* gradient = of_parameters ? options.gradients.data() + entry.offset : nullptr;
    parameter_tensors_.push_back(add_slot(values, entry.shape, entry.shape.width(), gradient, of_parameters));
    slots_.back().written = options.add_gradients;
  }
}

template <class T>
void Tape<T>::reserve_like(const Tape& other) {
  arena_.reserve(other.arena_.capacity());
  scratch_.reserve(other.scratch_.capacity());
  parameter_tensors_.reserve(other.parameter_tensors_.capacity());
  first_uses_.reserve(other.first_uses_.capacity());
  slots_.reserve(other.slots_.capacity());
  steps_.reserve(other.steps_.capacity());
}

template <class T>
Tensor<T> Tape<T>::add_slot(T* data, Shape shape, std::size_t stride, T* gradient, bool wanted) {
  const auto number = static_cast<std::uint32_t>(slots_.size());
  slots_.push_back(
      {.gradient = gradient, .shape = shape, .stride = stride, .wanted = wanted, .kept = gradient != nullptr});
  return {data, shape, stride, number};
}

template <class T>
Tensor<T> Tape<T>::input(const T* data, Shape shape) {
  return add_slot(const_cast<T*>(data), shape, shape.width(), nullptr, false);
}

template <class T>
Tensor<T> Tape<T>::variable(T* data, Shape shape, T* gradient) {
  return add_slot(data, shape, shape.width(), gradient, true);
}

template <class T>
Tensor<T> Tape<T>::make(Shape shape) {
  return add_slot(arena_.take<T>(shape.count()), shape, shape.width(), nullptr, true);
}

template <class T>
Tensor<T> Tape<T>::reshape(Tensor<T> x, Shape shape) const {
  assert(x.contiguous() && x.shape.count() == shape.count());
  x.shape = shape;
  x.stride = shape.width();
  return x;
}

template <class T>
void Tape<T>::split(Tensor<T> x, std::span<const std::size_t> widths, std::span<Tensor<T>> parts) {
  assert(slots_[x.slot].part_count == 0 && widths.size() == parts.size());
  std::size_t column = 0;
  const auto first = static_cast<std::uint32_t>(slots_.size());
  for (std::size_t i = 0; i < widths.size(); ++i) {
    parts[i] = add_slot(x.data + column, x.shape.with_width(widths[i]), x.stride, nullptr, wants(x));
    slots_.back().parent = x.slot;
    slots_.back().column = column;
    column += widths[i];
  }
  assert(column == x.width());
  slots_[x.slot].first_part = first;
  slots_[x.slot].part_count = static_cast<std::uint32_t>(widths.size());
}

template <class T>
T* Tape<T>::place_for_gradient(Slot& slot) {
  if (slot.gradient == nullptr) slot.gradient = arena_.take<T>(slot.shape.count());
  return slot.gradient;
}

// The parts of a tensor that got no gradient get zeros; the whole is then written.
template <class T>
void Tape<T>::settle(Slot& slot) {
  if (slot.part_count == 0 || slot.gradient == nullptr || slot.written) return;
  for (std::uint32_t p = slot.first_part; p < slot.first_part + slot.part_count; ++p) {
    const Slot& part = slots_[p];
    if (part.written) continue;
    for (std::size_t r = 0; r < part.shape.rows(); ++r) {
      std::fill_n(slot.gradient + r * slot.shape.width() + part.column, part.shape.width(), T(0));
    }
  }
  slot.written = true;
}

template <class T>
Gradient<T> Tape<T>::gradient(Tensor<T> x) {
  Slot& slot = slots_[x.slot];
  assert(slot.wanted);
  if (slot.parent != kNone) {
    Slot& parent = slots_[slot.parent];
    slot.gradient = place_for_gradient(parent) + slot.column;
    const bool add = slot.written || parent.written;
    slot.written = true;
    return {slot.gradient, parent.shape.width(), add};
  }
  place_for_gradient(slot);
  settle(slot);
  const bool add = slot.written;
  slot.written = true;
  return {slot.gradient, x.stride, add};
}

template <class T>
T* Tape<T>::gradient_to_add(Tensor<T> x) {
  assert(x.contiguous());
  const Gradient<T> to = gradient(x);
  if (!to.add) std::fill_n(to.data, x.shape.count(), T(0));
  return to.data;
}

template <class T>
bool Tape<T>::hand_over(Tensor<T> result, Tensor<T> x) {
  Slot& to = slots_[x.slot];
  if (!to.wanted || to.gradient != nullptr || to.parent != kNone || to.part_count > 0) return false;
  assert(x.contiguous() && to.shape.count() == slots_[result.slot].shape.count());
  to.gradient = slots_[result.slot].gradient;
  return to.written = true;
}

template <class T>
void Tape<T>::backward(Tensor<T> loss) {
  assert(recording() && loss.shape.count() == 1);
  *gradient(loss).data = 1;
  for (std::size_t i = steps_.size(); i-- > 0;) {
    const Step& step = steps_[i];
    Slot& result = slots_[step.result];
    settle(result);
    if (!result.written) continue;  // nothing that depends on it reached the loss
    const Profile::Scope scope(options_.profile, step.name, true);
    step.run(step.closure);
    if (options_.watch != nullptr) options_.watch->after_step(i, first_uses_);
  }
  for (Slot& slot : slots_) {
    settle(slot);
    if (slot.kept && !slot.written) std::fill_n(slot.gradient, slot.shape.count(), T(0));
  }
  if (options_.watch != nullptr) options_.watch->after_all();
}

template class Tape<float>;
template class Tape<double>;

}  // namespace faithful::engine
