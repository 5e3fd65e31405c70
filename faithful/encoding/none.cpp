#include "faithful/encoding/entry_internal.h"

namespace faithful {

CatalogEntry none_entry() {
  return {.name = "none",
          .kind = EncodingKind::kNone,
          .description = "control: no position at all",
          .enters = "nowhere",
          .make = [](const EncodingOptions&) { return Encoding{}; },
          .in_model = &kInModel<InModel>};
}

}  // namespace faithful
