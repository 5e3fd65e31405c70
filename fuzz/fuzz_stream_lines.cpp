// The lines of a stream, bad ones skipped as `--on-error skip` does. Lines are those of a naive split. Predictions are
// those of all samples at once, bit for bit. The first byte says how lines are read, and which model takes them.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "faithful/base/error.h"
#include "faithful/data/dataset.h"
#include "faithful/io/line_reader.h"
#include "faithful/model/infer.h"
#include "faithful/predict/predict.h"
#include "faithful/predict/sample_lines.h"
#include "faithful/predict/stream.h"
#include "faithful/trained/readings.h"
#include "tests/trained/small_models.h"

namespace {

using namespace faithful;

constexpr std::size_t kLongest = 100;  // bytes of a line

// Each line, or nothing where it is too long.
std::vector<std::optional<std::string>> naive_lines(std::string_view text) {
  std::vector<std::optional<std::string>> lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    lines.push_back(line.size() > kLongest ? std::nullopt : std::optional<std::string>(line));
  }
  return lines;
}

std::vector<std::optional<std::string>> read_lines(std::string_view text) {
  static const int descriptor = ::memfd_create("stream", MFD_CLOEXEC);
  if (::ftruncate(descriptor, 0) != 0 || ::pwrite(descriptor, text.data(), text.size(), 0) < 0) std::abort();
  ::lseek(descriptor, 0, SEEK_SET);
  LineReader reader(descriptor, "stream", kLongest);
  std::vector<std::optional<std::string>> lines;
  for (std::string line;;) {
    try {
      if (!reader.next(line)) return lines;
      lines.emplace_back(line);
    } catch (const InputError&) {
      lines.emplace_back(std::nullopt);
    }
    if (reader.number() != lines.size()) std::abort();
  }
}

ReadOptions options_of(unsigned how) {
  constexpr Missing kMissing[] = {Missing::kError, Missing::kZero, Missing::kKeep, Missing::kKeep};
  constexpr Header kHeaders[] = {Header::kAuto, Header::kYes, Header::kNo, Header::kAuto};
  ReadOptions options;
  options.missing = kMissing[how & 3];
  options.header = kHeaders[how >> 2 & 3];
  if (how & 16) options.time = how & 32 ? "t" : "1";
  if (how & 64) options.decimal = ',';
  return options;
}

TrainedModel make_model(bool timed) {
  ModelConfig config = testing::small_config("sinusoidal");
  config.input.length = 3;
  if (timed) {
    config.position.source = PositionSource::kTime;
    config.position.time_step = 1e9;
  }
  TrainedModel model = testing::small_model(config);
  model.window.length = config.input.length;
  model.window.stride = 1;
  return model;
}

bool same(float a, float b) {
  return std::memcmp(&a, &b, sizeof(a)) == 0 || (std::isnan(a) && std::isnan(b));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const TrainedModel plain = make_model(false), timed = make_model(true);
  static StreamPredictor plain_stream(plain), timed_stream(timed);
  static ThreadPool pool(1);
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto lines = read_lines(text);
  if (lines != naive_lines(text)) std::abort();

  SampleLines samples(plain.channels, options_of(data[0]), "stream");
  const bool uses_times = samples.has_times() && (data[0] & 128) != 0;
  const TrainedModel& model = uses_times ? timed : plain;
  StreamPredictor& stream = uses_times ? timed_stream : plain_stream;
  stream.reset();
  Dataset all{.name = "all", .channels = model.channels, .series = {Series{.name = "all"}}};
  Series& series = all.series[0];
  series.values = Matrix<float>(0, model.channels.size());
  std::vector<float> scores;          // of each full window
  std::vector<std::uint8_t> is_read;  // of each sample: whether a value was there
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i]) continue;
    try {
      if (!samples.take(*lines[i], i + 1)) continue;
    } catch (const InputError&) {
      continue;
    }
    if (!samples.begun() || samples.values().size() != model.channels.size()) std::abort();
    if (samples.begins_anew()) {  // as the program does; what came before is another stream
      stream.reset();
      all.series = {Series{.name = "all"}};
      series.values = Matrix<float>(0, model.channels.size());
      scores.clear();
      is_read.clear();
    }
    is_read.push_back(std::ranges::count(samples.is_read(), 1) > 0 ? 1 : 0);
    const std::span<const float> found = stream.push(samples.values(), samples.time(), samples.is_read());
    series.values.values.insert(series.values.values.end(), samples.values().begin(), samples.values().end());
    ++series.values.rows;
    if (samples.has_times()) series.times.push_back(samples.time());
    if (found.empty()) continue;
    const bool finite = std::isfinite(found[0]) && std::isfinite(found[1]);
    const bool read = std::ranges::any_of(std::span(is_read).last(model.window.length), std::identity());
    if ((finite && read) == (stream.check().status == PredictionStatus::kInvalid)) std::abort();
    scores.push_back(found[1]);
  }
  check_dataset(all);
  if (scores.size() + 2 != std::max<std::size_t>(series.length(), 2)) std::abort();
  if (scores.empty()) return 0;
  const Predictions whole = predict(model, all, pool);
  if (whole.windows.size() != scores.size()) std::abort();
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (!same(whole.probabilities(i, 1), scores[i])) std::abort();
  return 0;
}
