// Any bytes are an array or an InputError; an array that is written again and read again is the same.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "faithful/base/error.h"
#include "faithful/io/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace faithful;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    const NpyArray array(bytes, nullptr, "fuzz.npy");
    const std::vector<double> values = array.to_vector<double>();
    if (values.size() != array.count() || values.size() > size) std::abort();
    const std::string again = npy_bytes(npy_view<double>(array.shape(), values));
    const NpyArray copy(again, nullptr, "again.npy");
    const std::vector<double> copied = copy.to_vector<double>();
    if (copy.shape() != array.shape() || npy_bytes(npy_view<double>(copy.shape(), copied)) != again) std::abort();
    array.to_matrix();
    array.to_vector<std::int64_t>();
  } catch (const InputError&) {
  }
  return 0;
}
