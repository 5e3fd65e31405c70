#include "faithful/predict/predict.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "app/data_arguments.h"
#include "app/predictions.h"
#include "app/used_model.h"
#include "app/verbs.h"
#include "faithful/base/error.h"
#include "faithful/base/progress.h"
#include "faithful/io/file.h"
#include "faithful/model/infer.h"
#include "faithful/predict/sample_lines.h"
#include "faithful/predict/stream.h"
#include "faithful/trained/match.h"

namespace faithful::app {

namespace {

struct PredictOptions {
  UsedModel model;
  std::string data_path, output;
  ReadOptions data;
  std::size_t threads = default_threads();
};

// Where lines go, and what they said in all.
class Sink {
 public:
  Sink(const TrainedModel& model, FileWriter* file) : model_(model), file_(file), counts_(model.classes.size(), 0) {}

  // The header comes with the first lines, so that a complaint about the data stands alone.
  void write(const PredictionLines& lines, const std::string& text) {
    const std::string all = std::exchange(begun_, true) ? text : lines.header() + text;
    if (file_ != nullptr) file_->write(all);
    if (file_ == nullptr) print(all);
  }
  void count(std::int32_t number) { ++counts_[static_cast<std::size_t>(number)]; }
  // Beside CSV on standard output, notes must not stand.
  void note(const std::string& line) const {
    if (file_ != nullptr) print(line + "\n");
    if (file_ == nullptr) notice(line);
  }
  std::string summary() const {
    std::string text;
    std::size_t all = 0;
    for (std::size_t k = 0; k < counts_.size(); ++k) {
      all += counts_[k];
      if (counts_[k] > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts_[k], model_.classes[k]);
    }
    return fmt::format("{} windows: {}", all, text);
  }

 private:
  const TrainedModel& model_;
  FileWriter* file_;
  bool begun_ = false;
  std::vector<std::size_t> counts_;  // [K], windows of each class
};

// The lines of some windows of a data set whose first row is row `offset` of what the user has.
void write_predictions(const Dataset& dataset, std::size_t offset, const Predictions& found,
                       const PredictionLines& lines, Sink& sink) {
  std::string text;
  for (std::size_t i = 0; i < found.windows.size(); ++i) {
    const Window& window = found.windows[i];
    const Series& series = dataset.series[window.series];
    const std::size_t begin = window.begin, end = begin + window.length;
    PredictionRow row{series.name, offset + begin, offset + end, {}, {}, found.probabilities.row(i)};
    if (!series.times.empty()) {
      row.first = series.times[begin];
      row.last = series.times[end - 1];
    }
    text += lines.line(row);
    sink.count(found.classes[i]);
  }
  sink.write(lines, text);
}

// A table of one series, some MB at a time.
void predict_streamed(const PredictOptions& options, const ReadOptions& reading, const TrainedModel& model,
                      ThreadPool& pool, Sink& sink) {
  const PredictionLines lines(model, true, !reading.time.empty());
  predict_table(
      model, options.data_path, reading, pool,
      [&](const TablePiece& piece) { write_predictions(piece.rows, piece.offset, piece.found, lines, sink); },
      [&](const std::string& line) { sink.note(line); });
}

void predict_loaded(const PredictOptions& options, const TrainedModel& model, ThreadPool& pool, Sink& sink) {
  const Dataset dataset = read_for_model(options.data_path, options.data, model);
  for (const std::string& note : dataset.notes) sink.note(note);
  bool has_times = true;
  for (const Series& series : dataset.series) has_times = has_times && !series.times.empty();
  const PredictionLines lines(model, true, has_times);
  Progress progress("predicting", dataset.rows());
  std::size_t done = 0;
  faithful::predict(model, dataset, pool, [&](const Predictions& found) {
    write_predictions(dataset, 0, found, lines, sink);
    const Window& last = found.windows.back();
    std::size_t now = last.begin + last.length;
    for (std::size_t i = 0; i < last.series; ++i) now += dataset.series[i].length();
    progress.advance(now - std::min(now, done));
    done = now;
  });
}

void predict_data(const PredictOptions& options, const TrainedModel& model, Sink& sink) {
  ThreadPool pool(options.threads);
  ReadOptions reading = options.data;
  if (!model.takes_whole_series() && can_stream(options.data_path, reading)) {
    ignore_unknown_columns(options.data_path, model, reading);
    predict_streamed(options, reading, model, pool, sink);
  } else {
    predict_loaded(options, model, pool, sink);
  }
}

// Standard input, a line at a time; each prediction is printed before the next line is read.
void predict_lines(const PredictOptions& options, TrainedModel model) {
  if (!options.output.empty())
    reject({{"--output"}, "nothing beside -, whose predictions go to standard output", quote(options.output)});
  StreamPredictor predictor(std::move(model));
  const WindowShape shape = predictor.model().shape();
  SampleLines samples(predictor.model().channels, options.data, "standard input");
  if (shape.uses_times() && !samples.has_times())
    reject({{"standard input"}, "times, which are the model's positions", "none", field_text("time", "COLUMN")});
  const PredictionLines lines(predictor.model(), false, samples.has_times());
  std::vector<std::int64_t> times(shape.length, 0);  // of the last samples, by number modulo length
  std::size_t count = 0;
  for (std::string line; std::getline(std::cin, line);) {
    const bool is_sample = samples.take(line);
    if (count == 0 && is_sample) {
      for (const std::string& note : samples.notes()) notice(note);
      print(lines.header());
    }
    if (!is_sample) continue;
    times[count % shape.length] = samples.time();
    const std::span<const float> found = predictor.push(samples.values(), samples.time());
    ++count;
    if (found.empty()) continue;
    print(lines.line({"", count - shape.length, count, times[count % shape.length], samples.time(), found}));
  }
}

void predict(const PredictOptions& options) {
  if (!options.output.empty() && !options.output.ends_with(".csv"))
    reject({{"--output"}, "a file name that ends in .csv", quote(options.output)});
  TrainedModel model = load_used_model(options.model);
  std::vector<std::string> notes;
  add_scaling_note(model, notes);
  for (const std::string& note : notes) notice(note);
  if (options.data_path == "-") return predict_lines(options, std::move(model));
  if (options.output.empty()) {
    Sink sink(model, nullptr);
    return predict_data(options, model, sink);
  }
  std::string summary;
  write_file(options.output, [&](FileWriter& file) {
    Sink sink(model, &file);
    predict_data(options, model, sink);
    summary = sink.summary();
  });
  print(fmt::format("{}: {}\n", options.output, summary));
}

}  // namespace

Command predict_verb() {
  const auto options = std::make_shared<PredictOptions>();
  const std::vector<Option> output = {
      {"DATA", &options->data_path, "a file or folder, labels not needed; -: lines of CSV on standard input", required},
      {"-o,--output FILE", &options->output, "scores.csv; without it they are printed", common}};
  return {.name = "predict",
          .summary = "a score and a class for each window of a data set",
          .description =
              "Says of every window (or, where the model was trained so, of every series) which class it has and how "
              "sure the model is: lines of CSV with series, begin, end, the times where there are any, the score (the "
              "probability of the second of two classes, or of each class) and the class. Columns are matched by name. "
              "With -, samples come as lines on standard input, and each is answered at once as soon as a window is "
              "full.",
          .options = joined({grouped("Model", used_model_options(options->model)),
                             grouped("Output", output),
                             data_option_list(options->data),
                             {threads_option(options->threads)}}),
          .examples = {{"faithful predict pump.safetensors today.csv --time time -o scores.csv", "a file"},
                       {"tail -f log.csv | faithful predict pump.safetensors -", "a stream, one answer a sample"}},
          .run = [options] { predict(*options); }};
}

}  // namespace faithful::app
