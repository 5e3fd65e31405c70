#include "app/verbs.h"

namespace faithful::app {

Command make_program() {
  return {.name = "faithful",
          .summary = "positional encodings for Transformers: built, measured, trained and compared",
          .description =
              "How should a Transformer know the order of its inputs? Faithful builds positional encodings and "
              "measures how faithful each one is.",
          .examples = {{"faithful show table.npy", "what is in a file of numbers"}},
          .verbs = {show_verb()}};
}

}  // namespace faithful::app
