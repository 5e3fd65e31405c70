#include "faithful/io/gzip.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/limits.h"
#include "faithful/io/deflate_internal.h"

namespace faithful {

bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

struct GzipReader::State {
  State(std::string_view compressed, std::string file) : name(std::move(file)), inflater(compressed, Wrapping::kGzip) {}

  // After a member: goes on to the next one, or sees that the file has ended.
  void end_member() {
    const std::string_view rest = inflater.rest();
    if (is_gzip(rest)) return inflater.restart();
    if (rest.find_first_not_of('\0') != std::string_view::npos) {
      reject({{name}, "the end of the gzip data", fmt::format("{} more bytes", rest.size())});
    }
    ended = true;
  }

  std::string name;
  Inflater inflater;
  bool ended = false;
};

GzipReader::GzipReader(std::string_view compressed, std::string name) {
  if (!is_gzip(compressed)) {
    reject({{name}, "gzip data", compressed.empty() ? "an empty file" : "other bytes at its start"});
  }
  state_ = std::make_unique<State>(compressed, std::move(name));
}

GzipReader::~GzipReader() = default;
GzipReader::GzipReader(GzipReader&&) noexcept = default;
GzipReader& GzipReader::operator=(GzipReader&&) noexcept = default;

std::size_t GzipReader::read(std::span<char> into) {
  State& s = *state_;
  std::size_t filled = 0;
  while (filled < into.size() && !s.ended) {
    std::size_t got = 0;
    const Inflater::Status status = s.inflater.read(into.subspan(filled), got);
    filled += got;
    if (status == Inflater::Status::kTruncated) reject({{s.name}, "whole gzip data", "a truncated file"});
    if (status == Inflater::Status::kDamaged) reject({{s.name}, "valid gzip data", "a damaged file"});
    if (status == Inflater::Status::kEnd) s.end_member();
  }
  return filled;
}

std::string inflate_gzip(std::string_view compressed, const std::string& name, std::size_t limit) {
  constexpr std::size_t kBlock = 1 << 16;
  const bool by_default = limit == 0;
  if (by_default) limit = inflated_limit(compressed.size());
  GzipReader reader(compressed, name);
  std::string all, block(kBlock, '\0');
  while (true) {
    const std::size_t got = reader.read(block);
    if (got > limit - all.size()) {
      reject({{name}, fmt::format("at most {} bytes inflated", limit), "more", by_default ? limits_hint() : ""});
    }
    all.append(block, 0, got);
    if (got < block.size()) return all;
  }
}

std::string deflate_gzip(std::string_view bytes, int level) {
  return deflate_bytes(bytes, Wrapping::kGzip, level);
}

}  // namespace faithful
