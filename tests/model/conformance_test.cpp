// Whole classifiers against PyTorch in float64 with the same weights, on the cases that make_golden.py wrote: outputs
// and the gradients of all parameters, relative 1e-4 in float and 1e-9 in double.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "faithful/encoding/catalog.h"
#include "faithful/model/classifier.h"
#include "tests/model/golden.h"

namespace faithful {
namespace {

using engine::Tape;
using engine::Tensor;
using testing::Golden;
using testing::GoldenTensor;

// Relative to the tensor's greatest magnitude; a gradient that is zero in truth (that of the keys' bias, which softmax
// ignores) to 1.
template <class T>
void expect_close(const T* ours, const GoldenTensor& theirs, const std::string& name) {
  const double tolerance = sizeof(T) == 4 ? 1e-4 : 1e-9;
  double norm = 0;
  for (const double value : theirs.values) norm = std::max(norm, std::fabs(value));
  for (std::size_t i = 0; i < theirs.values.size(); ++i) {
    ASSERT_NEAR(static_cast<double>(ours[i]), theirs.values[i], tolerance * (norm < 1e-12 ? 1 : norm))
        << name << " at " << i;
  }
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

template <class T>
void compare(const Golden& golden) {
  Classifier<T> model(golden.config);
  if (!load_weights(golden, model)) return;
  const std::vector<T> x = golden.numbers<T>("x"), times = golden.numbers<T>("times"), mix = golden.numbers<T>("mixer");
  const std::vector<std::uint8_t> valid = golden.numbers<std::uint8_t>("valid");
  std::vector<T> gradients(model.parameters().size());
  Tape<T> tape;
  tape.begin(model.parameters(), {.record = true, .training = true, .gradients = gradients});
  const Tensor<T> out = model.logits(tape, {golden.tensors.at("x").shape[0], x, valid, times});
  const std::size_t count = out.shape.count();
  ASSERT_EQ(count, golden.tensors.at("out").values.size());
  expect_close(out.data, golden.tensors.at("out"), "out");
  tape.backward(linear(tape, tape.reshape(out, {1, count}), tape.input(mix.data(), {1, count})));
  for (const engine::ParameterEntry& entry : model.parameters().entries()) {
    if (entry.statistic) continue;
    expect_close(gradients.data() + entry.offset, golden.tensors.at("gradient:" + entry.name),
                 "gradient of " + entry.name);
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
    compare<double>(Golden(path.string()));
  }
}

TEST(ModelConformance, FloatEqualsPyTorch) {
  for (const auto& path : cases()) {
    SCOPED_TRACE(path.stem().string());
    compare<float>(Golden(path.string()));
  }
}

}  // namespace
}  // namespace faithful
