#include "faithful/base/version.h"

#include <fmt/format.h>

#include "build_info.h"

namespace faithful {

BuildInfo build_info() {
#ifdef __clang__
  const std::string compiler = fmt::format("clang++ {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  const std::string compiler = fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
  return {.version = FAITHFUL_VERSION, .commit = FAITHFUL_COMMIT, .compiler = compiler};
}

}  // namespace faithful
