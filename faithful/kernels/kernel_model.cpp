#include "faithful/kernels/kernel_model.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/engine/gemm.h"
#include "faithful/kernels/packed_internal.h"

namespace faithful {

namespace {

void check_values(std::span<const float> values, std::size_t wanted, const std::string& place) {
  if (values.size() != wanted) reject({{place}, fmt::format("{} numbers", wanted), fmt::format("{}", values.size())});
  for (const float value : values)
    if (!std::isfinite(value)) reject({{place}, "finite numbers", fmt::format("{}", value)});
}

}  // namespace

KernelModel::KernelModel(KernelModelParts parts, const std::string& place) : parts_(std::move(parts)) {
  if (parts_.classes < 2) reject({{place}, "at least 2 classes", fmt::format("{}", parts_.classes)});
  const std::size_t features = parts_.features.count(), outputs = shape().outputs();
  if (features == 0) reject({{place}, "at least one feature", "none"});
  check_values(parts_.weights.values, features * outputs, place + ": weights");
  check_values(parts_.offset, outputs, place + ": offset");
  check_values(parts_.scale.shift, features, place + ": shift");
  check_values(parts_.scale.factor, features, place + ": factor");
  if (parts_.scale.plain != parts_.features.rocket_count()) reject({{place}, "features of both kinds", "others"});
  auto packed = std::make_shared<kernels::Packed<float>>(engine::packed_size<float>(features, outputs));
  engine::pack<float>({parts_.weights.values.data(), features, outputs, outputs}, engine::Form::kPlain, packed->data());
  packed_ = std::shared_ptr<const float>(packed, packed->data());
}

WindowShape KernelModel::shape() const {
  const KernelTable& table = parts_.features.table();
  return {.channels = table.channels, .length = table.length, .classes = parts_.classes};
}

void KernelModel::logits_into(const Samples<float>& samples, std::span<float> logits) const {
  const std::size_t count = parts_.features.count(), outputs = shape().outputs(), length = shape().length;
  assert(logits.size() == samples.count * outputs);
  std::vector<std::uint32_t> lengths(samples.count, static_cast<std::uint32_t>(length));
  if (!samples.valid.empty()) {
    for (std::size_t i = 0; i < samples.count; ++i) {
      const std::span<const std::uint8_t> valid = samples.valid.subspan(i * length, length);
      lengths[i] = static_cast<std::uint32_t>(std::ranges::count_if(valid, [](std::uint8_t one) { return one != 0; }));
    }
  }
  Matrix<float> features(samples.count, count);
  parts_.features.features_into({samples.values, lengths}, features.values);
  for (std::size_t i = 0; i < samples.count; ++i) parts_.scale.apply(features.row(i));
  engine::gemm_packed<float>({features.values.data(), samples.count, count, count}, engine::Form::kPlain, packed_.get(),
                             {logits.data(), samples.count, outputs, outputs}, {.bias = parts_.offset.data()});
}

}  // namespace faithful
