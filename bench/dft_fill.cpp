// The DFT table of d = 65,536, S = 1,024 into a touched buffer, against memset of that buffer with the same threads.
// Runs are interleaved; medians are compared.

#include <cstring>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "bench/clock.h"
#include "faithful/base/threads.h"
#include "faithful/encoding/dft.h"

namespace faithful::bench {
namespace {

template <class T>
void compare(const char* type, std::size_t threads) {
  const DftShape shape{.length = 1024, .dim = 65536};
  ThreadPool pool(threads);
  std::vector<T> table(shape.length * shape.dim, T{1});
  std::vector<double> fill, set;
  for (int run = 0; run < 9; ++run) {
    fill.push_back(seconds([&] { fill_dft_into(std::span(table), shape, pool); }));
    set.push_back(seconds([&] {
      parallel_for(pool, shape.length, 1, [&](std::size_t begin, std::size_t end) {
        std::memset(table.data() + begin * shape.dim, run, (end - begin) * shape.dim * sizeof(T));
      });
    }));
  }
  const double gigabytes = static_cast<double>(table.size() * sizeof(T)) / 1e9;
  fmt::print("dft_fill {} {} threads: {:6.2f} GB/s, memset {:6.2f} GB/s, ratio {:.2f}\n", type, threads,
             gigabytes / median(fill), gigabytes / median(set), median(set) / median(fill));
}

}  // namespace
}  // namespace faithful::bench

int main() {
  for (const std::size_t threads : {std::size_t{1}, faithful::default_threads()}) {
    faithful::bench::compare<float>("float ", threads);
    faithful::bench::compare<double>("double", threads);
  }
}
