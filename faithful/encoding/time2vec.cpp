#include "faithful/base/random.h"
#include "faithful/encoding/time_features_internal.h"

namespace faithful {

namespace {

std::vector<double> start_time2vec(const EncodingOptions& options) {  // [2, time_dim], w then b
  Random random(options.seed, stream_of("time2vec"));
  std::vector<double> w_and_b(2 * time_dim(options));
  for (double& value : w_and_b) value = random.normal();
  return w_and_b;
}

}  // namespace

CatalogEntry time2vec_entry() {
  return {.name = "time2vec",
          .kind = EncodingKind::kConcatenated,
          .description = "like mtan, with wider initial values",
          .enters = "input, concatenated",
          .citation = "Kazemi et al. 2019, Time2Vec: Learning a Vector Representation of Time",
          .options = {kTimeDim},
          .start = "N(0, 1)",
          .seeded = true,
          .real_positions = true,
          .rows_depend_on_length = true,
          .make = make_time_features,
          .start_values = start_time2vec,
          .extent = time_dim,
          .in_model = &kInModel<TimeFeatures>,
          .parameters_in_model = {"encoding.frequencies", "encoding.phases"}};
}

}  // namespace faithful
