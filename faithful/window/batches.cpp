#include "faithful/window/batches.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "faithful/base/random.h"

namespace faithful {

Batches::Batches(const Windows& windows, const BatchOptions& options) : options_(options), order_(windows.size()) {
  assert(options.size > 0);
  start_epoch(0);
}

void Batches::start_epoch(std::size_t epoch) {
  Random random(options_.seed, stream_of("window.batches") + epoch);
  std::iota(order_.begin(), order_.end(), 0U);  // the order depends on no other epoch
  random.shuffle(std::span(order_));
}

std::size_t Batches::count() const {
  return (order_.size() + options_.size - 1) / options_.size;
}

std::span<const std::uint32_t> Batches::operator[](std::size_t batch) const {
  const std::size_t begin = batch * options_.size;
  assert(begin < order_.size());
  return std::span(order_).subspan(begin, std::min(options_.size, order_.size() - begin));
}

}  // namespace faithful
