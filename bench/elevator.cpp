// Full trips (20 channels x 8000 samples) of the simulated elevator, a second; the bar is 50 on 2 cores.

#include "faithful/simulate/elevator.h"

#include <vector>

#include "bench/clock.h"
#include "bench/figure.h"
#include "faithful/base/threads.h"

int main() {
  using namespace faithful;
  for (const std::size_t threads : {std::size_t{1}, std::size_t{2}}) {
    ThreadPool pool(threads);
    ElevatorOptions options;
    options.trips = 60;
    std::vector<double> runs;
    for (int run = 0; run < 5; ++run) runs.push_back(bench::seconds([&] { make_elevator(options, pool); }));
    const double rate = static_cast<double>(options.trips) / bench::median(runs);
    bench::print_figure(fmt::format("elevator trips of 20 x 8000, {} threads", threads), rate, "1/s");
  }
}
