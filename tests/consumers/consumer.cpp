// A stranger's program: sees libfaithful as it is installed, and nothing else of ours.
#include <cstdio>

#include "faithful/base/error.h"
#include "faithful/base/random.h"
#include "faithful/base/threads.h"
#include "faithful/base/version.h"

int main() {
  faithful::ThreadPool pool(2);
  double draws[4] = {};
  pool.run(4, [&](std::size_t i) { draws[i] = faithful::Random(1, i).uniform(); });
  try {
    faithful::reject({{"--dim"}, "at least 1", "0"});
  } catch (const faithful::InputError& error) {  // the type must cross the library's border
    std::printf("consumer of faithful %s: %.3f, %s\n", faithful::build_info().version.c_str(), draws[0], error.what());
    return 0;
  }
  return 1;
}
