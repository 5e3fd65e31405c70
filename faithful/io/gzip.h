#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "faithful/base/api.h"

namespace faithful {

// Whether the bytes begin as a gzip file does.
FAITHFUL_API bool is_gzip(std::string_view bytes);

// Inflates a gzip file (one member or several in a row, checksums verified) piece by piece. The compressed bytes are
// borrowed; `name` is used in error messages. Zeros after the last member are padding, anything else is rejected.
class FAITHFUL_API GzipReader {
 public:
  GzipReader(std::string_view compressed, std::string name);
  ~GzipReader();
  GzipReader(GzipReader&&) noexcept;
  GzipReader& operator=(GzipReader&&) noexcept;

  // Fills `into` as far as there are bytes; less than its size only at the end.
  std::size_t read(std::span<char> into);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The whole of a gzip file, of at most `limit` bytes inflated (0: inflated_limit() of its size). Memory grows with what
// is really there.
FAITHFUL_API std::string inflate_gzip(std::string_view compressed, const std::string& name, std::size_t limit = 0);

// One gzip member; the same bytes give the same file (no time, no name). Level 1 (fast) to 9 (small).
FAITHFUL_API std::string deflate_gzip(std::string_view bytes, int level = 6);

}  // namespace faithful
