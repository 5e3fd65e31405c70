#include "faithful/model/ensemble.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"

namespace faithful {

namespace {

constexpr double kLeastProbability = 1e-30;  // smaller ones count as this: their logarithm is finite

double log_of(double probability) {
  return std::log(std::max(probability, kLeastProbability));  // no number stays no number
}

}  // namespace

void add_probabilities(std::span<const float> logits, std::size_t classes, double weight, std::span<double> sums) {
  if (classes == 2) {
    for (std::size_t i = 0; i < logits.size(); ++i) {
      const auto z = static_cast<double>(logits[i]);
      sums[2 * i] += weight / (1 + std::exp(z));
      sums[2 * i + 1] += weight / (1 + std::exp(-z));
    }
    return;
  }
  for (std::size_t first = 0; first < logits.size(); first += classes) {
    const std::span<const float> row = logits.subspan(first, classes);
    const auto most = static_cast<double>(*std::ranges::max_element(row));
    double total = 0;
    for (const float z : row) total += std::exp(static_cast<double>(z) - most);
    for (std::size_t k = 0; k < classes; ++k)
      sums[first + k] += weight * std::exp(static_cast<double>(row[k]) - most) / total;
  }
}

void logits_of_sums(std::span<const double> sums, std::size_t classes, double temperature, std::span<float> logits) {
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double z = classes == 2 ? log_of(sums[2 * i + 1]) - log_of(sums[2 * i]) : log_of(sums[i]);
    logits[i] = static_cast<float>(z / temperature);
  }
}

Ensemble::Ensemble(std::vector<EnsembleMember> members, double temperature, const std::string& place)
    : members_(std::move(members)), temperature_(temperature) {
  if (members_.empty() || members_.size() > kMostMembers)
    reject({{place}, fmt::format("1 to {} members", kMostMembers), fmt::format("{}", members_.size())});
  if (!(temperature > 0 && std::isfinite(temperature)))
    reject({{place}, "a temperature above 0", fmt::format("{}", temperature)});
  double sum = 0;
  const WindowShape first = members_[0].model->shape();
  for (const EnsembleMember& member : members_) {
    if (!(member.weight > 0 && std::isfinite(member.weight)))
      reject({{place}, "weights above 0", fmt::format("{}", member.weight)});
    const WindowShape shape = member.model->shape();
    if (shape.channels != first.channels || shape.length != first.length || shape.classes != first.classes)
      reject({{place}, "members that take the same windows", "other channels, samples or classes"});
    sum += member.weight;
  }
  if (std::fabs(sum - 1) < 1e-12) return;  // as a file has them: read and written, they keep their bits
  for (EnsembleMember& member : members_) member.weight /= sum;
}

// Positions are times if they are for one of the members.
WindowShape Ensemble::shape() const {
  WindowShape shape = members_[0].model->shape();
  for (const EnsembleMember& member : members_)
    shape.time_step = std::max(shape.time_step, member.model->shape().time_step);
  return shape;
}

std::size_t Ensemble::weight_count() const {
  std::size_t count = 0;
  for (const EnsembleMember& member : members_) count += member.model->weight_count();
  return count;
}

std::size_t Ensemble::batch() const {
  std::size_t least = members_[0].model->batch();
  for (const EnsembleMember& member : members_) least = std::min(least, member.model->batch());
  return least;
}

void Ensemble::logits_into(const Samples<float>& samples, std::span<float> logits) const {
  const std::size_t classes = shape().classes;
  std::vector<double> sums(samples.count * classes);
  std::vector<float> own(logits.size());
  for (const EnsembleMember& member : members_) {
    member.model->logits_into(samples, own);
    add_probabilities(own, classes, member.weight, sums);
  }
  logits_of_sums(sums, classes, temperature_, logits);
}

}  // namespace faithful
