#include "faithful/base/sha256.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace faithful {
namespace {

// The first 32 bits of the fractions of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<std::uint32_t, 8>;

void add_block(State& state, const char* block) {
  std::array<std::uint32_t, 64> words{};
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t byte = 0; byte < 4; ++byte)
      words[i] = words[i] << 8 | static_cast<unsigned char>(block[4 * i + byte]);
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t a = words[i - 15], b = words[i - 2];
    const std::uint32_t small0 = std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3);
    const std::uint32_t small1 = std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10);
    words[i] = words[i - 16] + small0 + words[i - 7] + small1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t large1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t first = h + large1 + ((e & f) ^ (~e & g)) + kRounds[i] + words[i];
    const std::uint32_t large0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t second = large0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const State mixed = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += mixed[i];
}

}  // namespace

// The first 32 bits of the fractions of the square roots of the first 8 primes.
Sha256::Sha256()
    : state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

Sha256& Sha256::add(std::string_view bytes) {
  const std::size_t held = size_ % kBlock;
  size_ += bytes.size();
  if (held > 0) {
    const std::size_t taken = std::min(kBlock - held, bytes.size());
    std::copy_n(bytes.begin(), taken, rest_.begin() + held);
    bytes.remove_prefix(taken);
    if (held + taken < kBlock) return *this;
    add_block(state_, rest_.data());
  }
  for (; bytes.size() >= kBlock; bytes.remove_prefix(kBlock)) add_block(state_, bytes.data());
  std::copy(bytes.begin(), bytes.end(), rest_.begin());
  return *this;
}

std::string Sha256::digest() const {
  // The rest, a one bit, zeros, and the length in bits, in one block or two.
  State state = state_;
  std::array<char, 2 * kBlock> tail{};
  const std::size_t held = size_ % kBlock;
  std::copy_n(rest_.begin(), held, tail.begin());
  tail[held] = '\x80';
  const std::size_t tail_size = held + 9 <= kBlock ? kBlock : 2 * kBlock;
  const std::uint64_t bits = 8 * size_;
  for (std::size_t i = 0; i < 8; ++i) tail[tail_size - 1 - i] = static_cast<char>(bits >> (8 * i));
  for (std::size_t at = 0; at < tail_size; at += kBlock) add_block(state, tail.data() + at);
  std::string text;
  for (const std::uint32_t word : state) text += fmt::format("{:08x}", word);
  return text;
}

std::string sha256(std::string_view bytes) {
  return Sha256().add(bytes).digest();
}

}  // namespace faithful
