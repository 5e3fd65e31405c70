#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/model/infer.h"

namespace faithful {

// A model of an ensemble, and its share of the mean.
struct EnsembleMember {
  std::shared_ptr<const WindowModel> model = {};
  double weight = 1;  // above 0; they are divided by their sum
};

// Several models of the same windows as one: the weighted mean of their probabilities. A temperature then makes it more
// or less sure: p_k^(1/T), divided by the sum over the classes.
class FAITHFUL_API Ensemble final : public WindowModel {
 public:
  static constexpr std::size_t kMostMembers = 100;

  // InputError where members differ in shape or weights are impossible; `place` is used in the message.
  explicit Ensemble(std::vector<EnsembleMember> members, double temperature = 1, const std::string& place = "ensemble");

  const std::vector<EnsembleMember>& members() const { return members_; }
  double temperature() const { return temperature_; }

  WindowShape shape() const override;
  std::size_t weight_count() const override;
  std::size_t batch() const override;  // the least of the members'
  void logits_into(const Samples<float>& samples, std::span<float> logits) const override;

 private:
  std::vector<EnsembleMember> members_;
  double temperature_;
};

// Adds weight * the probabilities of logits [B, outputs] to sums [B, K].
FAITHFUL_API void add_probabilities(std::span<const float> logits, std::size_t classes, double weight,
                                    std::span<double> sums);

// The logits [B, outputs] of such sums [B, K] of weights that add up to 1, divided by the temperature.
FAITHFUL_API void logits_of_sums(std::span<const double> sums, std::size_t classes, double temperature,
                                 std::span<float> logits);

}  // namespace faithful
