#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "faithful/kernels/kernel_model.h"
#include "tests/kernels/support.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::all_windows;
using testing::rejection;
using testing::waves;

constexpr KernelModelOptions kSmall = {.features = {.biases = 168, .groups = 4}};

double accuracy(const Matrix<float>& probabilities, const Windows& windows) {
  double right = 0;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const std::span<const float> row = probabilities.row(i);
    right += std::ranges::max_element(row) - row.begin() == windows[i].label ? 1 : 0;
  }
  return right / static_cast<double>(windows.size());
}

TEST(KernelModel, FindsPatternsThatMeansDoNotShow) {
  for (const std::size_t classes : {2, 3}) {
    const Dataset dataset = waves(std::vector<std::size_t>(60, 40), 2, classes);
    Dataset fresh = waves(std::vector<std::size_t>(160, 40), 2, classes);
    fresh.series.erase(fresh.series.begin(), fresh.series.begin() + 60);
    ThreadPool pool(2);
    const KernelModelFit fit = fit_kernel_model(all_windows(dataset), kSmall, pool);
    const Windows test = all_windows(fresh);
    EXPECT_GT(accuracy(probabilities_of(fit.model, test, pool), test), 0.95) << classes;
    EXPECT_GT(accuracy(fit.held_out, all_windows(dataset)), 0.9) << classes;
    EXPECT_EQ(fit.model.shape().outputs(), classes == 2 ? 1U : 3U);
    for (std::size_t i = 0; i < fit.held_out.rows; ++i) {
      const std::span<const float> row = fit.held_out.row(i);
      EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0F), 1, 1e-5);
    }
  }
}

// The model's logits are the ridge's scores over the temperature: on data that tells nothing, about the shares of the
// classes, and the log loss of what was left out near its entropy.
TEST(KernelModel, KnowsWhenItKnowsNothing) {
  Dataset dataset = waves(std::vector<std::size_t>(90, 20), 1, 2, 5);
  for (std::size_t i = 0; i < 90; ++i) dataset.series[i].label = i % 3 == 0 ? 1 : 0;
  ThreadPool pool(2);
  const KernelModelFit fit = fit_kernel_model(all_windows(dataset), kSmall, pool);
  EXPECT_LT(fit.log_loss, 0.72);
}

TEST(KernelModel, SameBitsOnAnyThreadsAndBackFromItsArrays) {
  const Dataset dataset = waves({30, 21, 30, 9, 30, 30, 1, 30, 2, 30, 30, 17}, 3, 3);
  const Windows windows = all_windows(dataset);
  ThreadPool one(1), three(3);
  const KernelModelFit fit = fit_kernel_model(windows, kSmall, one), again = fit_kernel_model(windows, kSmall, three);
  const KernelArrays arrays(fit.model), others(again.model);
  const std::string bytes = safetensors_bytes(arrays.entries());
  EXPECT_EQ(bytes, safetensors_bytes(others.entries()));
  const KernelModel loaded = read_kernel_model(parse_safetensors(bytes, "model"));
  EXPECT_EQ(safetensors_bytes(KernelArrays(loaded).entries()), bytes);
  EXPECT_EQ(probabilities_of(loaded, windows, one), probabilities_of(fit.model, windows, three));
  EXPECT_EQ(loaded.parts().temperature, fit.model.parts().temperature);
  EXPECT_FALSE(has_kernel_model(parse_safetensors(safetensors_bytes({}), "none")));
}

TEST(KernelModel, ManyWindowsAreThinnedOutOfTheFrequentClass) {
  Dataset dataset = waves(std::vector<std::size_t>(100, 12), 1);
  for (std::size_t i = 0; i < 100; ++i) dataset.series[i].label = i % 20 == 0 ? 1 : 0;
  ThreadPool pool(1);
  KernelModelOptions options = kSmall;
  options.most_windows = 30;
  const KernelModelFit fit = fit_kernel_model(all_windows(dataset), options, pool);
  ASSERT_EQ(fit.windows.size(), 30U);
  std::size_t rare = 0;
  for (const std::uint32_t number : fit.windows) rare += number % 20 == 0 ? 1 : 0;
  EXPECT_EQ(rare, 5U);  // all of them
  options.most_values = 30 * 1'000;
  EXPECT_LE(fit_kernel_model(all_windows(dataset), options, pool).model.parts().features.rocket_count(), 1'000U);
}

// Overlapping windows are alike: to leave out one alone would be to leave out nothing.
TEST(KernelModel, NeighboursInTimeAreLeftOutTogether) {
  Dataset dataset{.name = "noise", .channels = {"a"}, .classes = {"normal", "anomalous"}};
  Random random(7);
  Series series{.name = "all", .part = DataPart::kTrain, .values = Matrix<float>(1'200, 1)};
  series.labels.assign(1'200, 0);
  for (std::size_t t = 0; t < 1'200; ++t) {
    series.values(t, 0) = static_cast<float>(random.normal());
    series.labels[t] = t / 60 % 2 == 0 ? 0 : 1;  // has nothing to do with the values
  }
  dataset.series.push_back(series);
  ThreadPool pool(2);
  const Windows windows = all_windows(dataset, {.length = 20, .stride = 4, .label_rule = LabelRule::kLast});
  const KernelModelFit fit = fit_kernel_model(windows, kSmall, pool);
  EXPECT_LT(accuracy(fit.held_out, windows), 0.65);
  EXPECT_GT(fit.log_loss, 0.6);
}

// Files of former versions have no bound, and give the scores of those versions.
TEST(KernelModel, WithoutABoundNothingIsBounded) {
  const Dataset dataset = waves(std::vector<std::size_t>(8, 10), 1);
  ThreadPool pool(1);
  const KernelModel model =
      fit_kernel_model(all_windows(dataset), {.features = {.biases = 84, .groups = 2}}, pool).model;
  const KernelArrays arrays(model);
  std::vector<SafetensorsEntry> entries = arrays.entries();
  std::erase_if(entries, [](const SafetensorsEntry& entry) { return entry.name == "kernels.bound"; });
  EXPECT_EQ(model.parts().scale.bound, 3);
  EXPECT_EQ(read_kernel_model(parse_safetensors(safetensors_bytes(entries), "file")).parts().scale.bound, INFINITY);
}

TEST(KernelModel, DamagedArrays) {
  const Dataset dataset = waves(std::vector<std::size_t>(6, 10), 1);
  ThreadPool pool(1);
  const KernelModelFit fit = fit_kernel_model(all_windows(dataset), {.features = {.biases = 84, .groups = 2}}, pool);
  const KernelArrays arrays(fit.model);
  for (std::size_t i = 0; i < arrays.entries().size(); ++i) {
    std::vector<SafetensorsEntry> entries = arrays.entries();
    if (entries[i].bytes.empty()) continue;
    // One element less, then none.
    std::size_t count = entries[i].bytes.size() / dtype_size(entries[i].dtype) - 1;
    entries[i].shape = {count};
    entries[i].bytes = entries[i].bytes.substr(0, count * dtype_size(entries[i].dtype));
    rejection([&] { read_kernel_model(parse_safetensors(safetensors_bytes(entries), "file")); });
    const bool is_bound = entries[i].name == "kernels.bound";  // former versions had none
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(i));
    if (is_bound) continue;
    rejection([&] { read_kernel_model(parse_safetensors(safetensors_bytes(entries), "file")); });
  }
}

// A split may leave a class without a training window.
TEST(KernelModel, AClassWithoutWindowsIsNeverProbable) {
  Dataset dataset = testing::waves(std::vector<std::size_t>(24, 40), 1, 3);
  std::erase_if(dataset.series, [](const Series& series) { return series.label == 1; });
  const Windows windows = testing::all_windows(dataset);
  ThreadPool pool(1);
  const KernelModelFit fit = fit_kernel_model(windows, {.features = {.biases = 200, .groups = 4}}, pool);
  EXPECT_TRUE(std::isfinite(fit.log_loss));
  const Matrix<float> probabilities = probabilities_of(fit.model, windows, pool);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    EXPECT_LT(probabilities(i, 1), 0.5F);
    EXPECT_GT(probabilities(i, static_cast<std::size_t>(windows[i].label)), 0.5F);
  }
}

TEST(KernelModel, NeedsTwoLabelledWindows) {
  const Dataset dataset = waves({10}, 1);
  ThreadPool pool(1);
  EXPECT_EQ(rejection([&] { fit_kernel_model(all_windows(dataset), kSmall, pool); }),
            "waves: expected at least 2 labelled windows, found 1");
}

}  // namespace
}  // namespace faithful
