#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "app/data_arguments.h"
#include "app/model_data.h"
#include "app/predictions.h"
#include "app/verbs.h"
#include "faithful/base/error.h"
#include "faithful/base/progress.h"
#include "faithful/io/file.h"
#include "faithful/predict/match.h"
#include "faithful/predict/predictor.h"
#include "faithful/predict/sample_lines.h"
#include "faithful/predict/stream.h"
#include "faithful/predict/table.h"

namespace faithful::app {

namespace {

struct PredictOptions {
  std::string model, data_path, output, scale_as;
  DataArguments data;
  std::size_t threads = default_threads();
};

// Where lines go, and what they said in all.
class Sink {
 public:
  Sink(const TrainedModel& model, FileWriter* file) : model_(model), file_(file), counts_(model.classes.size(), 0) {}

  // The header comes with the first lines, so that a complaint about the data stands alone.
  void write(const AnswerLines& lines, const std::string& text) {
    const std::string all = std::exchange(begun_, true) ? text : lines.header() + text;
    if (file_ != nullptr) file_->write(all);
    if (file_ == nullptr) print(all);
  }
  void count(std::int32_t number) { ++counts_[static_cast<std::size_t>(number)]; }
  // Beside CSV on standard output, notes must not stand.
  void note(const std::string& line) const {
    if (file_ != nullptr) print(line + "\n");
    if (file_ == nullptr) std::fputs(("faithful: " + line + "\n").c_str(), stderr);
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
void write_answers(const Dataset& dataset, std::size_t offset, const Predictions& found, const AnswerLines& lines,
                   Sink& sink) {
  std::string text;
  for (std::size_t i = 0; i < found.windows.size(); ++i) {
    const Window& window = found.windows[i];
    const Series& series = dataset.series[window.series];
    const std::size_t begin = window.begin, end = begin + window.length;
    Answer answer{series.name, offset + begin, offset + end, {}, {}, found.probabilities.row(i)};
    if (!series.times.empty()) {
      answer.first = series.times[begin];
      answer.last = series.times[end - 1];
    }
    text += lines.line(answer);
    sink.count(found.classes[i]);
  }
  sink.write(lines, text);
}

// A table of one series, some MB at a time.
void predict_streamed(const PredictOptions& options, const ReadOptions& reading, Predictor& predictor, Sink& sink) {
  const AnswerLines lines(predictor.model(), true, !reading.time.empty());
  predict_table(
      predictor, options.data_path, reading,
      [&](const TablePiece& piece) { write_answers(piece.rows, piece.offset, piece.found, lines, sink); },
      [&](const std::string& line) { sink.note(line); });
}

void predict_loaded(const PredictOptions& options, Predictor& predictor, Sink& sink) {
  const ModelData loaded = load_for_model(options.data_path, options.data, predictor.model());
  for (const std::string& note : loaded.notes) sink.note(note);
  bool has_times = true;
  for (const Series& series : loaded.dataset.series) has_times = has_times && !series.times.empty();
  const AnswerLines lines(predictor.model(), true, has_times);
  Progress progress("predicting", loaded.dataset.rows());
  std::size_t done = 0;
  predictor.predict(loaded.dataset, [&](const Predictions& found) {
    write_answers(loaded.dataset, 0, found, lines, sink);
    const Window& last = found.windows.back();
    std::size_t now = last.begin + last.length;
    for (std::size_t i = 0; i < last.series; ++i) now += loaded.dataset.series[i].length();
    progress.advance(now - std::min(now, done));
    done = now;
  });
}

void predict_data(const PredictOptions& options, Predictor& predictor, Sink& sink) {
  ReadOptions reading = resolved(options.data);
  const bool whole = predictor.model().window.length == 0;
  if (!whole && options.data.part.empty() && can_stream(options.data_path, reading)) {
    ignore_unknown_columns(options.data_path, predictor.model(), reading);
    predict_streamed(options, reading, predictor, sink);
  } else {
    predict_loaded(options, predictor, sink);
  }
}

// Standard input, a line at a time; each answer is out before the next line is read.
void predict_lines(const PredictOptions& options, TrainedModel model) {
  if (!options.output.empty())
    reject({{"--output"}, "nothing beside -, whose answers go to standard output", quote(options.output)});
  StreamPredictor predictor(std::move(model));
  const ModelConfig& config = predictor.model().config();
  SampleLines samples(predictor.model().channels, resolved(options.data), "standard input");
  if (config.positions == "time" && !samples.has_times())
    reject({{"standard input"}, "times, as the model's positions", "none", "--time COLUMN"});
  const AnswerLines lines(predictor.model(), false, samples.has_times());
  std::vector<std::int64_t> times(config.length, 0);  // of the last samples, by number modulo length
  std::size_t count = 0;
  for (std::string line; std::getline(std::cin, line);) {
    const bool is_sample = samples.take(line);
    if (count == 0 && is_sample) {
      for (const std::string& note : samples.notes()) std::fputs(("faithful: " + note + "\n").c_str(), stderr);
      print(lines.header());
    }
    if (!is_sample) continue;
    times[count % config.length] = samples.time();
    const std::span<const float> found = predictor.push(samples.values(), samples.time());
    ++count;
    if (found.empty()) continue;
    print(lines.line({"", count - config.length, count, times[count % config.length], samples.time(), found}));
  }
}

void predict(const PredictOptions& options) {
  if (!options.output.empty() && !options.output.ends_with(".csv"))
    reject({{"--output"}, "a file name that ends in .csv", quote(options.output)});
  TrainedModel model = load_model(options.model);
  if (!options.scale_as.empty()) scale_as(model, options.scale_as);
  if (options.data_path == "-") return predict_lines(options, std::move(model));
  Predictor predictor(std::move(model), {.threads = options.threads});
  if (options.output.empty()) {
    Sink sink(predictor.model(), nullptr);
    return predict_data(options, predictor, sink);
  }
  std::string summary;
  write_file(options.output, [&](FileWriter& file) {
    Sink sink(predictor.model(), &file);
    predict_data(options, predictor, sink);
    summary = sink.summary();
  });
  print(fmt::format("{}: {}\n", options.output, summary));
}

}  // namespace

Command predict_verb() {
  const auto options = std::make_shared<PredictOptions>();
  std::vector<Option> list = {
      {.name = "MODEL", .target = &options->model, .help = "a model that faithful train wrote", .required = true},
      {.name = "DATA",
       .target = &options->data_path,
       .help = "a file or folder, labels not needed; -: lines of CSV on standard input",
       .required = true},
      {.name = "-o,--output",
       .target = &options->output,
       .value = "FILE",
       .help = "scores.csv; without it they are printed"},
      {.name = "--scale-as",
       .target = &options->scale_as,
       .value = "SERIES",
       .help = "scale as this series of the training",
       .shown_default = "by its name, else as all together"},
      threads_option(options->threads)};
  for (const Option& option : data_option_list(options->data)) list.push_back(option);
  return {.name = "predict",
          .summary = "a score and a class for each window of a data set",
          .description =
              "Says of every window (or, where the model was trained so, of every series) which class it has and how "
              "sure the model is: lines of CSV with series, begin, end, the times where there are any, the score (the "
              "probability of the second of two classes, or of each class) and the class. Columns are matched by name. "
              "With -, samples come as lines on standard input, and each is answered at once as soon as a window is "
              "full.",
          .options = list,
          .examples = {{"faithful predict pump.safetensors today.csv --time time -o scores.csv", "a file"},
                       {"tail -f log.csv | faithful predict pump.safetensors -", "a stream, one answer a sample"}},
          .run = [options] { predict(*options); }};
}

}  // namespace faithful::app
