// Any bytes are an archive or an InputError; the arrays of an archive never hold more than it can inflate to.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "faithful/base/error.h"
#include "faithful/io/npz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace faithful;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    const NpzFile file(bytes, "fuzz.npz", {.most_arrays = 100, .longest_name = 100, .most_inflated = 1 << 24});
    for (const std::string& name : file.names()) {
      if (!file.has(name)) std::abort();
      try {
        const NpyArray array = file.array(name);
        if (array.to_vector<float>().size() != array.count()) std::abort();
      } catch (const InputError&) {  // one damaged array does not spoil the others
      }
    }
  } catch (const InputError&) {
  }
  return 0;
}
