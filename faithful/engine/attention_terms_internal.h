#pragma once

// The position terms of attention, row by row: tables over the offset j - i, clipped relative vectors, rotation.

#include <algorithm>
#include <cmath>

#include "faithful/engine/attention.h"

namespace faithful::engine {

// Row i of a [H, 2S-1] table over offsets, as seen from query i: entry j is that of key j.
template <class T>
T* offsets_of(T* table, std::size_t positions, std::size_t head, std::size_t query) {
  return table + head * (2 * positions - 1) + (positions - 1 - query);
}
template <class T>
T* offsets_of(Tensor<T> table, std::size_t head, std::size_t query) {
  return offsets_of(table.data, (table.width() + 1) / 2, head, query);
}

// How the keys of one query lie in a table over offsets, whose middle entry is offset 0.
template <class T>
struct Seen {
  std::size_t query, keys;
  const T* times = nullptr;  // [keys]; null: 0, 1, 2, ..
};

// Calls body(j, entry, share) for every key j: the entry of its offset, clipped to the entries there are. A real offset
// has a share of the two entries around it.
template <class T, class Body>
void for_each_offset(const Seen<T>& seen, std::size_t entries, const Body& body) {
  const std::size_t clip = entries / 2, query = seen.query, keys = seen.keys;
  if (seen.times != nullptr) {
    const T end = static_cast<T>(clip);
    for (std::size_t j = 0; j < keys; ++j) {
      const T place = std::clamp(seen.times[j] - seen.times[query], -end, end) + end;
      const std::size_t entry = std::min(static_cast<std::size_t>(place), entries - 1);
      const T share = place - static_cast<T>(entry);
      body(j, entry, 1 - share);
      if (share > 0) body(j, entry + 1, share);
    }
    return;
  }
  const std::size_t low = query > clip ? query - clip : 0;    // keys before it share entry 0
  const std::size_t high = std::min(keys, query + clip + 1);  // keys from it share the last entry
  for (std::size_t j = 0; j < low; ++j) body(j, 0, T(1));
  for (std::size_t j = low; j < high; ++j) body(j, j + clip - query, T(1));
  for (std::size_t j = high; j < keys; ++j) body(j, entries - 1, T(1));
}

// row of p += by_offset[row, clipped offset].
template <class T>
void spread_offsets(View<T> by_offset, std::size_t row, const Seen<T>& seen, View<T> p) {
  for_each_offset(seen, by_offset.columns,
                  [&](std::size_t j, std::size_t entry, T share) { p(row, j) += share * by_offset(row, entry); });
}

// The reverse: [rows, entries], each the sum of the row's elements with that clipped offset.
template <class T>
View<T> gather_tile(Arena& arena, View<T> p, Seen<T> seen, std::size_t entries) {
  const View<T> by_offset{arena.take<T>(p.rows * entries), p.rows, entries, entries};
  std::fill_n(by_offset.data, p.rows * entries, T(0));
  for (std::size_t i = 0; i < p.rows; ++i, ++seen.query) {
    for_each_offset(seen, entries,
                    [&](std::size_t j, std::size_t entry, T share) { by_offset(i, entry) += share * p(i, j); });
  }
  return by_offset;
}

// Rotates pairs (a, b) of row s by angles[s, pair]: (a cos - b sin, a sin + b cos) (Su et al. 2021).
template <class T>
class Rotation {
 public:
  Rotation() = default;
  Rotation(Arena& arena, Tensor<T> angles, Pairing pairing) : pairs_(angles.width()), pairing_(pairing) {
    cosines_ = arena.take<T>(angles.shape.count());
    sines_ = arena.take<T>(angles.shape.count());
    for (std::size_t i = 0; i < angles.shape.count(); ++i) {
      cosines_[i] = std::cos(angles.data[i]);
      sines_[i] = std::sin(angles.data[i]);
    }
  }

  void turn(View<const T> x, View<T> y) const {
    for_each_pair(x.rows, [&](std::size_t s, std::size_t i, std::size_t a, std::size_t b) {
      const T c = cosines_[s * pairs_ + i], n = sines_[s * pairs_ + i];
      y(s, a) = x(s, a) * c - x(s, b) * n;
      y(s, b) = x(s, a) * n + x(s, b) * c;
    });
  }

  // dy is the gradient by the rotated y; dx gets that by x, dangles (unless null) adds that by the angles.
  void turn_back(View<const T> dy, View<const T> y, View<T> dx, bool add, T* dangles) const {
    for_each_pair(y.rows, [&](std::size_t s, std::size_t i, std::size_t a, std::size_t b) {
      const T c = cosines_[s * pairs_ + i], n = sines_[s * pairs_ + i];
      const T da = dy(s, a) * c + dy(s, b) * n, db = dy(s, b) * c - dy(s, a) * n;
      dx(s, a) = add ? dx(s, a) + da : da;
      dx(s, b) = add ? dx(s, b) + db : db;
      if (dangles != nullptr) dangles[s * pairs_ + i] += dy(s, b) * y(s, a) - dy(s, a) * y(s, b);
    });
  }

 private:
  template <class Body>
  void for_each_pair(std::size_t rows, const Body& body) const {
    for (std::size_t s = 0; s < rows; ++s) {
      for (std::size_t i = 0; i < pairs_; ++i) {
        if (pairing_ == Pairing::kInterleaved) {
          body(s, i, 2 * i, 2 * i + 1);
        } else {
          body(s, i, i, i + pairs_);
        }
      }
    }
  }

  std::size_t pairs_ = 0;
  Pairing pairing_ = Pairing::kInterleaved;
  T* cosines_ = nullptr;  // [S, Dk / 2]
  T* sines_ = nullptr;
};

}  // namespace faithful::engine
