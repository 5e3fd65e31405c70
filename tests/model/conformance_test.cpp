// Whole classifiers against PyTorch in float64 with the same weights, on the cases that make_golden.py wrote: outputs
// and the gradients of all parameters, relative 1e-9 in double. In float, relative 1e-4, or what rounding alone may do,
// where this is more.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "faithful/base/random.h"
#include "faithful/encoding/catalog.h"
#include "faithful/model/classifier.h"
#include "tests/model/golden.h"

namespace faithful {
namespace {

using engine::Tape;
using engine::Tensor;
using testing::Golden;
using testing::GoldenTensor;

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::fabs(value));
  return most;
}

std::vector<std::size_t> sizes_of(const engine::Shape& shape) {
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < shape.rank(); ++i) sizes.push_back(shape[i]);
  return sizes;
}

template <class T>
bool load_weights(const Golden& golden, Classifier<T>& model) {
  std::size_t weights = 0;
  for (const auto& [name, tensor] : golden.tensors) weights += name.starts_with("weight:") ? 1 : 0;
  EXPECT_EQ(weights, model.parameters().entries().size());
  for (const engine::ParameterEntry& entry : model.parameters().entries()) {
    const auto found = golden.tensors.find("weight:" + entry.name);
    const bool fits = found != golden.tensors.end() && std::ranges::equal(found->second.shape, sizes_of(entry.shape)) &&
                      found->second.values.size() == entry.shape.count();
    EXPECT_TRUE(fits) << entry.name;
    if (!fits) return false;
    const GoldenTensor& tensor = found->second;
    std::transform(tensor.values.begin(), tensor.values.end(),
                   model.parameters().mutable_values().begin() + static_cast<std::ptrdiff_t>(entry.offset),
                   [](double value) { return static_cast<T>(value); });
  }
  return true;
}

// The outputs of our model, and the gradients of its parameters, by their names in the golden file.
using Results = std::map<std::string, std::vector<double>>;

template <class T>
Results results_of(const Golden& golden) {
  Classifier<T> model(golden.config);
  if (!load_weights(golden, model)) return {};
  const std::vector<T> x = golden.numbers<T>("x"), times = golden.numbers<T>("times"), mix = golden.numbers<T>("mixer");
  const std::vector<std::uint8_t> valid = golden.numbers<std::uint8_t>("valid");
  std::vector<T> gradients(model.parameters().size());
  Tape<T> tape;
  tape.begin(model.parameters(), {.record = true, .training = true, .gradients = gradients});
  const Tensor<T> out = model.logits(tape, {golden.tensors.at("x").shape[0], x, valid, times});
  const std::size_t count = out.shape.count();
  Results results = {{"out", {out.data, out.data + count}}};
  tape.backward(linear(tape, tape.reshape(out, {1, count}), tape.input(mix.data(), {1, count})));
  for (const engine::ParameterEntry& entry : model.parameters().entries()) {
    if (entry.statistic) continue;
    const T* gradient = gradients.data() + entry.offset;
    results["gradient:" + entry.name] = {gradient, gradient + entry.shape.count()};
  }
  return results;
}

// The same case, with each weight and sample moved by up to half a unit of the last place of a float.
Golden moved(Golden golden) {
  Random random(1);
  for (auto& [name, tensor] : golden.tensors) {
    if (name != "x" && !name.starts_with("weight:")) continue;
    for (double& value : tensor.values) value *= 1 + random.uniform(-1, 1) * 0x1p-24;
  }
  return golden;
}

// What each result may be off by in float, whoever computes it, by its name. Two things count:
// - How far roundings of weights and samples move it. A result passes through dozens of operators, each of which
//   rounds, so it may move further: kRoundings times.
// - A few roundings of the model's largest gradient. Parameters of a bias of logits have much smaller gradients. They
//   are sums of terms of both signs, which cancel, because softmax ignores what all keys share: such a sum keeps the
//   roundings of its terms.
std::map<std::string, double> rounding_in_float(const Golden& golden) {
  constexpr double kRoundings = 64;
  double most = 0;
  for (const auto& [name, tensor] : golden.tensors)
    if (name.starts_with("gradient:")) most = std::max(most, largest(tensor.values));
  std::map<std::string, double> rounding;
  for (auto [name, values] : results_of<double>(moved(golden))) {
    const std::vector<double>& exact = golden.tensors.at(name).values;
    for (std::size_t i = 0; i < exact.size(); ++i) values[i] -= exact[i];
    rounding[name] = std::max(kRoundings * largest(values), name == "out" ? 0 : 4 * 0x1p-24 * most);
  }
  return rounding;
}

// Relative to the tensor's greatest magnitude; a gradient that is zero in truth (that of the keys' bias, which softmax
// ignores) to 1. Or its rounding, where that is more.
void expect_close(const Results& ours, const Golden& golden, double tolerance,
                  const std::map<std::string, double>& rounding) {
  ASSERT_FALSE(ours.empty());
  for (const auto& [name, values] : ours) {
    const std::vector<double>& theirs = golden.tensors.at(name).values;
    ASSERT_EQ(values.size(), theirs.size()) << name;
    const double norm = largest(theirs);
    const double relative = tolerance * (norm < 1e-12 ? 1 : norm);
    const double allowed = rounding.empty() ? relative : std::max(relative, rounding.at(name));
    for (std::size_t i = 0; i < theirs.size(); ++i)
      ASSERT_NEAR(values[i], theirs[i], allowed) << name << " at " << i << ", whose largest value is " << norm;
  }
}

std::vector<std::filesystem::path> cases() {
  std::vector<std::filesystem::path> all;
  for (const auto& file : std::filesystem::directory_iterator(testing::golden_folder())) {
    if (file.path().extension() == ".txt") all.push_back(file.path());
  }
  std::sort(all.begin(), all.end());
  return all;
}

TEST(ModelConformance, EveryEncodingHasACase) {
  std::set<std::string> covered;
  for (const auto& path : cases()) covered.insert(Golden(path.string()).config.position.encoding);
  for (const CatalogEntry& entry : encoding_catalog()) EXPECT_EQ(covered.count(entry.name), 1U) << entry.name;
}

TEST(ModelConformance, DoubleEqualsPyTorch) {
  for (const auto& path : cases()) {
    SCOPED_TRACE(path.stem().string());
    const Golden golden(path.string());
    expect_close(results_of<double>(golden), golden, 1e-9, {});
  }
}

TEST(ModelConformance, FloatEqualsPyTorch) {
  for (const auto& path : cases()) {
    SCOPED_TRACE(path.stem().string());
    const Golden golden(path.string());
    expect_close(results_of<float>(golden), golden, 1e-4, rounding_in_float(golden));
  }
}

}  // namespace
}  // namespace faithful
