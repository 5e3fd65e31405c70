// What the process that reads HDF5 sends to its parent. The first byte says how it is taken: as a whole, or row by row.
#include <cstdint>
#include <cstring>
#include <string_view>

#include "faithful/base/error.h"
#include "faithful/base/limits.h"
#include "faithful/data/hdf5_internal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using faithful::data::Hdf5Request;
  if (size == 0) return 0;
  faithful::set_limits({.inflated_freely = 1 << 20, .inflation = 1, .input_bytes = 1 << 20});
  const bool by_rows = (data[0] & 1) != 0;
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto read = [&](void* into, std::size_t count) {
    if (count > rest.size()) return false;
    if (count > 0) std::memcpy(into, rest.data(), count);
    rest.remove_prefix(count);
    return true;
  };
  std::size_t rows = 0, wanted = 0;
  Hdf5Request table{.name = "dataset"};
  if (by_rows) {
    table.take_shape = [&](const std::vector<std::size_t>& shape) { wanted = shape[0]; };
    table.take_row = [&](std::size_t row, std::span<const float>) { rows += row < wanted ? 1 : 2; };
  }
  try {
    const auto arrays =
        faithful::data::read_hdf5_replies("x.h5", 1000, {{.name = "meta", .required = false}, table}, read);
    if (by_rows ? rows > wanted : arrays[1]->values.size() > (1 << 20) / sizeof(float)) __builtin_trap();
  } catch (const faithful::InputError&) {
  }
  return 0;
}
