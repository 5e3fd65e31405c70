#pragma once

// What encodings of queries and keys share.

#include <span>

#include <fmt/format.h>

#include "faithful/encoding/entry_internal.h"

namespace faithful {

inline const OwnOption kPairing{
    {"pairing",
     "P",
     "rotates neighbouring coordinates together (interleaved), or one of each half (halves)",
     {.choices = {"interleaved", "halves"}}},
    "interleaved",
    /*in_table=*/false};

inline engine::Pairing pairing_of(const EncodingOptions& options) {
  return options.own.text("pairing") == "halves" ? engine::Pairing::kHalves : engine::Pairing::kInterleaved;
}

// InputError unless coordinates make pairs.
inline void check_pairs(const EncodingOptions& options, const char* name) {
  const std::size_t width = head_width(options);
  if (width % 2 == 0) return;
  reject({{.field = "dim"},
          fmt::format("an even head width for {} ({} / {} {})", name, field_text("dim"), field_text("heads"),
                      options.heads),
          fmt::format("{}", width)});
}

// The positions of all rows, [rows] or with times [B, rows].
template <class T>
std::span<const T> rotary_positions(Tape<T>& tape, const ModelPlace& place, const PositionPass<T>& pass) {
  if (!pass.row_times.empty()) return pass.row_times;
  T* at = tape.arena().template take<T>(place.rows());
  for (std::size_t r = 0; r < place.rows(); ++r) at[r] = static_cast<T>(r) - static_cast<T>(place.has_token ? 1 : 0);
  return {at, place.rows()};
}

}  // namespace faithful
