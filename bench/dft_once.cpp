// Fills the DFT table of d = 65,536, S = 1,024 in double into a touched buffer and prints the seconds it took: our side
// of bench/program.py's comparison with NumPy.

#include <span>
#include <vector>

#include <fmt/format.h>

#include "bench/clock.h"
#include "faithful/base/threads.h"
#include "faithful/encoding/dft.h"

int main() {
  const faithful::DftShape shape{.length = 1024, .dim = 65536};
  faithful::ThreadPool pool;
  std::vector<double> table(shape.length * shape.dim, 1.0);
  fmt::print("{}\n", faithful::bench::seconds([&] { fill_dft_into(std::span(table), shape, pool); }));
}
