// Any bytes inflate or are an InputError, the same in one go and piece by piece; and any bytes survive a round trip.

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "faithful/base/error.h"
#include "faithful/io/gzip.h"

namespace {

using namespace faithful;

constexpr std::size_t kLimit = 1 << 18;

std::optional<std::string> inflate_whole(std::string_view bytes) {
  try {
    return inflate_gzip(bytes, "fuzz.gz", kLimit);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::optional<std::string> inflate_in_pieces(std::string_view bytes, std::size_t piece) {
  try {
    GzipReader reader(bytes, "fuzz.gz");
    std::string all, buffer(piece, '\0');
    for (std::size_t got = piece; got == piece;) {
      got = reader.read(buffer);
      all.append(buffer, 0, got);
      if (all.size() > kLimit) return std::nullopt;
    }
    return all;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (inflate_whole(bytes) != inflate_in_pieces(bytes, 1 + size % 1000)) std::abort();
  if (inflate_whole(deflate_gzip(bytes)) != std::string(bytes)) std::abort();
  return 0;
}
