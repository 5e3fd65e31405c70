#pragma once

// Lines of text that are read in parallel, one series from each.

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faithful/base/threads.h"
#include "faithful/data/dataset.h"
#include "faithful/data/readers_internal.h"

namespace faithful::data {

struct Line {
  std::string_view text;
  std::size_t number;  // from 1
};

// One series of each line by parse(line, series, class name); the first error of the text is the one thrown.
template <class Parse>
void parse_lines_into(Dataset& dataset, std::vector<std::string>& class_of_series, const std::vector<Line>& lines,
                      const Parse& parse) {
  constexpr std::size_t kGrain = 8;  // lines; each is some thousand numbers long
  dataset.series.resize(lines.size());
  class_of_series.resize(lines.size());
  const std::size_t pieces = (lines.size() + kGrain - 1) / kGrain;
  std::vector<std::exception_ptr> failures(pieces);
  ThreadPool pool(lines.size() < 4 * kGrain ? 1 : default_threads());
  pool.run(pieces, [&](std::size_t piece) {
    try {
      for (std::size_t i = piece * kGrain; i < std::min(lines.size(), (piece + 1) * kGrain); ++i)
        parse(lines[i], dataset.series[i], class_of_series[i]);
    } catch (...) {
      failures[piece] = std::current_exception();
    }
  });
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

// What .ts and .arff have in common after @data: a line is a case.
struct CaseFile {
  const std::string& name;   // for error messages
  std::string title;         // of the data set; empty: the file's stem
  const char* format;        // "ts"
  const char* comments;      // each begins a line that is passed over
  const char* channel_word;  // what the format calls a channel, in the plural
  bool has_class;
};

// The data set of the lines of `text`, which begins at line `number` + 1; parse as in parse_lines_into.
template <class Parse>
Dataset dataset_of_cases(std::string_view text, std::size_t number, const CaseFile& file, const Parse& parse,
                         const ReadOptions& options) {
  std::vector<Line> lines;
  while (!text.empty()) {
    const std::string_view line = trimmed(take_line(text));
    ++number;
    if (!line.empty() && std::string_view(file.comments).find(line.front()) == std::string_view::npos)
      lines.push_back({line, number});
  }
  if (lines.empty()) reject({{file.name}, "cases after @data", "none"});
  Dataset dataset;
  dataset.name = file.title.empty() ? stem_of(file.name) : file.title;
  std::vector<std::string> class_of_series;
  parse_lines_into(dataset, class_of_series, lines, parse);
  dataset.channels = numbered_channels(dataset.series[0].values.columns);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    dataset.series[i].name = std::to_string(i + 1);
    if (dataset.series[i].values.columns != dataset.channels.size()) {
      reject({{file.name, lines[i].number},
              std::to_string(dataset.channels.size()) + " " + file.channel_word + ", as in the first case",
              std::to_string(dataset.series[i].values.columns)});
    }
  }
  if (file.has_class) set_classes(dataset, class_of_series, options.positive, {file.name});
  return finished(std::move(dataset), file.name, file.format, options);
}

}  // namespace faithful::data
