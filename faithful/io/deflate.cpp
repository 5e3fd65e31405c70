#include <algorithm>
#include <cassert>
#include <memory>
#include <new>

#include "faithful/io/deflate_internal.h"

namespace faithful {

namespace {

constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // zlib counts in 32 bits

uInt clipped(std::size_t size) {
  return static_cast<uInt>(std::min(size, kMostAtOnce));
}

Bytef* as_bytes(const char* text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text));
}

}  // namespace

Inflater::Inflater(std::string_view compressed, Wrapping wrapping) : rest_(compressed) {
  if (inflateInit2(&stream_, static_cast<int>(wrapping)) != Z_OK) throw std::bad_alloc();
}

Inflater::~Inflater() {
  inflateEnd(&stream_);
}

Inflater::Status Inflater::read(std::span<char> into, std::size_t& got) {
  got = 0;
  while (got < into.size()) {
    const uInt input = clipped(rest_.size()), output = clipped(into.size() - got);
    stream_.next_in = as_bytes(rest_.data());
    stream_.avail_in = input;
    stream_.next_out = as_bytes(into.data() + got);
    stream_.avail_out = output;
    const int result = inflate(&stream_, Z_NO_FLUSH);
    rest_.remove_prefix(input - stream_.avail_in);
    got += output - stream_.avail_out;
    if (result == Z_STREAM_END) return Status::kEnd;
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result == Z_BUF_ERROR) return Status::kTruncated;  // no progress, although there is room
    if (result != Z_OK) return Status::kDamaged;
  }
  return Status::kMore;
}

void Inflater::restart() {
  inflateReset(&stream_);
}

std::string deflate_bytes(std::string_view bytes, Wrapping wrapping, int level) {
  constexpr int kMemoryLevel = 8;  // zlib's default
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, static_cast<int>(wrapping), kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ended(&stream, &deflateEnd);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  std::size_t written = 0;
  int result = Z_OK;
  while (result == Z_OK || result == Z_BUF_ERROR) {
    const uInt input = clipped(bytes.size()), output = clipped(out.size() - written);
    stream.next_in = as_bytes(bytes.data());
    stream.avail_in = input;
    stream.next_out = as_bytes(out.data() + written);
    stream.avail_out = output;
    result = deflate(&stream, input == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    bytes.remove_prefix(input - stream.avail_in);
    written += output - stream.avail_out;
  }
  assert(result == Z_STREAM_END);
  out.resize(written);
  return out;
}

unsigned long crc_of(std::string_view bytes, unsigned long crc) {
  if (bytes.empty()) return crc;  // zlib takes a null pointer as a request to start again
  return crc32_z(crc, as_bytes(bytes.data()), bytes.size());
}

}  // namespace faithful
