#include <algorithm>

#include <Eigen/QR>
#include <fmt/format.h>

#include "faithful/base/random.h"
#include "faithful/encoding/added_table_internal.h"
#include "faithful/encoding/entry_internal.h"

namespace faithful {

namespace {

// Rows of a random orthogonal matrix, uniform over the orthogonal group: QR of a Gaussian matrix with the signs of
// diag R folded into Q. S <= d: S orthonormal rows; S > d: d orthonormal columns.
Encoding make_rotation(const EncodingOptions& options) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto length = static_cast<Eigen::Index>(options.length), d = static_cast<Eigen::Index>(options.dim);
  const Eigen::Index tall = std::max(length, d), thin = std::min(length, d);
  Random random(options.seed, stream_of("haar"));  // its first name
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

// The QR takes S * d * min(S, d) products, every time a model is loaded.
void check_products(const ModelPlace& place) {
  constexpr std::size_t kMostProducts = std::size_t{1} << 33;
  const std::size_t length = place.steps(), d = place.width;
  if (length * d * std::min(length, d) <= kMostProducts) return;
  reject({{.field = "encoding"},
          "a smaller table for rotation",
          fmt::format("{} x {}", length, d),
          "take a smaller width or length"});
}

}  // namespace

CatalogEntry rotation_entry() {
  return {.name = "rotation",
          .former_name = "haar",
          .kind = EncodingKind::kAdditive,
          .description = "control: rows of a random orthogonal matrix",
          .enters = kAddedToInput,
          .citation = "Mezzadri 2007, How to Generate Random Matrices from the Classical Compact Groups",
          .seeded = true,
          .rows_depend_on_length = true,
          .fixed_length = true,
          .make = make_rotation,
          .in_model = &kInModel<AddedTable>,
          .check_in_model = check_products};
}

}  // namespace faithful
