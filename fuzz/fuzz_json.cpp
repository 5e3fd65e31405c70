// Any bytes are a value or an InputError; what is written from a value reads back as the same value. Any bytes at all
// may stand in a string that we write.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "faithful/base/error.h"
#include "faithful/io/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace faithful;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (!parse_json(dump_json(Json(bytes)), "string").is_string()) std::abort();
  try {
    const Json value = parse_json(bytes, "fuzz.json");
    for (const JsonLayout layout : {JsonLayout::kCompact, JsonLayout::kPretty}) {
      if (parse_json(dump_json(value, layout), "again.json") != value) std::abort();
    }
  } catch (const InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
