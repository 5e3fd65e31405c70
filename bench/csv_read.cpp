// Reads a table once, as `faithful data` does, and prints threads, seconds, peak anonymous memory and the size of the
// result (in bytes) as JSON: our side of bench/csv_peer.py. bench_csv_read FILE

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "bench/clock.h"
#include "faithful/base/threads.h"
#include "faithful/data/read.h"

namespace {

// Bytes of our own, without those of the program.
std::size_t anonymous_memory() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("RssAnon:")) return std::stoull(line.substr(8)) * 1024;
  }
  return 0;
}

// The kernel keeps no peak of it, so it is looked at every few milliseconds.
class PeakMemory {
 public:
  PeakMemory()
      : before_(anonymous_memory()), thread_([this] {
          while (!stop_) {
            peak_ = std::max(peak_, anonymous_memory());
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
          }
        }) {}
  std::size_t stop() {
    stop_ = true;
    thread_.join();
    return std::max(peak_, anonymous_memory()) - before_;
  }

 private:
  std::size_t before_, peak_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace

int main(int, char** arguments) {
  faithful::Dataset dataset;
  PeakMemory memory;
  const double time = faithful::bench::seconds([&] { dataset = faithful::load_dataset(arguments[1]); });
  const std::size_t peak = memory.stop();
  const std::size_t result = dataset.rows() * dataset.channels.size() * sizeof(float);
  double sum = 0;  // a peer that read the same has the same
  for (const float value : dataset.series[0].values.values) sum += value;
  fmt::print("{{\"threads\":{},\"seconds\":{},\"peak\":{},\"result\":{},\"sum\":{}}}\n", faithful::default_threads(),
             time, peak, result, sum);
}
