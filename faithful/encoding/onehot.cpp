#include <fmt/format.h>

#include "faithful/encoding/added_table_internal.h"
#include "faithful/encoding/entry_internal.h"

namespace faithful {

namespace {

void check_onehot(const EncodingOptions& options) {
  if (options.length <= options.dim) return;
  const std::string needed = fmt::format("{}", options.length);
  reject({{.field = "length"},
          fmt::format("at most {} {} for onehot", field_text("dim"), options.dim),
          needed,
          "use " + field_text("dim", needed)});
}

// e_i(s) = 1 at i = s, else 0; S <= d.
Encoding make_onehot(const EncodingOptions& options) {
  Encoding encoding{.values = std::vector<double>(options.length * options.dim)};
  for (std::size_t s = 0; s < options.length; ++s) encoding.values[s * options.dim + s] = 1;
  return encoding;
}

}  // namespace

CatalogEntry onehot_entry() {
  return {.name = "onehot",
          .kind = EncodingKind::kAdditive,
          .description = "control: 1 at coordinate s, S <= d",
          .enters = kAddedToInput,
          .fixed_length = true,
          .make = make_onehot,
          .check = check_onehot,
          .most_positions = [](const EncodingOptions& options) { return options.dim; },
          .in_model = &kInModel<AddedTable>};
}

}  // namespace faithful
