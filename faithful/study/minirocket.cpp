#include "faithful/study/minirocket.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include <Eigen/Cholesky>

#include "faithful/base/random.h"
#include "faithful/metrics/decide.h"
#include "faithful/metrics/ranking.h"
#include "faithful/metrics/summary.h"
#include "faithful/model/classifier.h"

namespace faithful {

namespace {

constexpr std::size_t kTaps = 9, kHalf = kTaps / 2, kKernels = 84;
constexpr std::size_t kMostDilations = 6, kMostChannels = 9;
constexpr double kGolden = 0.6180339887498949;
using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The three places with weight 2 of each kernel.
std::vector<std::array<std::size_t, 3>> kernel_places() {
  std::vector<std::array<std::size_t, 3>> places;
  for (std::size_t a = 0; a < kTaps; ++a)
    for (std::size_t b = a + 1; b < kTaps; ++b)
      for (std::size_t c = b + 1; c < kTaps; ++c) places.push_back({a, b, c});
  return places;
}

// 1 .. (length - 1) / 8, evenly on a logarithmic scale, each once.
std::vector<std::size_t> dilations_of(std::size_t length) {
  const double most = std::max(1.0, static_cast<double>(length - 1) / (kTaps - 1));
  std::vector<std::size_t> dilations;
  for (std::size_t i = 0; i < kMostDilations; ++i) {
    const auto dilation =
        static_cast<std::size_t>(std::pow(most, static_cast<double>(i) / (kMostDilations - 1)) + 1e-9);
    if (dilations.empty() || dilations.back() != dilation) dilations.push_back(dilation);
  }
  return dilations;
}

// At most `most` numbers of 0 .. count - 1, evenly spread.
std::vector<std::uint32_t> spread(std::size_t count, std::size_t most) {
  std::vector<std::uint32_t> numbers(std::min(count, most));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(count * i / numbers.size());
  return numbers;
}

// [n, F] of the windows of these numbers.
RowMajor feature_matrix(const MinirocketFeatures& features, const Windows& windows,
                        std::span<const std::uint32_t> numbers, ThreadPool& pool) {
  const std::size_t each = windows.length() * windows.channels();
  RowMajor matrix(static_cast<Eigen::Index>(numbers.size()), static_cast<Eigen::Index>(features.count()));
  pool.run(numbers.size(), [&](std::size_t i) {
    std::vector<float> values(each);
    windows.fill_into(numbers.subspan(i, 1), {.values = values}, pool);
    features.features_into(values, windows[numbers[i]].length,
                           {matrix.data() + i * features.count(), features.count()});
  });
  return matrix;
}

// Ridge regression of the classes (one against the others) on standardized features, every class weighing the same.
class Ridge {
 public:
  Ridge(RowMajor x, const std::vector<std::int32_t>& labels, std::size_t classes) : classes_(classes) {
    mean_ = x.colwise().mean();
    x.rowwise() -= mean_;
    factor_ = (x.colwise().squaredNorm() / static_cast<float>(x.rows())).cwiseSqrt();
    for (float& value : factor_) value = value > 1e-6F ? 1 / value : 0;
    x = x * factor_.asDiagonal();
    std::vector<double> counts(classes);
    for (const std::int32_t label : labels) counts[static_cast<std::size_t>(label)] += 1;
    Eigen::VectorXf weights(x.rows());
    Eigen::MatrixXf targets(x.rows(), outputs());
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      const auto label = static_cast<std::size_t>(labels[static_cast<std::size_t>(i)]);
      weights[i] =
          static_cast<float>(static_cast<double>(labels.size()) / (static_cast<double>(classes) * counts[label]));
      for (Eigen::Index k = 0; k < outputs(); ++k)
        targets(i, k) = (outputs() == 1 ? label == 1 : label == static_cast<std::size_t>(k)) ? 1.0F : -1.0F;
    }
    // The offset is the weighted mean of the targets; the features are centred, so it is nearly apart from the rest.
    offset_ = (weights.transpose() * targets) / weights.sum();
    targets.rowwise() -= offset_;
    const Eigen::MatrixXf weighted = weights.asDiagonal() * x;
    gram_ = (x.transpose() * weighted).cast<double>();
    right_ = (weighted.transpose() * targets).cast<double>();
  }

  void solve(double penalty) {
    Eigen::MatrixXd system = gram_;
    system.diagonal().array() += penalty * 1e-4 * std::max(gram_.diagonal().mean(), 1e-12);
    coefficients_ = system.llt().solve(right_).cast<float>();
  }

  // [n, K] of features as they come.
  Matrix<float> probabilities(RowMajor x) const {
    x.rowwise() -= mean_;
    const RowMajor margins = ((x * factor_.asDiagonal()) * coefficients_).rowwise() + offset_;
    Matrix<float> answers(static_cast<std::size_t>(x.rows()), classes_);
    probabilities_into<float>({margins.data(), static_cast<std::size_t>(margins.size())}, classes_, answers.values);
    return answers;
  }

 private:
  Eigen::Index outputs() const { return classes_ == 2 ? 1 : static_cast<Eigen::Index>(classes_); }
  std::size_t classes_;
  Eigen::RowVectorXf mean_, factor_, offset_;
  Eigen::MatrixXd gram_, right_;
  Eigen::MatrixXf coefficients_;
};

struct Fitted {
  MinirocketFeatures features;
  Ridge ridge;
};

Fitted fit_on(const Windows& train, const MinirocketOptions& options, ThreadPool& pool) {
  MinirocketFeatures features(train, options, pool);
  const std::vector<std::uint32_t> numbers = spread(train.size(), options.most_train);
  std::vector<std::int32_t> labels;
  for (const std::uint32_t number : numbers) labels.push_back(train[number].label);
  Ridge ridge(feature_matrix(features, train, numbers, pool), labels, train.classes());
  return {std::move(features), std::move(ridge)};
}

Matrix<float> answers_to(const Fitted& fitted, const Windows& windows, ThreadPool& pool) {
  constexpr std::size_t kAtATime = 2048;
  Matrix<float> answers(windows.size(), windows.classes());
  for (std::size_t first = 0; first < windows.size(); first += kAtATime) {
    std::vector<std::uint32_t> numbers(std::min(kAtATime, windows.size() - first));
    std::iota(numbers.begin(), numbers.end(), static_cast<std::uint32_t>(first));
    const Matrix<float> own = fitted.ridge.probabilities(feature_matrix(fitted.features, windows, numbers, pool));
    std::ranges::copy(own.values, answers.row(first).data());
  }
  return answers;
}

struct Choice {
  double penalty = 1, threshold = 0.5;
};

// By the area under the precision-recall curve for two classes, by accuracy for more.
Choice choose(Fitted& fitted, const Windows& held, const MinirocketOptions& options, ThreadPool& pool) {
  Choice best;
  double most = -1;
  std::vector<std::uint32_t> all(held.size());
  std::iota(all.begin(), all.end(), 0U);
  const RowMajor features = feature_matrix(fitted.features, held, all, pool);
  for (const double penalty : options.penalties) {
    fitted.ridge.solve(penalty);
    const Matrix<float> answers = fitted.ridge.probabilities(features);
    const Scores scores = score_predictions(answers, held.labels(), {});
    const double value = scores.auc_pr.value_or(scores.report.accuracy);
    if (value <= most) continue;
    most = value;
    best.penalty = penalty;
    if (!scores.binary) continue;
    const auto threshold = RankedScores(scores_of(answers), flags_of(held.labels())).best_f1();
    best.threshold = threshold ? threshold->value : 0.5;
  }
  return best;
}

}  // namespace

MinirocketFeatures::MinirocketFeatures(const Windows& train, const MinirocketOptions& options, ThreadPool& pool)
    : channels_(train.channels()) {
  const std::vector<std::size_t> dilations = dilations_of(train.length());
  const std::size_t each = std::max<std::size_t>(1, options.features / (kKernels * dilations.size()));
  Random random(options.seed, stream_of("study.minirocket"));
  std::vector<float> values(train.length() * channels_), sum, product;
  for (std::size_t d = 0; d < dilations.size(); ++d) {
    for (std::size_t k = 0; k < kKernels; ++k) {
      Combination one{k, dilations[d], (d + k) % 2 == 0, {}, {}};
      const double most = std::log2(static_cast<double>(std::min(kMostChannels, channels_)) + 1);
      const auto wanted = static_cast<std::size_t>(std::exp2(random.uniform(0, most)));
      std::vector<std::size_t> order(channels_);
      std::iota(order.begin(), order.end(), std::size_t{0});
      random.shuffle(std::span(order));
      one.channels.assign(order.begin(),
                          order.begin() + static_cast<std::ptrdiff_t>(std::clamp<std::size_t>(wanted, 1, channels_)));
      const std::uint32_t number[] = {static_cast<std::uint32_t>(random.below(train.size()))};
      train.fill_into(number, {.values = values}, pool);
      product_into(one, values, train[number[0]].length, sum, product);
      const std::vector<double> seen(product.begin(), product.end());
      for (std::size_t q = 0; q < each; ++q) {
        const double share = std::fmod(static_cast<double>(count_ + q + 1) * kGolden, 1.0);
        one.biases.push_back(seen.empty() ? 0 : static_cast<float>(quantile(seen, share)));
      }
      count_ += each;
      combinations_.push_back(std::move(one));
    }
  }
}

// -1 at all nine places and 3 more at three of them.
void MinirocketFeatures::product_into(const Combination& one, std::span<const float> values, std::size_t length,
                                      std::vector<float>& sum, std::vector<float>& out) const {
  static const std::vector<std::array<std::size_t, 3>> places = kernel_places();
  const std::size_t reach = kHalf * one.dilation;
  sum.assign(length + 2 * reach, 0);  // zeros at both ends
  for (const std::size_t c : one.channels)
    for (std::size_t t = 0; t < length; ++t) sum[reach + t] += values[t * channels_ + c];
  const bool padded = one.padded || length <= 2 * reach;
  const std::size_t begin = padded ? 0 : reach, end = padded ? length : length - reach;
  out.resize(end - begin);
  const std::array<std::size_t, 3>& three = places[one.kernel];
  for (std::size_t t = begin; t < end; ++t) {
    const float* at = sum.data() + t;
    float all = 0;
    for (std::size_t tap = 0; tap < kTaps; ++tap) all += at[tap * one.dilation];
    out[t - begin] =
        3 * (at[three[0] * one.dilation] + at[three[1] * one.dilation] + at[three[2] * one.dilation]) - all;
  }
}

void MinirocketFeatures::features_into(std::span<const float> values, std::size_t length, std::span<float> out) const {
  std::vector<float> sum, product;
  std::size_t at = 0;
  for (const Combination& one : combinations_) {
    product_into(one, values, length, sum, product);
    for (const float bias : one.biases) {
      const auto above = std::count_if(product.begin(), product.end(), [&](float value) { return value > bias; });
      out[at++] = static_cast<float>(above) / static_cast<float>(product.size());
    }
  }
}

Baseline score_minirocket(const WindowSets& sets, const WindowSets* fold, const MinirocketOptions& options,
                          const ScoreOptions& scoring, ThreadPool& pool) {
  Fitted fitted = fit_on(sets.train, options, pool);
  Choice choice;
  if (fold != nullptr) {
    Fitted chooser = fit_on(fold->train, options, pool);
    choice = choose(chooser, fold->validation, options, pool);
  } else if (sets.validation.size() > 0) {
    choice = choose(fitted, sets.validation, options, pool);
  }
  fitted.ridge.solve(choice.penalty);
  ScoreOptions at = scoring;
  at.threshold = choice.threshold;
  return {"MiniRocket-style", choice.threshold, score_predictions(answers_to(fitted, sets.test, pool), sets.test, at)};
}

}  // namespace faithful
