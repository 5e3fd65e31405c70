#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <zlib.h>

namespace faithful {

// zlib's name for the wrapping of a deflate stream.
enum class Wrapping : int { kGzip = 15 + 16, kRaw = -15 };

// A deflate stream that is taken in from one buffer, piece by piece.
class Inflater {
 public:
  Inflater(std::string_view compressed, Wrapping wrapping);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  enum class Status { kMore, kEnd, kTruncated, kDamaged };
  // Inflates until `into` is full, the stream ends, or it cannot go on.
  Status read(std::span<char> into, std::size_t& got);
  // The bytes after the stream, once it has ended.
  std::string_view rest() const { return rest_; }
  // Begins the next stream of the same wrapping at rest().
  void restart();

 private:
  z_stream stream_{};
  std::string_view rest_;  // not yet given to zlib, or given and not taken
};

// `bytes` as one deflate stream.
std::string deflate_bytes(std::string_view bytes, Wrapping wrapping, int level);

// zlib's crc32 of more than 4 GiB too.
unsigned long crc_of(std::string_view bytes, unsigned long crc = 0);

// No deflate stream inflates to more than this many times its size (zlib's documentation: 1032).
inline constexpr std::size_t kMostInflation = 1032;

}  // namespace faithful
