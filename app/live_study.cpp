#include "app/live_study.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "faithful/base/progress.h"
#include "faithful/metrics/summary.h"

namespace faithful::app {

namespace {

std::vector<double> headlines(const StudyState& state, const Arm& arm) {
  std::vector<double> values;
  for (const StudyRun& run : *state.runs)
    if (run.kind == RunKind::kRun && run.arm == arm && run.headline()) values.push_back(*run.headline());
  return values;
}

const char* headline_name(const StudyRun& run) {
  return run.scores.get("f1") ? "F1" : "accuracy";
}

std::string left_text(const StudyState& state) {
  if (state.done == state.jobs) return "done";
  return state.seconds_left < 0 ? "time left not known yet" : duration_text(state.seconds_left) + " left";
}

}  // namespace

LiveStudy::LiveStudy(std::string data, std::vector<Arm> arms, std::size_t seeds)
    : data_(std::move(data)), arms_(std::move(arms)), seeds_(seeds), terminal_(isatty(STDERR_FILENO) != 0) {}

LiveStudy::~LiveStudy() {
  erase();
}

void LiveStudy::erase() {
  if (drawn_ > 0) std::fputs(fmt::format("\x1b[{}F\x1b[J", drawn_).c_str(), stderr);
  drawn_ = 0;
}

std::string LiveStudy::table(const StudyState& state) const {
  std::string text = fmt::format("{}: {} of {} runs, {}\n", data_, state.done, state.jobs, left_text(state));
  std::size_t width = 3;
  for (const Arm& arm : arms_) width = std::max(width, to_string(arm).size());
  text += fmt::format("  {:<{}}  {:>7}  {:>11}\n", "arm", width, "seeds", "mean so far");
  for (const Arm& arm : arms_) {
    const std::vector<double> values = headlines(state, arm);
    text += fmt::format("  {:<{}}  {:>7}  {:>11}\n", to_string(arm), width, fmt::format("{}/{}", values.size(), seeds_),
                        values.empty() ? "" : fmt::format("{:.3f}", summarize(values).mean));
  }
  return text;
}

std::string LiveStudy::line(const StudyState& state) const {
  if (state.last == nullptr)
    return state.reused == 0 ? ""
                             : fmt::format("{}: {} of {} runs are there already\n", data_, state.reused, state.jobs);
  const StudyRun& run = *state.last;
  std::string what = fmt::format("{}, seed {}", to_string(run.arm), run.seed);
  if (run.kind == RunKind::kRun) {
    const std::vector<double> values = headlines(state, run.arm);
    what += fmt::format(": {} {:.3f} (mean of {}: {:.3f})", headline_name(run), run.headline().value_or(0),
                        values.size(), summarize(values).mean);
  } else if (run.kind == RunKind::kRate) {
    what = fmt::format("{} at rate {:g}: validation {:.3f}", to_string(run.arm), run.rate, run.validation);
  } else if (run.kind == RunKind::kGap) {
    what += ", gap probe";
  } else {
    what = fmt::format("{}, seed {}", to_string(run.kind), run.seed);
  }
  return fmt::format("{} {}/{}: {}; {}\n", data_, state.done, state.jobs, what, left_text(state));
}

void LiveStudy::show(const StudyState& state) {
  if (!terminal_) {
    std::fputs(line(state).c_str(), stderr);
    return;
  }
  erase();
  const std::string text = table(state);
  std::fputs(text.c_str(), stderr);
  drawn_ = static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace faithful::app
