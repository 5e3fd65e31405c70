// Predictions as a worker of bench/engine_peers.py: one request per line of standard input, one line of JSON as answer.
//
//   infer WIDTH THREADS BATCH   {"ms": per call, "flops": of its products}: a batch of windows as measured ->
//                               probabilities. One thread, whatever THREADS says
//   weights WIDTH FILE          {"tensors": [[name, [sizes]], ...]}: FILE gets all weights, then the encoding's table,
//                               two windows x and their log-probabilities, as raw float32

#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/clock.h"
#include "bench/predict_case.h"
#include "faithful/base/cpu.h"
#include "faithful/encoding/encoding.h"
#include "faithful/model/infer.h"
#include "faithful/predict/predict.h"

namespace faithful::bench {
namespace {

constexpr double kTurn = 0.25;  // seconds of work per request

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
  predicted(model, x, batch);
  std::size_t count = 0;
  double spent = 0;
  for (; spent < kTurn; ++count) spent += seconds([&] { predicted(model, x, batch); });
  return fmt::format(R"({{"ms": {:.5f}, "flops": {:.6g}}})", 1e3 * spent / static_cast<double>(count),
                     static_cast<double>(batch) * flops_window(config));
}

std::string write_weights(std::size_t width, const std::string& path) {
  const TrainedModel& model = model_of(width);
  const ModelConfig& config = model.transformer()->config();
  std::ofstream file(path, std::ios::binary);
  std::vector<std::string> rows;
  const auto write = [&](const std::string& name, std::span<const float> numbers,
                         const std::vector<std::size_t>& sizes) {
    file.write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(numbers.size_bytes()));
    rows.push_back(fmt::format(R"(["{}", [{}]])", name, fmt::join(sizes, ", ")));
  };
  const engine::Parameters<float>& parameters = model.transformer()->classifier().parameters();
  for (const engine::ParameterEntry& entry : parameters.entries()) {
    std::vector<std::size_t> sizes;
    for (std::size_t i = 0; i < entry.shape.rank(); ++i) sizes.push_back(entry.shape[i]);
    write(entry.name, parameters.values().subspan(entry.offset, entry.shape.count()), sizes);
  }
  const Encoding encoding = make_encoding(config.position.encoding, encoding_options(config));
  write("position", std::vector<float>(encoding.values.begin(), encoding.values.end()), encoding.shape);
  const std::vector<float> x = random_values(2 * config.input.length * config.input.channels);
  std::vector<float> logits = predicted(model, x, 2);
  for (float& value : logits) value = std::log(value);
  write("x", x, {2, config.input.length, config.input.channels});
  write("logits", logits, {2, config.input.classes});
  return fmt::format(R"({{"tensors": [{}]}})", fmt::join(rows, ", "));
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
  fmt::print("{{\"name\": \"predict, {}\"}}\n", faithful::instruction_set());
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    fmt::print("{}\n", faithful::bench::answer(line));
    std::fflush(stdout);
  }
}
