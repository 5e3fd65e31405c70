#include "faithful/train/answers.h"

#include <algorithm>
#include <cassert>

namespace faithful {

std::vector<double> scores_of(const Matrix<float>& probabilities) {
  assert(probabilities.columns >= 2);
  std::vector<double> scores(probabilities.rows);
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = static_cast<double>(probabilities(i, 1));
  return scores;
}

std::vector<std::int32_t> most_probable(const Matrix<float>& probabilities) {
  std::vector<std::int32_t> chosen(probabilities.rows);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto row = probabilities.row(i);
    chosen[i] = static_cast<std::int32_t>(std::max_element(row.begin(), row.end()) - row.begin());
  }
  return chosen;
}

std::vector<std::int32_t> decide(const Matrix<float>& probabilities, double threshold) {
  if (probabilities.columns != 2) return most_probable(probabilities);
  std::vector<std::int32_t> chosen(probabilities.rows);
  for (std::size_t i = 0; i < chosen.size(); ++i)
    chosen[i] = static_cast<double>(probabilities(i, 1)) >= threshold ? 1 : 0;
  return chosen;
}

}  // namespace faithful
