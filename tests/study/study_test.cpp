#include "faithful/study/study.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "faithful/base/sha256.h"
#include "faithful/model/infer.h"
#include "faithful/study/controls.h"
#include "faithful/study/minirocket.h"
#include "tests/study/study_support.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::made_dataset;
using testing::made_options;
using testing::rejection;
using testing::TemporaryFolder;
using testing::text_of;

TEST(Arms, EncodingsTimesScales) {
  std::vector<std::string> names;
  for (const Arm& arm : make_arms({"none", "sinusoidal", "rope", "dft"}, {"unit", "matched"}))
    names.push_back(to_string(arm));
  EXPECT_EQ(names, (std::vector<std::string>{"none", "sinusoidal unit", "sinusoidal matched", "rope", "dft unit",
                                             "dft matched"}));
  EXPECT_EQ(make_arms({"none", "sinusoidal:matched", "dft"}, {"unit", "decaying"}),
            (std::vector<Arm>{{"none"}, {"sinusoidal", "matched"}, {"dft", "unit"}, {"dft", "decaying"}}));
  EXPECT_NE(rejection([] { make_arms({"dft:unit", "dft"}, {"unit"}); }).find("twice"), std::string::npos);
  EXPECT_NE(rejection([] { make_arms({"dft:huge"}, {"unit"}); }).find("encodings:"), std::string::npos);
  EXPECT_NE(rejection([] { make_arms({"rope:unit"}, {"unit"}); }).find("rope has no scale"), std::string::npos);
  EXPECT_NE(rejection([] { make_arms({"sinusodal"}, {"unit"}); }).find("did you mean sinusoidal?"), std::string::npos);
  EXPECT_NE(rejection([] { make_arms({"dft", "dft"}, {"unit"}); }).find("twice"), std::string::npos);
  EXPECT_NE(rejection([] { make_arms({"dft"}, {"huge"}); }).find("scale:"), std::string::npos);
}

TEST(Arms, NormLevels) {
  ModelConfig config = preset("plain");
  config.input.length = 20;
  EXPECT_EQ(norm_level(config, {"none"}), "none");
  EXPECT_EQ(norm_level(config, {"sinusoidal"}), "matched");
  EXPECT_EQ(norm_level(config, {"sinusoidal", "unit"}), "unit");
  EXPECT_EQ(norm_level(config, {"dft"}), "unit");
  EXPECT_EQ(norm_level(config, {"dft", "matched"}), "matched");
  EXPECT_EQ(norm_level(config, {"dft", "3"}), "norm 3");
  EXPECT_EQ(norm_level(config, {"learned"}), "own");
  EXPECT_EQ(norm_level(config, {"alibi"}), "own");
}

TEST(StudyPlan, EveryJobHasItsOwnKey) {
  const Dataset dataset = made_dataset();
  const StudyPlan plan(dataset, made_options());
  std::vector<StudyJob> jobs = plan.rate_jobs();
  for (const StudyJob& job : plan.jobs(plan.choose_rates({}))) jobs.push_back(job);
  std::set<std::string> keys;
  for (const StudyJob& job : jobs) keys.insert(job.key);
  EXPECT_EQ(keys.size(), jobs.size());
  // none, and two arms each at two norms, at two rates; two seeds of three arms and the baselines; MiniRocket once
  EXPECT_EQ(jobs.size(), (1 + 2 + 2) * 2 + 2 * (3 + 1) + 1U);
}

TEST(StudyPlan, WhatDecidesIsInTheKey) {
  const Dataset dataset = made_dataset();
  const auto first_key = [&](const Dataset& of, const StudyOptions& options) {
    const StudyPlan plan(of, options);
    return plan.jobs(plan.choose_rates({})).front().key;
  };
  const std::string key = first_key(dataset, made_options());
  EXPECT_EQ(first_key(dataset, made_options()), key);
  StudyOptions options = made_options();
  options.fit.train.epochs = 3;
  EXPECT_NE(first_key(dataset, options), key);
  options = made_options();
  options.fit.model.body.dropout = 0.3;
  EXPECT_NE(first_key(dataset, options), key);
  options = made_options();
  options.fit.split.window.stride = 7;
  EXPECT_NE(first_key(dataset, options), key);
  options = made_options();
  options.seeds = 5;  // more seeds do not make the others different
  EXPECT_EQ(first_key(dataset, options), key);
  Dataset other = dataset;
  other.series[1].values(899, 1) += 1;
  EXPECT_NE(first_key(other, made_options()), key);
}

// Runs from before scaling was a setting are found again: series where the split divides timelines, else common.
TEST(StudyPlan, TheFormerScalingIsNotInTheKey) {
  const Dataset dataset = made_dataset();
  const auto names_scaling = [&](SplitKind kind, Scaling scaling) {
    StudyOptions options = made_options();
    options.fit.split.kind = kind;
    options.fit.scaling = scaling;
    const StudyPlan plan(dataset, options);
    const auto& fields = plan.settings().fields;
    return std::ranges::any_of(fields, [](const auto& field) { return field.first == "scaling"; });
  };
  EXPECT_FALSE(names_scaling(SplitKind::kBlocked, Scaling::kSeries));
  EXPECT_FALSE(names_scaling(SplitKind::kRandom, Scaling::kSeries));
  EXPECT_FALSE(names_scaling(SplitKind::kSeries, Scaling::kCommon));
  EXPECT_TRUE(names_scaling(SplitKind::kBlocked, Scaling::kCommon));
  EXPECT_TRUE(names_scaling(SplitKind::kSeries, Scaling::kWindow));
  EXPECT_TRUE(names_scaling(SplitKind::kBlocked, Scaling::kAuto)) << "chosen before the key is made";
}

TEST(StudyPlan, KeysHoldTheFormerNameOfAnEncoding) {
  const Dataset dataset = testing::made_dataset();
  StudyOptions options = testing::made_options();
  options.arms = make_arms({"rotation"}, {"unit"});
  const StudyPlan plan(dataset, options);
  const StudyJob job = plan.jobs(plan.choose_rates({})).front();
  const std::string text = fmt::format("{}\n{}\nhaar\nunit\nfalse\n{}\n{}", plan.settings().digest(),
                                       to_string(job.kind), job.seed, job.rate);
  EXPECT_EQ(job.key, sha256(text).substr(0, 16));
}

TEST(StudyPlan, RejectsWhatCannotBe) {
  const Dataset dataset = made_dataset();
  StudyOptions options = made_options();
  options.seeds = 0;
  EXPECT_NE(rejection([&] { StudyPlan(dataset, options); }).find("seeds:"), std::string::npos);
  options = made_options();
  options.arms = make_arms({"onehot"}, {"unit"});
  options.fit.split.window.length = 40;  // more than the width 16
  EXPECT_NE(rejection([&] { StudyPlan(dataset, options); }).find("onehot"), std::string::npos);
  options = made_options();
  options.rates = {0};
  EXPECT_NE(rejection([&] { StudyPlan(dataset, options); }).find("rates:"), std::string::npos);
}

TEST(StudyPlan, ChoosesTheRateThatEndsBestAndOfEqualOnesTheFaster) {
  const Dataset dataset = made_dataset();
  StudyOptions options = made_options();
  options.arms = make_arms({"none"}, {"unit"});
  options.rates = {0.004, 0.001, 0.002};
  const StudyPlan plan(dataset, options);
  const auto chosen_of = [&](const std::map<double, std::vector<double>>& validations) {
    std::vector<StudyRun> finished;
    for (const StudyJob& job : plan.rate_jobs()) {
      StudyRun run;
      run.key = job.key;
      run.validations = validations.at(job.rate);
      run.validation = run.validations.back();
      finished.push_back(run);
    }
    return plan.choose_rates(finished).at("none");
  };
  EXPECT_EQ(chosen_of({{0.001, {0.2, 0.3}}, {0.002, {0.1, 0.5}}, {0.004, {0.4, 0.4}}}), 0.002);
  EXPECT_EQ(chosen_of({{0.001, {0.2, 1}}, {0.002, {0.9, 1}}, {0.004, {0.8, 1}}}), 0.002);
  EXPECT_EQ(chosen_of({{0.001, {0.9, 1}}, {0.002, {0.9, 1}}, {0.004, {0.9, 1}}}), 0.001) << "the lowest of equals";
  EXPECT_EQ(chosen_of({{0.001, {NAN, NAN}}, {0.002, {0.1, 0.1}}, {0.004, {NAN, NAN}}}), 0.002);
}

TEST(Study, TheSameForAnyThreadsAndHoweverOftenStopped) {
  const Dataset dataset = made_dataset();
  StudyOptions options = made_options();
  options.arms = make_arms({"none", "dft"}, {"unit"});
  options.gap_seeds = 1;
  options.gap = {.distances = {1, 4}, .train = 8, .test = 4};
  options.minirocket = false;  // most of the time under ThreadSanitizer; tests/app/test_compare.py has it
  options.length_factor = 2;
  const StudyPlan plan(dataset, options);
  const StudyResult whole = run_study(plan, nullptr, {.threads = 1});
  EXPECT_FALSE(whole.stopped);

  const TemporaryFolder folder;
  std::atomic<std::size_t> finished = 0;  // told by one thread, asked by all
  std::size_t sittings = 0;
  while (true) {
    RunsFile file(folder / "runs.jsonl");
    const std::size_t until = finished + 2;  // stop after two more runs
    const StudyControl control{.threads = 2,
                               .stop = [&] { return finished >= until; },
                               .on_change = [&](const StudyState& state) { finished = state.done; }};
    const StudyResult result = run_study(plan, &file, control);
    ++sittings;
    if (result.stopped) continue;
    EXPECT_EQ(text_of(result.runs), text_of(whole.runs));
    EXPECT_GT(result.reused, 0U);
    break;
  }
  EXPECT_GT(sittings, 3U);
}

TEST(Study, TheEstimateIsOfWhatIsNotThereYet) {
  const Dataset dataset = made_dataset();
  StudyOptions options = made_options();
  options.rates = {1e-3};
  options.gap_seeds = 1;
  options.gap.train = 28;
  const StudyPlan plan(dataset, options);
  std::vector<StudyRun> all, without_gap, without_a_seed;
  for (const StudyJob& job : plan.jobs({})) {
    StudyRun run;
    run.key = job.key;
    all.push_back(run);
    if (job.kind != RunKind::kGap) without_gap.push_back(run);
    if (job.kind != RunKind::kRun || job.seed != 1) without_a_seed.push_back(run);
  }
  ASSERT_LT(without_gap.size(), all.size());
  EXPECT_EQ(estimate_seconds(plan, all, 1), 0);
  EXPECT_GT(estimate_seconds(plan, without_gap, 1), 0);
  EXPECT_GT(estimate_seconds(plan, without_a_seed, 1), 0);
}

TEST(Study, ArmsOfASeedArePaired) {
  const Dataset dataset = made_dataset();
  StudyOptions options = made_options();
  options.arms.push_back({"sinusoidal", "as-defined", true});
  options.rates = {1e-3};
  options.minirocket = false;
  const StudyResult result = run_study(StudyPlan(dataset, options), nullptr, {.threads = 2});
  const std::vector<StudyGroup> groups = group_runs(result.runs);
  ASSERT_EQ(groups.size(), 1U);
  const auto first = groups[0].runs_of({"sinusoidal"}), again = groups[0].runs_of({"sinusoidal", "as-defined", true});
  ASSERT_EQ(first.size(), 2U);
  ASSERT_EQ(again.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(first[i]->windows, again[i]->windows);
    EXPECT_NE(first[i]->losses, again[i]->losses);  // other weights, batches and dropout
    EXPECT_FALSE(first[i]->leaks);
    EXPECT_GT(first[i]->norm_ratio, 0);
    EXPECT_EQ(first[i]->precision.size(), kRecalls);
  }
  EXPECT_EQ(groups[0].others.size(), 2U);  // baselines of two seeds
  EXPECT_EQ(groups[0].others[0].others.size(), 3U);
}

class Controls : public ::testing::Test {
 protected:
  FitResult fit(const std::string& encoding, std::size_t period = 0) {
    FitOptions options = made_options().fit;
    options.model.position.encoding = encoding;
    options.model.position.own.set("period", period);
    options.train.epochs = 1;
    options.baselines = false;
    return fit_in_detail(dataset_, options, pool_);
  }
  Dataset dataset_ = made_dataset();
  ThreadPool pool_{1};
};

TEST_F(Controls, ShuffledTimeChangesNothingWithoutAnEncoding) {
  const FitResult blind = fit("none"), seeing = fit("sinusoidal");
  const auto largest_change = [&](const FitResult& result) {
    const Matrix<float> shuffled = score_shuffled(result.model.transformer()->classifier(), result.sets.test, 1, pool_);
    float change = 0;
    for (std::size_t i = 0; i < shuffled.values.size(); ++i)
      change = std::max(change, std::abs(shuffled.values[i] - result.test_probabilities.values[i]));
    return change;
  };
  EXPECT_LT(largest_change(blind), 1e-5F);
  EXPECT_GT(largest_change(seeing), 1e-3F);
}

TEST_F(Controls, MadeWindowsAreScoredLikeTheirOwn) {
  const FitResult result = fit("sinusoidal");
  const Windows& test = result.sets.test;
  const Matrix<float> made = score_made_windows(
      result.model.transformer()->classifier(), test.size(),
      [&](std::size_t i) {
        Series series{.values = Matrix<float>(test.length(), test.channels())};
        const std::uint32_t number[] = {static_cast<std::uint32_t>(i)};
        test.fill_into(number, {.values = series.values.values}, pool_);
        return series;
      },
      pool_);
  for (std::size_t i = 0; i < made.values.size(); ++i)
    EXPECT_NEAR(made.values[i], result.test_probabilities.values[i], 1e-6);
}

TEST_F(Controls, LongerWindowsWhereThereAreCodes) {
  EXPECT_FALSE(score_longer(fit("sinusoidal"), 2, 0, pool_).scores.empty());
  EXPECT_FALSE(score_longer(fit("alibi"), 2, 0, pool_).scores.empty());
  EXPECT_FALSE(score_longer(fit("dft", 32), 2, 0, pool_).scores.empty());
  for (const char* name : {"learned", "erpe", "tupe", "onehot", "rotation", "dft"}) {
    const LongerScores longer = score_longer(fit(name), 2, 0, pool_);
    EXPECT_TRUE(longer.scores.empty()) << name;
    EXPECT_NE(longer.note.find(name), std::string::npos) << longer.note;
  }
}

TEST_F(Controls, ProjectedCodesAreCodesTimesWeights) {
  const FitResult result = fit("dft");
  const Matrix<double> codes = added_codes(result.model.transformer()->classifier()),
                       projected = projected_codes(result.model.transformer()->classifier());
  const engine::ParameterEntry* entry =
      result.model.transformer()->classifier().parameters().find("layers.0.attention.qkv.weight");
  ASSERT_NE(entry, nullptr);
  ASSERT_EQ(codes.rows, 16U);
  ASSERT_EQ(projected.columns, 32U);  // queries and keys of width 16
  const std::span<const float> weights =
      result.model.transformer()->classifier().parameters().values().subspan(entry->offset, entry->shape.count());
  for (const auto& [s, r] : {std::pair<std::size_t, std::size_t>{0, 0}, {5, 31}, {15, 16}}) {
    double sum = 0;
    for (std::size_t k = 0; k < 16; ++k) sum += codes(s, k) * static_cast<double>(weights[r * 16 + k]);
    EXPECT_NEAR(projected(s, r), sum, 1e-12);
  }
  EXPECT_TRUE(projected_codes(fit("rope").model.transformer()->classifier()).values.empty());
  EXPECT_TRUE(projected_faithfulness(fit("none").model.transformer()->classifier(), pool_).empty());
  for (const char* name : {"learned", "learned-frequency", "mtan", "time2vec"})
    EXPECT_TRUE(projected_faithfulness(fit(name).model.transformer()->classifier(), pool_).get("stable_rank")) << name;
}

TEST_F(Controls, NormRatioOfCodesAndInput) {
  const FitResult result = fit("sinusoidal");
  const double as_defined = norm_ratio(result.model.transformer()->classifier(), result.sets.train, pool_);
  EXPECT_GT(as_defined, 0);
  EXPECT_TRUE(std::isnan(norm_ratio(fit("none").model.transformer()->classifier(), result.sets.train, pool_)));
  EXPECT_TRUE(std::isnan(norm_ratio(fit("alibi").model.transformer()->classifier(), result.sets.train, pool_)));
}

TEST(Scores, ReweightedToAnotherPrevalence) {
  Matrix<float> answers(6, 2);
  const std::vector<std::int32_t> labels{1, 1, 1, 0, 0, 0};
  const std::vector<float> positive{0.9F, 0.8F, 0.2F, 0.7F, 0.3F, 0.1F};
  for (std::size_t i = 0; i < 6; ++i) answers(i, 1) = positive[i], answers(i, 0) = 1 - positive[i];
  const Scores plain = score_predictions(answers, labels, {}),
               rare = score_predictions(answers, labels, {.prevalence = 0.03});
  const Confusion wanted = at_prevalence(*plain.binary, 0.03);
  EXPECT_NEAR(rare.binary->precision(), wanted.precision(), 1e-12);
  EXPECT_NEAR(rare.binary->recall(), plain.binary->recall(), 1e-12);
  EXPECT_LT(*rare.auc_pr, *plain.auc_pr);
  EXPECT_EQ(*rare.auc_roc, *plain.auc_roc);
}

TEST(GapProbe, OneEventInEachChannelAtTheDistanceOfItsName) {
  const GapProbeOptions options{.train = 28, .test = 2, .noise = 0};
  const Dataset dataset = make_gap_data(options);
  ASSERT_EQ(dataset.series.size(), 28U + 2 * 7);
  for (const Series& series : dataset.series) {
    std::ptrdiff_t at[2] = {-1, -1};
    for (std::size_t t = 0; t < 80; ++t)
      for (std::size_t c = 0; c < 2; ++c)
        if (series.values(t, c) != 0) at[c] = static_cast<std::ptrdiff_t>(t);
    ASSERT_GE(at[0], 0);
    ASSERT_GE(at[1], 0);
    EXPECT_EQ(std::abs(at[0] - at[1]), std::stol(series.name));
    EXPECT_EQ(series.label, at[0] < at[1] ? 1 : 0);
  }
}

// The definition, sample by sample.
std::vector<float> naive_product(std::span<const float> x, const std::vector<std::size_t>& twos, std::size_t dilation) {
  std::vector<float> out;
  for (std::size_t t = 0; t < x.size(); ++t) {
    float sum = 0;
    for (std::size_t k = 0; k < 9; ++k) {
      const auto at = static_cast<std::ptrdiff_t>(t + k * dilation) - static_cast<std::ptrdiff_t>(4 * dilation);
      const float weight = std::find(twos.begin(), twos.end(), k) == twos.end() ? -1.0F : 2.0F;
      if (at >= 0 && at < static_cast<std::ptrdiff_t>(x.size())) sum += weight * x[static_cast<std::size_t>(at)];
    }
    out.push_back(sum);
  }
  return out;
}

TEST(Minirocket, FeaturesAreSharesAboveTheBias) {
  // One channel, dilation 1, the first kernel (twos at 0, 1, 2), padded: a window with an impulse has products that are
  // known, and each feature is one of the shares that they allow.
  std::vector<float> x(17, 0);
  x[8] = 1;
  const std::vector<float> product = naive_product(x, {0, 1, 2}, 1);
  EXPECT_EQ(product[8 + 4], 2);  // weight 0 meets the impulse four samples later
  EXPECT_EQ(product[8], -1);
  Dataset dataset{.name = "impulses", .channels = {"a"}, .classes = {"normal", "anomalous"}};
  for (int i = 0; i < 8;
       ++i) {  // none twice, for equal windows are in one part only; lower ones than x allow the same shares
    Series series{.name = std::to_string(i), .values = Matrix<float>(17, 1, x)};
    series.values(8, 0) -= 0.001F * static_cast<float>(i);
    series.label = i % 2;
    dataset.series.push_back(series);
  }
  ThreadPool pool(1);
  const Split split(dataset, {.kind = SplitKind::kSeries, .window = {.length = 0}});
  const WindowSets sets = cut_windows(split, fit_scaler(split.train(), ScalerKind::kNone));
  const MinirocketFeatures features(sets.train, {.features = 84}, pool);
  std::vector<float> out(features.count());
  features.features_into(x, 17, out);
  // The bias is a quantile of the product of such a window.
  std::set<float> possible;
  for (const float bias : product)
    possible.insert(
        static_cast<float>(std::count_if(product.begin(), product.end(), [&](float v) { return v > bias; })) / 17);
  EXPECT_TRUE(possible.count(out[0]) == 1) << out[0];
  for (const float share : out) EXPECT_TRUE(share >= 0 && share <= 1);
}

TEST(Minirocket, FindsAPatternThatMeansDoNotShow) {
  Dataset dataset{.name = "waves", .channels = {"a"}, .classes = {"slow", "fast"}};
  Random random(3);
  for (int i = 0; i < 120; ++i) {
    Series series{.name = std::to_string(i), .values = Matrix<float>(60, 1)};
    series.label = i % 2;
    const double step = series.label == 1 ? 0.9 : 0.5, phase = random.uniform(0, 6);
    for (std::size_t t = 0; t < 60; ++t)
      series.values(t, 0) = static_cast<float>(std::sin(step * static_cast<double>(t) + phase) + 0.3 * random.normal());
    dataset.series.push_back(series);
  }
  ThreadPool pool(2);
  const Split split(dataset, {.kind = SplitKind::kSeries, .window = {.length = 0}});
  const WindowSets sets = cut_windows(split, fit_scaler(split.train()));
  const Baseline found = score_minirocket(sets, nullptr, {.features = 336}, {}, pool);
  EXPECT_GT(found.test.report.accuracy, 0.9);
}

}  // namespace
}  // namespace faithful
