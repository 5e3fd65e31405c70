#include "app/verbs.h"

namespace faithful::app {

Command make_program() {
  return {.name = "faithful",
          .summary = "positional encodings for Transformers: built, measured, trained and compared",
          .description =
              "How should a Transformer know the order of its inputs? Faithful builds positional encodings and "
              "measures how faithful each one is.",
          .examples = {{"faithful list", "the encodings there are"},
                       {"faithful encode dft --length 80 --dim 256 -o dft.npy", "one of them as numbers"}},
          .verbs = {list_verb(), encode_verb(), decode_verb(), analyze_verb(), data_verb(), train_verb(),
                    evaluate_verb(), predict_verb(), diagnose_verb(), show_verb(), compare_verb(), reproduce_verb()}};
}

}  // namespace faithful::app
