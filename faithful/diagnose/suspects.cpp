#include "faithful/diagnose/suspects.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "faithful/metrics/summary.h"

namespace faithful {

std::vector<std::size_t> order_of(std::span<const double> weights) {
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  return order;
}

std::vector<double> shares_of(std::span<const double> weights) {
  std::vector<double> shares(weights.size());
  double total = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) total += shares[i] = std::max(weights[i], 0.0);
  if (total > 0)
    for (double& share : shares) share /= total;
  return shares;
}

namespace {

// Whether each piece begins where the one before it ends.
bool are_joined(std::span<const Range> pieces) {
  return std::ranges::adjacent_find(pieces, [](const Range& a, const Range& b) { return a.end != b.begin; }) ==
         pieces.end();
}

// Weight per sample of each piece, together with the pieces that it touches.
std::vector<double> smoothed(std::span<const Range> pieces, std::span<const double> shares) {
  constexpr std::size_t kLeast = 10;  // of fewer, three are too large a part of all
  std::vector<double> densities;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    double share = shares[i], samples = static_cast<double>(pieces[i].length());
    const auto add = [&](std::size_t j) {
      share += shares[j];
      samples += static_cast<double>(pieces[j].length());
    };
    if (pieces.size() >= kLeast && i > 0 && pieces[i - 1].end == pieces[i].begin) add(i - 1);
    if (pieces.size() >= kLeast && i + 1 < pieces.size() && pieces[i].end == pieces[i + 1].begin) add(i + 1);
    densities.push_back(share / samples);
  }
  return densities;
}

// Mean + 1 standard deviation over samples.
double limit_of(std::span<const Range> pieces, std::span<const double> densities) {
  double samples = 0, sum = 0, square = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto length = static_cast<double>(pieces[i].length());
    samples += length;
    sum += length * densities[i];
  }
  const double mean = sum / samples;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    square += static_cast<double>(pieces[i].length()) * (densities[i] - mean) * (densities[i] - mean);
  return mean + std::sqrt(square / samples);
}

}  // namespace

std::vector<SuspectedSpan> suspected_spans(std::span<const Range> pieces, std::span<const double> weights,
                                           std::size_t most) {
  assert(pieces.size() == weights.size());
  const std::vector<double> shares = shares_of(weights), densities = smoothed(pieces, shares);
  const double limit = limit_of(pieces, densities) * (1 + 1e-9);  // rounding makes none of equal weights stand out
  std::vector<SuspectedSpan> found;
  std::size_t last = 0;  // piece that the last span ends with
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (!(densities[i] > limit)) continue;
    const bool near = !found.empty() && i - last <= 2 && are_joined(pieces.subspan(last, i - last + 1));
    if (!near) found.push_back({{pieces[i].begin, pieces[i].end}, 0});
    for (std::size_t j = near ? last + 1 : i; j <= i; ++j) found.back().share += shares[j];
    found.back().span.end = pieces[i].end;
    last = i;
  }
  std::ranges::stable_sort(found, std::ranges::greater{}, &SuspectedSpan::share);
  found.resize(std::min(found.size(), most));
  return found;
}

namespace {

std::optional<double> correlation(std::span<const double> a, std::span<const double> b) {
  const Summary of_a = summarize(a), of_b = summarize(b);
  double both = 0, square_a = 0, square_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - of_a.mean) * (b[i] - of_b.mean);
    square_a += (a[i] - of_a.mean) * (a[i] - of_a.mean);
    square_b += (b[i] - of_b.mean) * (b[i] - of_b.mean);
  }
  if (square_a == 0 || square_b == 0) return {};
  return both / std::sqrt(square_a * square_b);
}

}  // namespace

Agreement agreement(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  Agreement found;
  if (a.empty()) return found;
  found.spearman = correlation(ranks(a), ranks(b));
  const std::vector<std::size_t> first = order_of(a), second = order_of(b);
  found.same_first = first[0] == second[0];
  const auto count = static_cast<std::ptrdiff_t>(std::min<std::size_t>(3, a.size()));
  for (std::ptrdiff_t i = 0; i < count; ++i)
    found.common +=
        std::find(second.begin(), second.begin() + count, first[static_cast<std::size_t>(i)]) != second.begin() + count
            ? 1
            : 0;
  return found;
}

}  // namespace faithful
