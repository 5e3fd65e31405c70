#include "faithful/encoding/added_table_internal.h"
#include "faithful/encoding/sinusoids_internal.h"

namespace faithful {

// tAPE: the original encoding with every frequency times d/S.
CatalogEntry tape_entry() {
  return {.name = "tape",
          .kind = EncodingKind::kAdditive,
          .description = "sinusoidal with every frequency times d/S",
          .enters = kAddedToInput,
          .citation = "Foumani et al. 2024, Improving Position Encoding of Transformers for Multivariate Time Series",
          .options = {kRho, kLayout, kExponent, kFirstPosition},
          .real_positions = true,
          .rows_depend_on_length = true,
          .make =
              [](const EncodingOptions& options) {
                return make_sinusoids(options, static_cast<double>(options.dim) / static_cast<double>(options.length));
              },
          .in_model = &kInModel<AddedTable>};
}

}  // namespace faithful
