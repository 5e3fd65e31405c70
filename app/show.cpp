#include "app/verbs.h"
namespace faithful::app {
Command show_verb() {
  static bool json;
  static std::string f;
  return {.name = "show",
          .summary = "what is in a file",
          .description = "d",
          .options = {{.name = "FILE", .target = &f, .help = "h", .required = true},
                      {.name = "--json", .target = &json, .help = "as JSON"}},
          .examples = {{"faithful show x", "y"}},
          .run = [] { print(json ? "{\n" : "x\n"); }};
}
}  // namespace faithful::app
