#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "faithful/window/proof_internal.h"

namespace faithful {

namespace {

constexpr std::uint64_t kBase = 0x9E3779B97F4A7C15;  // odd: no power of it vanishes modulo 2^64

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

std::uint64_t row_hash(std::span<const float> row) {
  std::uint64_t hash = row.size();
  for (const float value : row) hash = (std::rotl(hash, 23) ^ std::bit_cast<std::uint32_t>(value)) * kBase;
  return mixed(hash);
}

using Hashed = std::pair<std::uint64_t, const Window*>;

std::vector<Hashed> sorted_hashes(const WindowHashes& hashes, std::span<const Window> windows) {
  std::vector<Hashed> sorted;
  sorted.reserve(windows.size());
  for (const Window& window : windows) sorted.emplace_back(hashes.of(window), &window);
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

bool contains(const WindowHashes& hashes, const std::vector<Hashed>& sorted, const Window& window) {
  const std::uint64_t hash = hashes.of(window);
  for (auto it = std::lower_bound(sorted.begin(), sorted.end(), Hashed(hash, nullptr));
       it != sorted.end() && it->first == hash; ++it)
    if (hashes.same_content(*it->second, window)) return true;
  return false;
}

// Which samples windows cover: a bit for each part, by series and time.
std::vector<std::vector<std::uint8_t>> mark_samples(const Dataset& dataset,
                                                    const std::array<std::span<const Window>, 3>& parts) {
  std::vector<std::vector<std::uint8_t>> marks;
  for (const Series& series : dataset.series) marks.emplace_back(series.length(), std::uint8_t{0});
  for (std::size_t part = 0; part < parts.size(); ++part)
    for (const Window& window : parts[part])
      for (std::size_t t = 0; t < window.length; ++t)
        marks[window.series][window.begin + t] |= static_cast<std::uint8_t>(1U << part);
  return marks;
}

std::uint64_t digest(const WindowHashes& hashes, std::span<const Window> windows) {
  std::uint64_t sum = windows.size();
  for (const Window& window : windows)
    sum = mixed(sum * kBase + hashes.of(window) + static_cast<std::uint64_t>(window.label + 1));
  return sum;
}

}  // namespace

WindowHashes::WindowHashes(const Dataset& dataset) : dataset_(&dataset), powers_{1} {
  for (const Series& series : dataset.series) {
    std::vector<std::uint64_t> prefix(series.length() + 1, 0);
    for (std::size_t t = 0; t < series.length(); ++t)
      prefix[t + 1] = prefix[t] * kBase + row_hash(series.values.row(t));
    prefixes_.push_back(std::move(prefix));
    while (powers_.size() <= series.length()) powers_.push_back(powers_.back() * kBase);
  }
}

std::uint64_t WindowHashes::of(const Window& window) const {
  const std::vector<std::uint64_t>& prefix = prefixes_[window.series];
  return mixed(prefix[window.begin + window.length] - prefix[window.begin] * powers_[window.length] + window.length);
}

bool WindowHashes::same_content(const Window& a, const Window& b) const {
  if (a.length != b.length) return false;
  const std::size_t channels = dataset_->channels.size();
  const float* first = dataset_->series[a.series].values.values.data() + a.begin * channels;
  const float* second = dataset_->series[b.series].values.values.data() + b.begin * channels;
  return std::memcmp(first, second, a.length * channels * sizeof(float)) == 0;
}

std::size_t drop_repeats(const WindowHashes& hashes, std::vector<Window>& windows, std::span<const Window> held) {
  const std::vector<Hashed> sorted = sorted_hashes(hashes, held);
  return std::erase_if(windows, [&](const Window& window) { return contains(hashes, sorted, window); });
}

void prove_disjoint(const Dataset& dataset, const WindowHashes& hashes,
                    const std::array<std::span<const Window>, 3>& parts, DisjointnessProof& proof) {
  std::array<std::size_t, 3> samples = {};
  for (const auto& series : mark_samples(dataset, parts))
    for (const std::uint8_t mark : series) {
      for (std::size_t part = 0; part < 3; ++part) samples[part] += (mark >> part) & 1U;
      if (std::popcount(mark) > 1) ++proof.shared_samples;
    }
  for (std::size_t part = 1; part < 3; ++part)
    for (std::size_t earlier = 0; earlier < part; ++earlier) {
      const std::vector<Hashed> sorted = sorted_hashes(hashes, parts[earlier]);
      for (const Window& window : parts[part])
        if (contains(hashes, sorted, window)) ++proof.shared_windows;
    }
  proof.train_windows = parts[0].size(), proof.validation_windows = parts[1].size(),
  proof.test_windows = parts[2].size();
  proof.train_samples = samples[0], proof.validation_samples = samples[1], proof.test_samples = samples[2];
  proof.train_digest = digest(hashes, parts[0]);
  proof.validation_digest = digest(hashes, parts[1]);
  proof.test_digest = digest(hashes, parts[2]);
}

std::string to_json(const DisjointnessProof& p) {
  return fmt::format(
      R"({{"holds": {}, "shared_samples": {}, "shared_windows": {}, {}"dropped_windows": {}, )"
      R"("windows": {{"train": {}, "validation": {}, "test": {}}}, "samples": {{"train": {}, "validation": {}, "test": {}}}, )"
      R"("digests": {{"train": "{:016x}", "validation": "{:016x}", "test": "{:016x}"}}}})",
      p.holds(), p.shared_samples, p.shared_windows,
      p.copied_share > 0 ? fmt::format(R"("copied_share": {:.4f}, )", p.copied_share) : "", p.dropped_windows,
      p.train_windows, p.validation_windows, p.test_windows, p.train_samples, p.validation_samples, p.test_samples,
      p.train_digest, p.validation_digest, p.test_digest);
}

}  // namespace faithful
