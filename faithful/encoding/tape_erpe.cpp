#include "faithful/encoding/added_table_internal.h"
#include "faithful/encoding/erpe_internal.h"
#include "faithful/encoding/sinusoids_internal.h"

namespace faithful {

namespace {

// The table is tape's. What is learned is erpe's, and is no part of the table.
template <class T>
using TapeErpe = WithOffsetWeights<AddedTable<T>, T>;

}  // namespace

// The two encodings of ConvTran together, as its authors use them.
CatalogEntry tape_erpe_entry() {
  return {.name = "tape+erpe",
          .kind = EncodingKind::kAdditive,
          .description = "tape at the input and erpe on the attention weights, as in ConvTran",
          .enters = "input, added; attention weights",
          .citation = "Foumani et al. 2024, Improving Position Encoding of Transformers for Multivariate Time Series",
          .options = {kRho, kLayout, kExponent, kFirstPosition},
          .start = "weights of offsets: zeros; the table is fixed",
          .rows_depend_on_length = true,
          .fixed_length = true,
          .make =
              [](const EncodingOptions& options) {
                return make_sinusoids(options, static_cast<double>(options.dim) / static_cast<double>(options.length));
              },
          .start_values = start_erpe,
          .in_model = &kInModel<TapeErpe>};
}

}  // namespace faithful
