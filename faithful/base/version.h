#pragma once

#include <string>

#include "faithful/base/api.h"

namespace faithful {

struct BuildInfo {
  std::string version;   // 0.1.0, from CMakeLists.txt
  std::string commit;    // git's short hash, then "-dirty" where the tree had changes; "unknown" without git
  std::string compiler;  // "g++ 12.2.0"
};
FAITHFUL_API BuildInfo build_info();

}  // namespace faithful
