#pragma once

// Lines of text that are read in parallel, one series from each.

#include <cstddef>
#include <exception>
#include <string_view>
#include <vector>

#include "faithful/base/threads.h"
#include "faithful/data/dataset.h"
#include "faithful/data/readers_internal.h"

namespace faithful::data {

struct Line {
  std::string_view text;
  std::size_t number;  // from 1
};

// One series of each line by parse(line, series, class name); the first complaint of the text is the one thrown.
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

}  // namespace faithful::data
