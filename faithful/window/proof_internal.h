#pragma once

// What windows hold, compared across parts.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "faithful/window/windows.h"

namespace faithful {

// Hashes of the content of any window in constant time: every row is hashed once, and a window's hash is the polynomial
// sum of its rows' hashes, from differences of prefix sums. Equal hashes are always confirmed by comparing the bytes.
class WindowHashes {
 public:
  explicit WindowHashes(const Dataset& dataset);
  std::uint64_t of(const Window& window) const;
  bool same_content(const Window& a, const Window& b) const;

 private:
  const Dataset* dataset_;
  std::vector<std::vector<std::uint64_t>> prefixes_;  // per series, [T + 1]
  std::vector<std::uint64_t> powers_;                 // of the base, [longest + 1]
};

// Removes the windows with the content of a held-out one; returns how many.
std::size_t drop_repeats(const WindowHashes& hashes, std::vector<Window>& windows, std::span<const Window> held);

// Counts what the three parts share, by index and by content.
void prove_disjoint(const Dataset& dataset, const WindowHashes& hashes,
                    const std::array<std::span<const Window>, 3>& parts, DisjointnessProof& proof);

}  // namespace faithful
