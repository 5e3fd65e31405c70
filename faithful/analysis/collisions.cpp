#include "faithful/analysis/collisions.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace faithful {

namespace {

// Four chains at once, for one would wait for its multiplications.
std::uint64_t hash_of(std::span<const double> row) {
  constexpr std::uint64_t kPrime = 0x9E3779B97F4A7C15u;
  std::uint64_t chains[4] = {1, 2, 3, 4};
  for (std::size_t i = 0; i < row.size(); ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(row[i] + 0.0);  // -0 becomes 0
    chains[i % 4] = (std::rotl(chains[i % 4], 29) ^ bits) * kPrime;
  }
  std::uint64_t hash = 0;
  for (const std::uint64_t chain : chains) hash = (std::rotl(hash, 17) ^ chain) * kPrime;
  return hash ^ hash >> 31;
}

void note_pair(Collisions& collisions, std::size_t s, std::size_t t) {
  if (!collisions.first || t < collisions.first->second) collisions.first = {s, t};
}

}  // namespace

Collisions count_collisions(const Matrix<double>& rows) {
  struct Group {
    std::size_t first;  // row
    std::size_t size;
  };
  std::unordered_map<std::uint64_t, std::vector<Group>> groups;  // of equal rows; several where hashes coincide
  groups.reserve(rows.rows);
  Collisions collisions;
  for (std::size_t t = 0; t < rows.rows; ++t) {
    auto& same_hash = groups[hash_of(rows.row(t))];
    const auto group = std::ranges::find_if(
        same_hash, [&](const Group& other) { return std::ranges::equal(rows.row(other.first), rows.row(t)); });
    if (group == same_hash.end()) {
      same_hash.push_back({t, 1});
    } else {
      collisions.pairs += group->size++;
      note_pair(collisions, group->first, t);
    }
  }
  return collisions;
}

}  // namespace faithful
