// What one prediction costs on one thread: a window alone, windows in batches, and a stream. The model is that of DESIGN.md's step (C = 38, S = 100, 2 layers), or a file:
// bench_predict_latency [MODEL.safetensors]

#include <string>
#include <utility>
#include <vector>

#include "bench/clock.h"
#include "bench/figure.h"
#include "bench/predict_case.h"
#include "faithful/model/infer.h"
#include "faithful/predict/predict.h"
#include "faithful/predict/stream.h"

namespace {

using namespace faithful;
using bench::random_values;

// The median of the seconds of one call.
template <class Call>
double typical_seconds(int calls, Call&& call) {
  std::vector<double> times;
  for (int i = 0; i < calls + 3; ++i) times.push_back(bench::seconds(call));
  return bench::median({times.begin() + 3, times.end()});
}

void measure_batches(const std::string& bytes, const std::string& name) {
  const TrainedModel model = parse_model(bytes, "model");
  const WindowShape shape = model.shape();
  for (const std::size_t batch : {std::size_t{1}, std::size_t{32}}) {
    const std::vector<float> values = random_values(batch * shape.length * shape.channels);
    std::vector<float> out(batch * shape.classes);
    const double time = typical_seconds(batch == 1 ? 500 : 50, [&] { predict_windows_into(model, values, out); });
    if (batch == 1) bench::print_figure(fmt::format("predict {}, a window alone", name), time * 1e6, "us");
    if (batch > 1) {
      bench::print_figure(fmt::format("predict {}, batches of 32, 1 thread", name), static_cast<double>(batch) / time,
                          "/s");
    }
  }
}

void measure_stream(const std::string& bytes, const std::string& name) {
  StreamPredictor stream(parse_model(bytes, "model"));
  const WindowShape shape = stream.model().shape();
  const std::vector<float> sample = random_values(shape.channels);
  for (std::size_t t = 0; t < shape.length; ++t) stream.push(sample);
  const double time = typical_seconds(400, [&] { stream.push(sample); });
  bench::print_figure(fmt::format("stream {}, a sample", name), time * 1e6, "us");
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) {
    const std::string bytes = model_bytes(load_model(arguments[1]));
    measure_batches(bytes, "model");
    measure_stream(bytes, "model");
    return 0;
  }
  for (const std::size_t width : {std::size_t{64}, std::size_t{128}, std::size_t{256}}) {
    // As a file, so that what is measured is what a user loads.
    const std::string bytes = model_bytes(bench::step_model(width)), name = fmt::format("d={}", width);
    measure_batches(bytes, name);
    measure_stream(bytes, name);
  }
}
