#include "faithful/engine/parameters.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <new>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/random.h"

namespace faithful::engine {

namespace {

constexpr std::size_t kAlignedNumbers = 16;  // in numbers: 64 bytes of float
constexpr std::size_t round_up(std::size_t count) {
  return (count + kAlignedNumbers - 1) / kAlignedNumbers * kAlignedNumbers;
}

double draw(Random& random, const Initializer& how, const Shape& shape) {
  const std::size_t in = how.fan_in != 0 ? how.fan_in : shape.width();
  const std::size_t out = how.fan_out != 0 ? how.fan_out : shape.rank() > 1 ? shape[shape.rank() - 2] : shape.width();
  switch (how.kind) {
    case Initializer::Kind::kConstant:
      return how.value;
    case Initializer::Kind::kNormal:
      return how.value * random.normal();
    case Initializer::Kind::kXavierUniform: {
      const double bound = how.value * std::sqrt(6.0 / static_cast<double>(in + out));
      return random.uniform(-bound, bound);
    }
    case Initializer::Kind::kKaimingUniform: {
      const double bound = how.value * std::sqrt(3.0 / static_cast<double>(in));
      return random.uniform(-bound, bound);
    }
  }
  return 0;
}

}  // namespace

Initializer zeros() {
  return {};
}
Initializer ones() {
  return {.value = 1};
}
Initializer normal(double deviation) {
  return {.kind = Initializer::Kind::kNormal, .value = deviation};
}
Initializer xavier_uniform(double gain) {
  return {.kind = Initializer::Kind::kXavierUniform, .value = gain};
}
Initializer kaiming_uniform(double gain) {
  return {.kind = Initializer::Kind::kKaimingUniform, .value = gain};
}

template <class T>
void Parameters<T>::FreeAligned::operator()(T* data) const {
  std::free(data);
}

template <class T>
typename Parameters<T>::Buffer Parameters<T>::make_buffer(std::size_t count) {
  auto* data = static_cast<T*>(std::aligned_alloc(64, round_up(std::max<std::size_t>(count, 1)) * sizeof(T)));
  if (data == nullptr) throw std::bad_alloc();
  std::fill_n(data, round_up(count), T(0));
  return Buffer(data);
}

template <class T>
Parameter Parameters<T>::declare(ParameterEntry entry) {
  assert(!values_);
  if (find(entry.name) != nullptr) throw Error(fmt::format("two parameters are called {}", entry.name));
  entry.offset = size_;
  size_ += round_up(entry.shape.count());
  entries_.push_back(std::move(entry));
  return {static_cast<std::uint32_t>(entries_.size() - 1)};
}

template <class T>
Parameter Parameters<T>::declare(const std::string& name, Shape shape, Initializer initializer, bool decays) {
  return declare({.name = name, .shape = shape, .initializer = initializer, .decays = decays});
}

template <class T>
void Parameters<T>::allocate() {
  values_ = make_buffer(size_);
  places_.resize(entries_.size());
  packed_size_ = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Shape& shape = entries_[i].shape;
    if (shape.rank() < 2) continue;
    const std::size_t out = shape[shape.rank() - 2], in = shape.width();
    Packed& place = places_[i];
    place.groups = shape.count() == 0 ? 0 : shape.count() / (out * in);
    for (const Form form : {Form::kPlain, Form::kTransposed}) {
      const auto f = static_cast<std::size_t>(form);
      if (form == Form::kPlain && !entries_[i].passes_back) continue;
      place.size[f] = round_up(form == Form::kPlain ? packed_size<T>(out, in) : packed_size<T>(in, out));
      place.offset[f] = packed_size_;
      packed_size_ += place.size[f] * place.groups;
    }
  }
  packed_ = make_buffer(packed_size_);
  packed_ready_ = false;
}

template <class T>
void Parameters<T>::initialize(std::uint64_t seed) {
  for (const ParameterEntry& entry : entries_) {
    Random random(seed, stream_of(entry.name));
    T* values = mutable_values().data() + entry.offset;
    for (std::size_t i = 0; i < entry.shape.count(); ++i) {
      values[i] = static_cast<T>(draw(random, entry.initializer, entry.shape));
    }
  }
}

template <class T>
std::size_t Parameters<T>::count() const {
  std::size_t all = 0;
  for (const ParameterEntry& entry : entries_) all += entry.statistic ? 0 : entry.shape.count();
  return all;
}

template <class T>
const ParameterEntry* Parameters<T>::find(std::string_view name) const {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

template <class T>
std::span<T> Parameters<T>::mutable_values() {
  assert(values_);
  packed_ready_ = false;
  return {values_.get(), size_};
}

template <class T>
std::span<const T> Parameters<T>::values_of(Parameter parameter) const {
  const ParameterEntry& entry = entries_.at(parameter.index);
  return values().subspan(entry.offset, entry.shape.count());
}

template <class T>
std::span<T> Parameters<T>::mutable_values_of(Parameter parameter) {
  const ParameterEntry& entry = entries_.at(parameter.index);
  return mutable_values().subspan(entry.offset, entry.shape.count());
}

template <class T>
void Parameters<T>::pack(ThreadPool& pool) {
  pool.run(entries_.size(), [&](std::size_t i) {
    const Shape& shape = entries_[i].shape;
    if (shape.rank() < 2) return;
    const std::size_t out = shape[shape.rank() - 2], in = shape.width();
    for (std::size_t group = 0; group < places_[i].groups; ++group) {
      const View<const T> matrix{values_.get() + entries_[i].offset + group * out * in, out, in, in};
      for (const Form form : {Form::kPlain, Form::kTransposed}) {
        const auto f = static_cast<std::size_t>(form);
        if (places_[i].size[f] == 0) continue;
        engine::pack(matrix, form, packed_.get() + places_[i].offset[f] + group * places_[i].size[f]);
      }
    }
  });
  packed_ready_ = true;
}

template <class T>
const T* Parameters<T>::packed(std::size_t index, Form form, std::size_t group) const {
  if (!packed_ready_) return nullptr;
  const auto f = static_cast<std::size_t>(form);
  assert(group < places_[index].groups);
  if (places_[index].size[f] == 0) return nullptr;
  return packed_.get() + places_[index].offset[f] + group * places_[index].size[f];
}

template class Parameters<float>;
template class Parameters<double>;

}  // namespace faithful::engine
