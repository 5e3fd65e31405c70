#include <algorithm>
#include <cmath>

#include "faithful/encoding/entry_internal.h"
#include "faithful/encoding/erpe_internal.h"

namespace faithful {

namespace {

// A_ij + w[i - j + S - 1][h] after the softmax, not renormalised. Between whole offsets of real positions w is
// interpolated, beyond S - 1 it is that of S - 1.
Encoding make_erpe(const EncodingOptions& options) {
  const std::size_t heads = options.heads;
  const double last = static_cast<double>(options.length - 1);
  const std::vector<double> positions = positions_of(options);
  return {.values = fill_bias(heads, options.length, [&](std::size_t h, std::size_t i, std::size_t j) {
            const double place = std::clamp(positions[i] - positions[j], -last, last) + last, low = std::floor(place);
            const double below = options.parameters[static_cast<std::size_t>(low) * heads + h];
            const double above = options.parameters[static_cast<std::size_t>(std::ceil(place)) * heads + h];
            return below + (place - low) * (above - below);
          })};
}

template <class T>
using Erpe = WithOffsetWeights<InModel<T>, T>;

}  // namespace

std::vector<double> start_erpe(const EncodingOptions& options) {
  return std::vector<double>((2 * options.length - 1) * options.heads, 0.0);
}

CatalogEntry erpe_entry() {
  return {.name = "erpe",
          .kind = EncodingKind::kWeightBias,
          .description = "a learned weight for every offset, added after the softmax",
          .enters = "attention weights",
          .citation = "Foumani et al. 2024, Improving Position Encoding of Transformers for Multivariate Time Series",
          .start = "zeros",
          .real_positions = true,
          .rows_depend_on_length = true,
          .fixed_length = true,
          .make = make_erpe,
          .start_values = start_erpe,
          .in_model = &kInModel<Erpe>};
}

}  // namespace faithful
