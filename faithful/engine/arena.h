#pragma once

#include <cstddef>
#include <vector>

#include "faithful/base/api.h"

namespace faithful::engine {

// Memory for one pass, handed out in order and taken back all at once. What it hands out never moves. The first pass
// may take several blocks from the system; reset() then joins them into one, so that later passes of the same size
// allocate nothing.
class FAITHFUL_API Arena {
 public:
  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // `count` uninitialised numbers, aligned to 64 bytes.
  template <class T>
  T* take(std::size_t count) {
    return static_cast<T*>(take_bytes(count * sizeof(T)));
  }

  // Takes back everything that was handed out since the mark.
  struct Mark {
    std::size_t block, used;
  };
  Mark mark() const { return {blocks_.empty() ? 0 : blocks_.size() - 1, blocks_.empty() ? 0 : blocks_.back().used}; }
  void release(Mark mark);

  void reset();

  // Between passes: makes sure that a pass of so many bytes will allocate nothing.
  void reserve(std::size_t bytes);
  std::size_t capacity() const;

  std::size_t peak_bytes() const { return peak_; }  // most that was in use at once since the beginning

 private:
  struct Block {
    std::byte* data;
    std::size_t size, used;
  };
  void* take_bytes(std::size_t bytes);
  void add_block(std::size_t at_least);
  void join_blocks(std::size_t at_least);

  std::vector<Block> blocks_;
  std::size_t in_use_ = 0, peak_ = 0;
};

// Temporary memory: everything taken from the arena in this scope goes back at its end.
class ScratchScope {
 public:
  explicit ScratchScope(Arena& arena) : arena_(arena), mark_(arena.mark()) {}
  ~ScratchScope() { arena_.release(mark_); }
  ScratchScope(const ScratchScope&) = delete;
  ScratchScope& operator=(const ScratchScope&) = delete;

 private:
  Arena& arena_;
  Arena::Mark mark_;
};

}  // namespace faithful::engine
