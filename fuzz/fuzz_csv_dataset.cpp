// The first byte says how the rest is read: with labels, times, several series, and so on.
#include <cstdint>
#include <string_view>

#include "faithful/base/error.h"
#include "faithful/data/readers_internal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned how = data[0];
  faithful::ReadOptions options;
  if (how & 1) options.label = "l";
  if (how & 2) options.time = "t";
  if (how & 4) options.series = "s";
  if (how & 8) options.missing = faithful::Missing::kInterpolate;
  if (how & 16) options.label_of = faithful::LabelOf::kSeries;
  if (how & 32) options.part_column = "p";
  if (how & 64) options.decimal = ',';
  if (how & 128) options.positive = "x";
  try {
    check_dataset(faithful::data::parse_csv({reinterpret_cast<const char*>(data + 1), size - 1}, "x.csv", options));
  } catch (const faithful::InputError&) {
  }
  return 0;
}
