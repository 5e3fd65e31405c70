#include "faithful/base/random.h"
#include "faithful/encoding/entry_internal.h"

namespace faithful {

namespace {

std::vector<double> start_learned(const EncodingOptions& options) {  // [S, d]
  Random random(options.seed, stream_of("learned"));
  std::vector<double> table(options.length * options.dim);
  for (double& value : table) value = random.uniform(-0.02, 0.02);
  return table;
}

template <class T>
class LearnedTable final : public InModel<T> {
 public:
  LearnedTable(const ModelPlace& place, Parameters<T>& parameters)
      : InModel<T>(place, parameters),
        table_(parameters.declare("encoding.table", {place.steps(), place.width}, engine::zeros(), false)) {}

  void initialize(Parameters<T>& parameters, std::uint64_t seed) const override {
    EncodingOptions options = this->place_.options;
    options.seed = seed;
    write_values(parameters, table_, make_encoding("learned", options).values);
  }
  void begin(Tape<T>& tape, PositionPass<T>& pass) const override { pass.added = tape[table_]; }

 private:
  Parameter table_;  // [S, d]
};

}  // namespace

CatalogEntry learned_entry() {
  return {.name = "learned",
          .kind = EncodingKind::kAdditive,
          .description = "a learned vector for every position",
          .enters = kAddedToInput,
          .citation = "Gehring et al. 2017, Convolutional Sequence to Sequence Learning",
          .start = "U(-.02, .02)",
          .seeded = true,
          .fixed_length = true,
          .scales_start = true,
          .make = [](const EncodingOptions& options) { return Encoding{.values = options.parameters}; },
          .start_values = start_learned,
          .in_model = &kInModel<LearnedTable>,
          .parameters_in_model = {"encoding.table"}};
}

}  // namespace faithful
