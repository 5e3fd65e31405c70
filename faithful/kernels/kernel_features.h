#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"
#include "faithful/window/windows.h"

// Random-convolution features of windows, written from the descriptions of two papers.
//
// MultiRocket (Tan, Dempster, Bergmeir and Webb 2022): the 84 kernels of nine weights, three of them 2 and six -1, at
// dilations that grow to the length of the window, each over a random choice of channels. A bias is subtracted, which
// is a quantile of the convolution with a training window. Four features follow from what is left.
//
// Hydra (Dempster, Schmidt and Webb 2023): groups of eight random kernels that compete. At each sample the kernel with
// the greatest product gains that product, and the kernel with the least product gains 1.
//
// Both run over the series and over its first differences.

namespace faithful {

struct KernelOptions {
  std::size_t biases = 6'250;  // of MultiRocket's kernels on each of series and differences, about; four features each
  std::size_t groups = 64;     // of Hydra's kernels at each dilation, half of them on the differences
  std::uint64_t seed = 1;      // of the random choices
};

// One kernel of MultiRocket with one dilation. With s the sum of its channels (0 outside of the window), the product
// at sample t is z_t = 3 (s of the three places) - (s of all nine), place i being sample t + (i - 4) dilation.
struct RocketKernel {
  std::array<std::uint32_t, 3> places = {};  // with weight 2, ascending, from 0 to 8
  std::uint32_t dilation = 1;
  bool differences = false;  // of the series
  bool padded = true;        // all samples count; else only those where the kernel fits, if there are such
  std::vector<std::uint32_t> channels = {};
  std::vector<float> biases = {};
  bool operator==(const RocketKernel&) const = default;
};

// Eight kernels of Hydra that compete. The product of kernel k at sample t is the sum of weight (k, i) times s at sample
// t + (i - 4) dilation less s at sample t, over the nine places i.
struct HydraGroup {
  std::uint32_t dilation = 1;
  bool differences = false;
  std::vector<std::uint32_t> channels = {};
  std::array<float, 72> weights = {};  // [8, 9]; each row has the sum 0
  bool operator==(const HydraGroup&) const = default;
};

// All that the features depend on.
struct KernelTable {
  std::size_t channels = 1;  // C
  std::size_t length = 1;    // S, samples of the longest window
  std::vector<RocketKernel> rocket = {};
  std::vector<HydraGroup> hydra = {};
  bool operator==(const KernelTable&) const = default;
};

// Windows in memory.
struct WindowValues {
  std::span<const float> values;           // [B, S, C], scaled; 0 where missing
  std::span<const std::uint32_t> lengths;  // [B], samples of each window; what comes after them is not read
};

// The features of a window depend on its own samples only. They have the same bits for any number of threads.
class FAITHFUL_API KernelFeatures {
 public:
  static constexpr std::size_t kPools = 4;  // features of a bias: see features_into
  static constexpr std::size_t kOfGroup = 16;

  // InputError where the table contradicts itself; `place` is used in the message.
  explicit KernelFeatures(KernelTable table, const std::string& place = "kernels");

  // Chooses dilations by the lengths of the training windows, and everything else by the seed. At least one window.
  static KernelFeatures fit(const Windows& train, const KernelOptions& options, ThreadPool& pool);

  const KernelTable& table() const { return table_; }
  std::size_t count() const { return rocket_count_ + kOfGroup * table_.hydra.size(); }  // F
  std::size_t rocket_count() const { return rocket_count_; }  // the first ones are MultiRocket's, the others Hydra's

  // [B, F], on the caller's thread. First four of each bias b of each kernel of MultiRocket, of the n samples that
  // count and the products z_t - b > 0 among them (PPV, MPV, MIPV, LSPV in the paper):
  //   their share; their mean; the mean of t / length; the longest run of them / n
  // and 0, 0, -1, 0 where none is positive. Then 16 of each group of Hydra: for each kernel the sum of the products at
  // which it is the greatest and above 0, then for each the number of samples at which it is the least; both times
  // S / length. The first of equal kernels wins. A window of one sample has no differences: those products do not
  // exist, and sums and counts are 0.
  void features_into(const WindowValues& windows, std::span<float> out) const;

  // [n, F] of the windows of these numbers.
  Matrix<float> features_of(const Windows& windows, std::span<const std::uint32_t> numbers, ThreadPool& pool) const;

 private:
  KernelTable table_;
  std::size_t rocket_count_ = 0;
  std::size_t reach_ = 0;  // samples before and after a window that kernels can reach
};

}  // namespace faithful
