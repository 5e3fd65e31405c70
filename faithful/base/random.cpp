#include "faithful/base/random.h"

#include <cmath>
#include <numbers>

namespace faithful {

namespace {

constexpr std::uint32_t low32(std::uint64_t x) {
  return static_cast<std::uint32_t>(x);
}
constexpr std::uint32_t high32(std::uint64_t x) {
  return static_cast<std::uint32_t>(x >> 32);
}

}  // namespace

PhiloxCounter philox(PhiloxCounter c, PhiloxKey key) {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t p0 = kMultiplier0 * c[0];
    const std::uint64_t p1 = kMultiplier1 * c[2];
    c = {high32(p1) ^ c[1] ^ key[0], low32(p1), high32(p0) ^ c[3] ^ key[1], low32(p0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return c;
}

std::uint64_t stream_of(std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

std::uint32_t Random::bits32() {
  if (used_ == words_.size()) {
    words_ = philox({low32(block_), high32(block_), low32(stream_), high32(stream_)}, {low32(seed_), high32(seed_)});
    ++block_;
    used_ = 0;
  }
  return words_[used_++];
}

std::uint64_t Random::bits64() {
  const std::uint64_t low = bits32();
  return low | (static_cast<std::uint64_t>(bits32()) << 32);
}

double Random::uniform() {
  return static_cast<double>(bits64() >> 11) * 0x1p-53;
}

double Random::normal() {
  const double radius = std::sqrt(-2.0 * std::log1p(-uniform()));  // 1 - u lies in (0, 1]
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

std::uint64_t Random::below(std::uint64_t n) {
  // Numbers below the threshold would make the first 2^64 mod n values more likely: draw again.
  const std::uint64_t threshold = (0 - n) % n;
  std::uint64_t x = bits64();
  while (x < threshold) x = bits64();
  return x % n;
}

}  // namespace faithful
