#include "app/verbs.h"
namespace faithful::app {
Command show_verb() {
  return {.name = "show", .summary = "what is in a file", .description = "d", .run = [] { print("x\n"); }};
}
}  // namespace faithful::app
