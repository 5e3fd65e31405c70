// Predictions as a worker of bench/engine_peers.py: one request per line of standard input, one line of JSON as answer.
//
//   infer WIDTH THREADS BATCH   {"ms": per call, "flops": of its products}: a batch of windows as measured ->
//                               probabilities. One thread, whatever THREADS says
//   weights WIDTH FILE          {"tensors": [[name, [sizes]], ...]}: FILE gets all weights, then the encoding's table,
//                               two windows x and their log-probabilities, as raw float32

#include <cmath>
#include <map>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "bench/predict_case.h"
#include "bench/worker.h"
#include "faithful/base/cpu.h"
#include "faithful/encoding/encoding.h"
#include "faithful/model/infer.h"
#include "faithful/predict/predict.h"

namespace faithful::bench {
namespace {

// Loaded from the bytes of a file, as a user's would be; kept from request to request.
const TrainedModel& model_of(std::size_t width) {
  static std::map<std::size_t, TrainedModel> all;
  const auto found = all.find(width);
  if (found != all.end()) return found->second;
  return all.try_emplace(width, parse_model(model_bytes(step_model(width)), "model")).first->second;
}

// Floating-point operations of the products for one window.
double flops_window(const ModelConfig& c) {
  const auto s = static_cast<double>(c.steps()), d = static_cast<double>(c.body.width);
  const double layer = s * 12 * d * d + 2 * s * s * d;
  return 2 * (s * d * static_cast<double>(c.input.channels) + static_cast<double>(c.body.layers) * layer);
}

std::vector<float> predicted(const TrainedModel& model, const std::vector<float>& x, std::size_t batch) {
  std::vector<float> out(batch * model.shape().classes);
  predict_windows_into(model, x, out);
  return out;
}

std::string time_predictions(std::size_t width, std::size_t batch) {
  const TrainedModel& model = model_of(width);
  const ModelConfig& config = model.transformer()->config();
  const std::vector<float> x = random_values(batch * config.input.length * config.input.channels);
  const double time = timed([&] { predicted(model, x, batch); });
  return fmt::format(R"({{"ms": {:.5f}, "flops": {:.6g}}})", 1e3 * time,
                     static_cast<double>(batch) * flops_window(config));
}

std::string write_weights(std::size_t width, const std::string& path) {
  const TrainedModel& model = model_of(width);
  const ModelConfig& config = model.transformer()->config();
  TensorFile file(path);
  file.write(model.transformer()->classifier().parameters());
  const Encoding encoding = make_encoding(config.position.encoding, encoding_options(config));
  file.write("position", std::vector<float>(encoding.values.begin(), encoding.values.end()), encoding.shape);
  const std::vector<float> x = random_values(2 * config.input.length * config.input.channels);
  std::vector<float> logits = predicted(model, x, 2);
  for (float& value : logits) value = std::log(value);
  file.write("x", x, {2, config.input.length, config.input.channels});
  file.write("logits", logits, {2, config.input.classes});
  return file.answer();
}

std::string answer(const std::string& line) {
  std::istringstream words(line);
  std::string kind, file;
  std::size_t width = 0, threads = 0, batch = 0;
  words >> kind >> width;
  if (kind == "infer" && words >> threads >> batch) return time_predictions(width, batch);
  if (kind == "weights" && words >> file) return write_weights(width, file);
  return R"({"error": "not a request"})";
}

}  // namespace
}  // namespace faithful::bench

int main() {
  faithful::bench::serve("predict, " + faithful::instruction_set(), faithful::bench::answer);
}
