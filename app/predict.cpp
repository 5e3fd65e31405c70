#include "faithful/predict/predict.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "app/data_arguments.h"
#include "app/predictions.h"
#include "app/used_model.h"
#include "app/verbs.h"
#include "faithful/base/error.h"
#include "faithful/base/progress.h"
#include "faithful/data/time_steps.h"
#include "faithful/data/times.h"
#include "faithful/io/file.h"
#include "faithful/io/line_reader.h"
#include "faithful/metrics/decide.h"
#include "faithful/model/infer.h"
#include "faithful/predict/sample_lines.h"
#include "faithful/predict/stream.h"
#include "faithful/trained/match.h"

namespace faithful::app {

namespace {

constexpr const char* kSkip = "skip";

struct PredictOptions {
  UsedModel model;
  std::string data_path, output, on_error = "stop";
  ReadOptions data;
  double coverage = 0;  // of prediction sets; 0: none
  std::size_t threads = default_threads();
};

// What sets need, where the user wants some.
std::optional<SetLimit> sets_of(const PredictOptions& options, const TrainedModel& model) {
  if (options.coverage == 0) return std::nullopt;
  return choose_set_limit(model, options.coverage);
}

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
  void count(std::int32_t class_number, PredictionStatus status) {
    ++windows_;
    if (class_number != kNoLabel) ++counts_[static_cast<std::size_t>(class_number)];
    invalid_ += status == PredictionStatus::kInvalid ? 1 : 0;
    out_of_range_ += status == PredictionStatus::kOutOfRange ? 1 : 0;
  }
  // Beside CSV on standard output, notes must not stand.
  void note(const std::string& line) const {
    if (file_ != nullptr) print_ahead(line + "\n");  // the file is still to be renamed
    if (file_ == nullptr) notice(line);
  }
  std::string summary() const {
    std::string text;
    const auto add = [&](std::size_t count, const std::string& what) {
      if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
    };
    for (std::size_t k = 0; k < counts_.size(); ++k) add(counts_[k], model_.classes[k]);
    add(invalid_, "invalid");
    return fmt::format("{} windows: {}", windows_, text);
  }
  // What whoever watches must know at the end: readings far outside, and windows without a score. The latter is an
  // error, unless bad input is to be skipped.
  void finish(bool skip) const {
    if (out_of_range_ > 0)
      note(fmt::format(
          "{} of {} windows have readings far outside of what training has seen, or a sensor that is silent (status "
          "out_of_range)",
          out_of_range_, windows_));
    if (invalid_ == 0) return;
    const std::string text = fmt::format("{} of {} predictions are invalid: see the column reason", invalid_, windows_);
    if (!skip) throw Error(fmt::format("{} ({} ends with exit code 0)", text, field_text("on_error", "skip")));
    note(text);
  }

 private:
  const TrainedModel& model_;
  FileWriter* file_;
  bool begun_ = false;
  std::vector<std::size_t> counts_;  // [K], windows of each class
  std::size_t windows_ = 0, invalid_ = 0, out_of_range_ = 0;
};

// The lines of some windows of a data set whose first row is row `offset` of what the user has.
void write_predictions(const Dataset& dataset, std::size_t offset, const Predictions& found, const TrainedModel& model,
                       const PredictionLines& lines, Sink& sink) {
  std::string text;
  for (std::size_t i = 0; i < found.windows.size(); ++i) {
    const Window& window = found.windows[i];
    const Series& series = dataset.series[window.series];
    const std::size_t begin = window.begin, end = begin + window.length;
    PredictionCheck check = found.checks[i];
    check.furthest.sample += offset;
    PredictionRow row{.series = series.name,
                      .begin = offset + begin,
                      .end = offset + end,
                      .probabilities = found.probabilities.row(i),
                      .status = check.status,
                      .reason = reason_text(model, check)};
    if (!series.times.empty()) {
      row.first = series.times[begin];
      row.last = series.times[end - 1];
    }
    text += lines.line(row);
    sink.count(found.classes[i], check.status);
  }
  sink.write(lines, text);
}

constexpr bool kNoLabels = false;  // nothing is compared with labels, and they may be bad

// A table of one series, some MB at a time.
void predict_streamed(const PredictOptions& options, const ReadOptions& reading, const TrainedModel& model,
                      ThreadPool& pool, Sink& sink) {
  const PredictionLines lines(model, true, !reading.time.empty() && reading.time != "none");
  predict_table(
      model, options.data_path, reading, pool,
      [&](const TablePiece& piece) { write_predictions(piece.rows, piece.offset, piece.found, model, lines, sink); },
      [&](const std::string& line) { sink.note(line); });
}

void predict_loaded(const PredictOptions& options, const TrainedModel& model, ThreadPool& pool, Sink& sink) {
  const Dataset dataset = read_for_model(options.data_path, options.data, model, kNoLabels);
  for (const std::string& note : dataset.notes) sink.note(note);
  bool has_times = true;
  for (const Series& series : dataset.series) has_times = has_times && !series.times.empty();
  const PredictionLines lines(model, true, has_times, sets_of(options, model));
  Progress progress("predicting", dataset.rows());
  std::size_t done = 0;
  std::vector<std::size_t> ends(dataset.series.size(), 0);  // of the last window of each series
  faithful::predict(model, dataset, pool, [&](const Predictions& found) {
    for (std::size_t i = 0; i < found.windows.size(); ++i)
      ends[found.windows[i].series] = found.windows[i].begin + found.windows[i].length;
    write_predictions(dataset, 0, found, model, lines, sink);
    const Window& last = found.windows.back();
    std::size_t now = last.begin + last.length;
    for (std::size_t i = 0; i < last.series; ++i) now += dataset.series[i].length();
    progress.advance(now - std::min(now, done));
    done = now;
  });
  const std::size_t covered = std::accumulate(ends.begin(), ends.end(), std::size_t{0});
  if (const std::string note = tail_note(dataset.rows() - covered, model); !note.empty()) sink.note(note);
}

void predict_data(const PredictOptions& options, const TrainedModel& model, Sink& sink) {
  ThreadPool pool(options.threads);
  ReadOptions reading = options.data;
  const std::vector<std::string> notes = settle_reading(options.data_path, model, reading, kNoLabels);
  if (model.takes_whole_series() || !can_stream(options.data_path, reading))
    return predict_loaded(options, model, pool, sink);
  for (const std::string& note : notes) sink.note(note);
  predict_streamed(options, reading, model, pool, sink);
}

// Missing values are as in training. Interpolation needs the next value, which a stream does not know: they are refused.
ReadOptions reading_of_stream(ReadOptions reading, const TrainedModel& model) {
  const Missing known = recorded_missing(model);
  if (reading.missing == Missing::kAuto && known != Missing::kInterpolate) reading.missing = known;
  return reading;
}

// Options of other readers, or of files with several series, would change nothing: they are refused.
void check_stream_options(ReadOptions reading) {
  ReadOptions standard;
  const std::vector<Setting> said = settings(reading), usual = settings(standard);
  constexpr std::string_view kOfStreams[] = {"missing",   "label",  "label_of",  "positive", "time",   "time_format",
                                             "time_unit", "series", "separator", "decimal",  "header", "data_dir"};
  for (std::size_t i = 0; i < said.size(); ++i) {
    const std::string& name = said[i].field.name;
    if (std::ranges::find(kOfStreams, name) != std::end(kOfStreams) || value_of(said[i]) == value_of(usual[i]))
      continue;
    if (name == "format" && reading.format == "csv") continue;  // it is
    throw InputError(fmt::format("{} does not apply to -: standard input is the lines of one table", field_text(name)));
  }
}

// Standard input, a line at a time; each prediction is printed before the next line is read.
class LinePredictor {
 public:
  LinePredictor(const PredictOptions& options, TrainedModel model)
      : skip_(options.on_error == kSkip),
        sets_(sets_of(options, model)),
        predictor_(std::move(model)),
        shape_(predictor_.model().shape()),
        samples_(predictor_.model().channels, reading_of_stream(options.data, predictor_.model()), "standard input",
                 recorded_table(predictor_.model())),
        sink_(predictor_.model(), nullptr),
        times_(shape_.length, 0) {}

  void run() {
    LineReader input(STDIN_FILENO, "standard input");
    std::string line;
    while (read(input, line)) {
    }
    if (count_ == 0) reject({{"standard input"}, "samples, a line each", "none"});
    if (!steps_)
      sink_.note(fmt::format("{} samples are fewer than a window of {}: no prediction", held(), shape_.length));
    sink_.finish(skip_);
  }

 private:
  // The next line; false at the end. A bad one ends the stream, or is answered as invalid and left out.
  bool read(LineReader& input, std::string& line) {
    try {
      if (!input.next(line)) return false;
      if (samples_.take(line, input.number())) take_sample();
    } catch (const InputError& error) {
      if (!skip_ || !samples_.begun()) throw;
      begin_once();
      const auto time = count_ == 0 ? std::nullopt : std::optional(samples_.time());  // of the last sample
      answer({.begin = count_,
              .end = count_,
              .first = time,
              .last = time,
              .status = PredictionStatus::kInvalid,
              .reason = error.spelled_by(flag_text)},
             kNoLabel);
    }
    return true;
  }

  // After the first line: its columns are known.
  void begin_once() {
    if (lines_) return;
    if (shape_.uses_times() && !samples_.has_times())
      reject({{"standard input"},
              "times, because the model uses times as positions",
              "none",
              field_text("time", "COLUMN")});
    for (const std::string& note : samples_.notes()) sink_.note(note);
    lines_.emplace(predictor_.model(), false, samples_.has_times(), sets_);
  }

  void take_sample() {
    begin_once();
    if (samples_.begins_anew()) begin_anew();
    if (samples_.has_times()) note_gap();
    times_[count_ % shape_.length] = samples_.time();
    const std::span<const float> found = predictor_.push(samples_.values(), samples_.time(), samples_.is_read());
    ++count_;
    if (held() == shape_.length && !steps_) note_step();
    if (found.empty()) return sink_.write(*lines_, "");
    PredictionCheck check = predictor_.check();
    check.furthest.sample += first_;
    const bool invalid = check.status == PredictionStatus::kInvalid;
    answer({.begin = count_ - shape_.length,
            .end = count_,
            .first = times_[count_ % shape_.length],
            .last = samples_.time(),
            .probabilities = found,
            .status = check.status,
            .reason = reason_text(predictor_.model(), check)},
           invalid ? kNoLabel : decide(found, predictor_.model().threshold));
  }

  std::size_t held() const { return count_ - first_; }

  // A window is of samples in the order of their times. One time far ahead must not end a stream for ever.
  void begin_anew() {
    sink_.note(fmt::format("sample {}: the time goes back from {} to {}, and two lines agree: the window begins anew",
                           count_, format_time(last_time()), format_time(samples_.time())));
    predictor_.reset();
    first_ = count_;
  }

  std::int64_t last_time() const { return times_[(count_ - 1) % shape_.length]; }

  // Once, of the samples of the first window.
  void note_step() {
    steps_.emplace();
    if (!samples_.has_times()) return;
    Series first{.times = times_};
    const auto oldest = static_cast<std::ptrdiff_t>(first_ % shape_.length);
    std::rotate(first.times.begin(), first.times.begin() + oldest, first.times.end());
    steps_ = summarize_steps(std::vector<const Series*>{&first});
    for (const std::string& note :
         {step_note("standard input", steps_->usual.sample, predictor_.model()), gaps_note(*steps_)})
      if (!note.empty()) sink_.note(note);
  }

  // The first gap after the first window. A stream goes on: how many will come is not known.
  void note_gap() {
    constexpr std::size_t kMany = 10;
    if (!steps_ || steps_->gaps > 0 || held() == 0) return;
    const std::size_t before = steps_->changed;
    steps_->add_step(nanoseconds_between(last_time(), samples_.time()));
    if (steps_->gaps > 0) sink_.note(fmt::format("sample {}: {}", count_, gaps_note(*steps_)));
    if (steps_->changed > before && steps_->changed == kMany)
      sink_.note(
          fmt::format("sample {}: {} steps in time differ from the usual {:.3g} s by more than a third: windows "
                      "cover different times",
                      count_, kMany, steps_->usual.sample));
  }

  void answer(const PredictionRow& row, std::int32_t class_number) {
    sink_.count(class_number, row.status);
    sink_.write(*lines_, lines_->line(row));
  }

  bool skip_;
  std::optional<SetLimit> sets_;
  StreamPredictor predictor_;
  WindowShape shape_;
  SampleLines samples_;
  std::optional<PredictionLines> lines_;  // from the first sample on: whether there are times is known then
  Sink sink_;
  std::vector<std::int64_t> times_;   // of the last samples, by number modulo length
  std::size_t count_ = 0;             // samples
  std::size_t first_ = 0;             // that the window may hold: those before are forgotten
  std::optional<StepSummary> steps_;  // of the first window, and the first gap after it; none before there is one
};

void predict(const PredictOptions& options) {
  if (!options.output.empty() && !options.output.ends_with(".csv"))
    reject({{"--output"}, "a file name that ends in .csv", quote(options.output)});
  if (options.data_path != "-") check_output_apart(options.output, options.data_path, options.data);
  TrainedModel model = load_used_model(options.model);
  std::vector<std::string> notes;
  add_scaling_note(model, notes);
  if (const std::optional<SetLimit> sets = sets_of(options, model); sets && !sets->note.empty())
    notes.push_back(sets->note);
  if (options.coverage > 0 && options.data_path == "-")
    notes.emplace_back("windows of a stream overlap: the coverage holds only where a window is a series of its own");
  for (const std::string& note : notes) notice(note);
  if (options.data_path == "-") {
    check_stream_options(options.data);
    if (!options.output.empty())
      throw InputError("--output does not apply to -: predictions for standard input go to standard output");
    return LinePredictor(options, std::move(model)).run();
  }
  const bool skip = options.on_error == kSkip;
  if (options.output.empty()) {
    Sink sink(model, nullptr);
    predict_data(options, model, sink);
    return sink.finish(skip);
  }
  std::optional<Sink> all;
  write_file(options.output, [&](FileWriter& file) {
    Sink& sink = all.emplace(model, &file);
    predict_data(options, model, sink);
  });
  print(fmt::format("{}: {}\n", options.output, all->summary()));
  all->finish(skip);
}

}  // namespace

Command predict_verb() {
  const auto options = std::make_shared<PredictOptions>();
  const std::vector<Option> output = {
      {"DATA", &options->data_path, "a file or folder, labels not needed; -: lines of CSV on standard input", required},
      {"-o,--output FILE", &options->output,
       "file for the predictions, such as scores.csv; without it they are printed", common},
      {"--on-error HOW", &options->on_error,
       "what to do with a bad line of a stream, or a window without a score: stop, or skip (predict invalid and go on)",
       one_of({"stop", kSkip}), common},
      {"--coverage X", &options->coverage,
       "adds a column with a set of classes for each series, which has the true class with this probability",
       by_default("no sets"), between(0.001, 0.999)}};
  return {
      .name = "predict",
      .summary = "predicts a score and a class for each window",
      .description =
          "Writes a line of CSV for each window, or for each series if the model takes whole series: series, begin, "
          "end, score, class and status, and the times if the data has them. The score is the probability of the second "
          "class. With more than two classes, each class has its own column. For models of whole series, "
          "--coverage 0.9 adds a set of classes that has the true one in 9 of 10 cases (conformal prediction). Columns of "
          "the data are matched by name; time, label and ignored columns are those of the training, unless you name others. With -, the program "
          "reads samples as lines from standard input, and predicts as soon as a window is full.",
      .options = joined({grouped("Model", used_model_options(options->model)),
                         grouped("Output", output),
                         data_option_list(options->data),
                         {threads_option(options->threads)}}),
      .examples = {{"faithful predict pump.safetensors today.csv --time time -o scores.csv", "a file"},
                   {"tail -f log.csv | faithful predict pump.safetensors -", "a stream of samples"}},
      .run = [options] { predict(*options); }};
}

}  // namespace faithful::app
