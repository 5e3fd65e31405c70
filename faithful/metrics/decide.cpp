#include "faithful/metrics/decide.h"

#include <algorithm>

namespace faithful {

namespace {

std::int32_t largest(std::span<const float> probabilities) {
  return static_cast<std::int32_t>(std::ranges::max_element(probabilities) - probabilities.begin());
}

}  // namespace

std::int32_t decide(std::span<const float> probabilities, double threshold) {
  if (probabilities.size() == 2) return static_cast<double>(probabilities[1]) >= threshold ? 1 : 0;
  return largest(probabilities);
}

std::vector<std::int32_t> decide(const Matrix<float>& probabilities, double threshold) {
  std::vector<std::int32_t> classes(probabilities.rows);
  for (std::size_t i = 0; i < classes.size(); ++i) classes[i] = decide(probabilities.row(i), threshold);
  return classes;
}

std::vector<std::int32_t> most_probable(const Matrix<float>& probabilities) {
  std::vector<std::int32_t> classes(probabilities.rows);
  for (std::size_t i = 0; i < classes.size(); ++i) classes[i] = largest(probabilities.row(i));
  return classes;
}

std::vector<double> scores_of(const Matrix<float>& probabilities, std::size_t class_number) {
  std::vector<double> scores(probabilities.rows);
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = static_cast<double>(probabilities(i, class_number));
  return scores;
}

}  // namespace faithful
