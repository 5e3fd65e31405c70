#include <cstdint>
#include <string>

#include "app/config_file.h"
#include "faithful/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    faithful::app::parse_config({reinterpret_cast<const char*>(data), size}, "x.toml");
  } catch (const faithful::InputError&) {
  }
  return 0;
}
