#include <cstdint>
#include <string>

#include "app/command.h"
#include "faithful/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    faithful::app::check_config_text({reinterpret_cast<const char*>(data), size}, "x.toml");
  } catch (const faithful::InputError&) {
  }
  return 0;
}
