#pragma once

#include <string>

#include <fmt/format.h>

namespace faithful::bench {

// Prints one figure as a line of JSON; tools/bench makes build/bench.json and the table of them. `ratio` is how we
// compare with the peer measured in the same run, above 1 where we are better; 0 where there is no peer.
inline void print_figure(const std::string& name, double value, const std::string& unit, const std::string& peer = "",
                         double ratio = 0) {
  const std::string compared =
      peer.empty() ? "null,\"ratio\":null" : fmt::format("\"{}\",\"ratio\":{:.4g}", peer, ratio);
  fmt::print("{{\"name\":\"{}\",\"value\":{:.4g},\"unit\":\"{}\",\"peer\":{}}}\n", name, value, unit, compared);
}

}  // namespace faithful::bench
