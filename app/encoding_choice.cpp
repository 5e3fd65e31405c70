#include "app/encoding_choice.h"

#include <fmt/format.h>

#include "faithful/report/table.h"

namespace faithful::app {

std::string choice_text(const EncodingChoice& choice) {
  const std::string shortened =
      choice.steps < choice.all_steps
          ? fmt::format(", {} of {} steps so that they end in time", choice.steps, choice.all_steps)
          : "";
  Table table{.title = fmt::format("Encodings on {} folds of the training part{}{}", choice.folds, shortened,
                                   choice.ran_out_of_time ? "; then the time was over" : ""),
              .columns = {{"encoding"},
                          {choice.measure},
                          {"to " + choice.scores.front().name},
                          {"95 % interval"},
                          {"p (Holm)"}},
              .rows = {}};
  for (const EncodingScore& one : choice.scores) {
    const bool first = &one == &choice.scores.front();
    const Interval& interval = one.difference.interval;
    table.rows.push_back({one.name, fmt::format("{:.3f}", one.mean),
                          first ? "" : fmt::format("{:+.3f}", one.difference.summary.mean),
                          first ? "" : fmt::format("{:+.3f} to {:+.3f}", interval.low, interval.high),
                          first ? "" : fmt::format("{:.2g}", one.p)});
  }
  return to_text(table) + "\n" + sentence_of(choice) + "\n";
}

}  // namespace faithful::app
