#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "faithful/data/time_steps.h"
#include "faithful/data/times.h"
#include "faithful/model/infer.h"
#include "faithful/predict/predict.h"
#include "faithful/trained/match.h"

namespace faithful {

namespace {

void append_rows(Series& series, const Series& more, std::size_t first) {
  const std::size_t columns = more.values.columns;
  series.values.columns = columns;
  series.values.values.insert(series.values.values.end(),
                              more.values.values.begin() + static_cast<std::ptrdiff_t>(first * columns),
                              more.values.values.end());
  series.values.rows += more.length() - first;
  if (!more.times.empty())
    series.times.insert(series.times.end(), more.times.begin() + static_cast<std::ptrdiff_t>(first), more.times.end());
}

void drop_rows(Series& series, std::size_t count) {
  std::vector<float>& values = series.values.values;
  values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count * series.values.columns));
  series.values.rows -= count;
  if (!series.times.empty())
    series.times.erase(series.times.begin(), series.times.begin() + static_cast<std::ptrdiff_t>(count));
}

// The rows that have been read and not been left behind.
class RollingTable {
 public:
  RollingTable(const TrainedModel& model, ThreadPool& pool, const std::function<void(const TablePiece&)>& take)
      : model_(model), pool_(pool), take_(take) {}

  void add(Dataset& block, const std::function<void(const std::string&)>& note) {
    if (rows_.series.empty()) {
      match_ = match_channels(model_.channels, block.channels, block.source);
      for (const std::string& line : match_.notes) note(line);
      steps_ = summarize_steps(block);
      if (const std::string line = step_note(block.source, steps_.usual.sample, model_); !line.empty()) note(line);
      rows_.name = block.name;
      rows_.source = block.source;
      rows_.channels = model_.channels;
      rows_.series.push_back({.name = block.series[0].name});
    } else {
      add_steps(block.series[0].times);
    }
    if (!block.series[0].times.empty()) last_time_ = block.series[0].times.back();
    take_columns(block, match_.columns, model_.channels);
    read_ += block.series[0].length();
    const std::size_t skipped = std::min(skip_, block.series[0].length());
    skip_ -= skipped;
    offset_ += skipped;
    append_rows(series(), block.series[0], skipped);
    if (series().length() >= length()) score();
  }

  // A table shorter than a window is still one, if the model has seen such.
  void finish(const std::function<void(const std::string&)>& note) {
    if (any_) {
      for (const std::string& line : {gaps_note(steps_), tail_note(read_ - covered_, model_)})
        if (!line.empty()) note(line);
      return;
    }
    for (const std::string& line : fit_to_model(rows_, model_)) note(line);
    score();
  }

 private:
  Series& series() { return rows_.series[0]; }
  std::size_t length() const { return model_.shape().length; }

  // Of a further block, from the last sample of the one before.
  void add_steps(const std::vector<std::int64_t>& times) {
    for (std::size_t t = 0; t < times.size(); ++t)
      steps_.add_step(nanoseconds_between(t == 0 ? last_time_ : times[t - 1], times[t]));
  }

  void score() {
    if (!any_ && model_.shape().uses_times()) fit_to_model(rows_, model_);
    any_ = true;
    predict(model_, rows_, pool_, [&](const Predictions& found) { take_({rows_, offset_, found}); });
    const std::size_t stride = model_.window.stride;
    if (series().length() < length()) return;
    const std::size_t next = ((series().length() - length()) / stride + 1) * stride;
    covered_ = offset_ + next - stride + length();
    const std::size_t dropped = std::min(next, series().length());
    drop_rows(series(), dropped);
    skip_ = next - dropped;
    offset_ += dropped;
  }

  const TrainedModel& model_;
  ThreadPool& pool_;
  const std::function<void(const TablePiece&)>& take_;
  Dataset rows_;
  ChannelMatch match_;
  StepSummary steps_;           // the usual one is that of the first block
  std::int64_t last_time_ = 0;  // of the block before
  std::size_t offset_ = 0, skip_ = 0;
  std::size_t read_ = 0, covered_ = 0;  // rows: of the table so far, and up to the end of the last window
  bool any_ = false;
};

}  // namespace

void predict_table(const TrainedModel& model, const std::string& path, const ReadOptions& options, ThreadPool& pool,
                   const std::function<void(const TablePiece&)>& take,
                   const std::function<void(const std::string&)>& note) {
  RollingTable table(model, pool, take);
  stream_dataset(path, options, [&](Dataset& block) { table.add(block, note); });
  table.finish(note);
}

std::string tail_note(std::size_t samples, const TrainedModel& model) {
  if (samples == 0) return "";
  return fmt::format("{} in no window and {} no prediction: windows begin every {} samples",
                     samples == 1 ? "1 sample at the end of a series lies"
                                  : fmt::format("{} samples at the end of a series lie", samples),
                     samples == 1 ? "has" : "have", model.window.stride);
}

}  // namespace faithful
