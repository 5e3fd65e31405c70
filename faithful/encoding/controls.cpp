#include "faithful/encoding/controls.h"

#include <algorithm>

#include <Eigen/QR>
#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/random.h"

namespace faithful {

Encoding make_none(const EncodingOptions&) {
  return {};
}

Encoding make_onehot(const EncodingOptions& options) {
  if (options.length > options.dim) {
    reject({{"--length"},
            fmt::format("at most --dim {} for onehot", options.dim),
            fmt::format("{}", options.length),
            fmt::format("use --dim {}", options.length)});
  }
  Encoding encoding{.values = std::vector<double>(options.length * options.dim)};
  for (std::size_t s = 0; s < options.length; ++s) encoding.values[s * options.dim + s] = 1;
  return encoding;
}

Encoding make_haar(const EncodingOptions& options) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto length = static_cast<Eigen::Index>(options.length), d = static_cast<Eigen::Index>(options.dim);
  const Eigen::Index tall = std::max(length, d), thin = std::min(length, d);
  Random random(options.seed, stream_of("haar"));
  Eigen::MatrixXd gaussian(tall, thin);
  for (double& value : gaussian.reshaped()) value = random.normal();
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(gaussian);
  Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(tall, thin);
  for (Eigen::Index c = 0; c < thin; ++c) {
    if (qr.matrixQR()(c, c) < 0) q.col(c) = -q.col(c);
  }
  Encoding encoding{.values = std::vector<double>(options.length * options.dim)};
  Eigen::Map<RowMajor> table(encoding.values.data(), length, d);
  if (length <= d) {
    table = q.transpose();
  } else {
    table = q;
  }
  return encoding;
}

}  // namespace faithful
