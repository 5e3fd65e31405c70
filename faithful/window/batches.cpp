#include "faithful/window/batches.h"

#include <algorithm>
#include <cassert>

#include "faithful/base/random.h"

namespace faithful {

Batches::Batches(const Windows& windows, const BatchOptions& options) : options_(options), order_(windows.size()) {
  assert(options.size > 0);
  by_class_.resize(options.balance ? windows.classes() : 1);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    assert(!options.balance || windows[i].label != kNoLabel);
    by_class_[options.balance ? static_cast<std::size_t>(windows[i].label) : 0].push_back(
        static_cast<std::uint32_t>(i));
  }
  std::erase_if(by_class_, [](const auto& members) { return members.empty(); });
  start_epoch(0);
}

void Batches::start_epoch(std::size_t epoch) {
  // Each class in its own random order, the classes in turn: a short class begins again before a long one is through.
  Random random(options_.seed, stream_of("window.batches") + epoch);
  for (auto& members : by_class_) {
    std::sort(members.begin(), members.end());  // the order depends on the epoch alone, not on those before it
    if (options_.shuffle) random.shuffle(std::span(members));
  }
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const auto& members = by_class_[i % by_class_.size()];
    order_[i] = members[(i / by_class_.size()) % members.size()];
  }
  if (options_.shuffle && by_class_.size() > 1) random.shuffle(std::span(order_));
}

std::size_t Batches::count() const {
  return options_.drop_short ? order_.size() / options_.size : (order_.size() + options_.size - 1) / options_.size;
}

std::span<const std::uint32_t> Batches::operator[](std::size_t batch) const {
  const std::size_t begin = batch * options_.size;
  assert(begin < order_.size());
  return std::span(order_).subspan(begin, std::min(options_.size, order_.size() - begin));
}

}  // namespace faithful
