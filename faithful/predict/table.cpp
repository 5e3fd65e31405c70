#include "faithful/predict/table.h"

#include <algorithm>
#include <utility>

#include "faithful/predict/match.h"

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
  RollingTable(Predictor& predictor, const std::function<void(const TablePiece&)>& take)
      : predictor_(predictor), take_(take) {}

  void add(Dataset& block, const std::function<void(const std::string&)>& note) {
    if (rows_.series.empty()) {
      match_ = match_channels(predictor_.model().channels, block.channels, block.source);
      for (const std::string& line : match_.notes) note(line);
      rows_.name = block.name;
      rows_.source = block.source;
      rows_.channels = predictor_.model().channels;
      rows_.series.push_back({.name = block.series[0].name});
    }
    rearrange_channels(block, match_, predictor_.model().channels);
    const std::size_t skipped = std::min(skip_, block.series[0].length());
    skip_ -= skipped;
    offset_ += skipped;
    append_rows(series(), block.series[0], skipped);
    if (series().length() >= length()) score();
  }

  // A table shorter than a window is still one, if the model has seen such.
  void finish(const std::function<void(const std::string&)>& note) {
    if (any_) return;
    for (const std::string& line : fit_to_model(rows_, predictor_.model())) note(line);
    score();
  }

 private:
  Series& series() { return rows_.series[0]; }
  std::size_t length() const { return predictor_.model().config().length; }

  void score() {
    if (!any_ && predictor_.model().config().positions == "time") fit_to_model(rows_, predictor_.model());
    any_ = true;
    predictor_.predict(rows_, [&](const Predictions& found) { take_({rows_, offset_, found}); });
    const std::size_t stride = predictor_.model().window.stride;
    if (series().length() < length()) return;
    const std::size_t next = ((series().length() - length()) / stride + 1) * stride;
    const std::size_t dropped = std::min(next, series().length());
    drop_rows(series(), dropped);
    skip_ = next - dropped;
    offset_ += dropped;
  }

  Predictor& predictor_;
  const std::function<void(const TablePiece&)>& take_;
  Dataset rows_;
  ChannelMatch match_;
  std::size_t offset_ = 0, skip_ = 0;
  bool any_ = false;
};

}  // namespace

void predict_table(Predictor& predictor, const std::string& path, const ReadOptions& options,
                   const std::function<void(const TablePiece&)>& take,
                   const std::function<void(const std::string&)>& note) {
  RollingTable table(predictor, take);
  stream_dataset(path, options, [&](Dataset& block) { table.add(block, note); });
  table.finish(note);
}

}  // namespace faithful
