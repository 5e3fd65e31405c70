#include "faithful/engine/arena.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace faithful::engine {

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSmallestBlock = std::size_t{1} << 20;
constexpr std::size_t kHugePage = std::size_t{1} << 21;

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

Arena::~Arena() {
  for (const Block& block : blocks_) std::free(block.data);
}

void Arena::add_block(std::size_t at_least) {
  // Each new block is as large as all before it, so a first pass takes few.
  if (at_least > std::numeric_limits<std::size_t>::max() / 4) throw std::bad_alloc();
  std::size_t size = std::max(at_least, kSmallestBlock);
  for (const Block& block : blocks_) size = std::max(size, block.size);
  size = round_up(size, kHugePage);
  blocks_.reserve(blocks_.size() + 1);  // first: afterwards nothing can fail, and the block would be lost
  auto* data = static_cast<std::byte*>(std::aligned_alloc(kHugePage, size));
  if (data == nullptr) throw std::bad_alloc();
#if defined(__linux__)
  madvise(data, size, MADV_HUGEPAGE);  // fewer TLB misses; a refusal changes nothing but speed
#endif
  blocks_.push_back({data, size, 0});
}

void* Arena::take_bytes(std::size_t bytes) {
  bytes = round_up(std::max<std::size_t>(bytes, 1), kAlignment);
  if (blocks_.empty() || blocks_.back().size - blocks_.back().used < bytes) add_block(bytes);
  Block& block = blocks_.back();
  void* result = block.data + block.used;
  block.used += bytes;
  in_use_ += bytes;
  peak_ = std::max(peak_, in_use_);
  return result;
}

void Arena::release(Mark mark) {
  // Blocks begun since the mark stay, empty, until reset() joins them; the newest is the one in use.
  for (std::size_t b = blocks_.size(); b-- > 0 && b >= mark.block;) {
    const std::size_t keep = b == mark.block ? mark.used : 0;
    in_use_ -= blocks_[b].used - keep;
    blocks_[b].used = keep;
  }
}

std::size_t Arena::capacity() const {
  std::size_t all = 0;
  for (const Block& block : blocks_) all += block.size;
  return all;
}

void Arena::join_blocks(std::size_t at_least) {
  for (const Block& block : blocks_) std::free(block.data);
  blocks_.clear();
  add_block(at_least);
}

void Arena::reserve(std::size_t bytes) {
  in_use_ = 0;
  if (capacity() < bytes) join_blocks(bytes);
}

void Arena::reset() {
  in_use_ = 0;
  if (blocks_.size() > 1) join_blocks(capacity());
  if (!blocks_.empty()) blocks_.front().used = 0;
}

}  // namespace faithful::engine
