#include "app/study_runner.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "app/interrupt.h"
#include "app/pages/page_writer.h"
#include "faithful/base/cpu.h"
#include "faithful/base/error.h"
#include "faithful/base/number.h"
#include "faithful/base/progress.h"
#include "faithful/base/utf8.h"
#include "faithful/ranks/rank_crew.h"
#include "faithful/study/statistics.h"

namespace faithful::app {

namespace {

std::vector<double> headlines(const StudyState& state, const Arm& arm) {
  std::vector<double> values;
  for (const StudyRun& run : *state.runs)
    if (run.kind == RunKind::kRun && run.arm == arm && run.headline()) values.push_back(*run.headline());
  return values;
}

std::string left_text(const StudyState& state) {
  if (state.done == state.jobs) return "done";
  return state.seconds_left < 0 ? "time left not known yet" : duration_text(state.seconds_left) + " left";
}

// What the run that just ended shows.
std::string run_text(const StudyState& state, const StudyRun& run) {
  const std::string arm = fmt::format("{}, seed {}", to_string(run.arm), run.seed);
  switch (run.kind) {
    case RunKind::kRun: {
      const std::vector<double> values = headlines(state, run.arm);
      return fmt::format("{}: {} {:.3f} (mean of {}: {:.3f})", arm, run.scores.get("f1") ? "F1" : "accuracy",
                         run.headline().value_or(0), values.size(), summarize(values).mean);
    }
    case RunKind::kRate:
      return fmt::format("{} with learning rate {:g}: validation {:.3f}", to_string(run.arm), run.rate, run.validation);
    case RunKind::kGap:
      return arm + ", gap probe";
    default:
      return fmt::format("{}, seed {}", to_string(run.kind), run.seed);
  }
}

// The progress of one plan: on a terminal a table that is redrawn in place, elsewhere a line for every finished run.
class LiveStudy {
 public:
  explicit LiveStudy(const StudyPlan& plan) : plan_(plan) {}
  ~LiveStudy() { erase(); }
  LiveStudy(const LiveStudy&) = delete;
  LiveStudy& operator=(const LiveStudy&) = delete;

  void show(const StudyState& state) {
    erase();
    const std::string text = terminal_ ? table(state) : line(state);
    std::fputs(text.c_str(), stderr);
    if (terminal_) drawn_ = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  }

 private:
  void erase() {
    if (drawn_ > 0) std::fprintf(stderr, "\x1b[%zuF\x1b[J", drawn_);  // in the destructor: it allocates nothing
    drawn_ = 0;
  }

  std::string table(const StudyState& state) const {
    std::string text = fmt::format("{}: {} of {} runs, {}\n", data(), state.done, state.jobs, left_text(state));
    std::size_t width = 3;
    for (const Arm& arm : plan_.options().arms) width = std::max(width, to_string(arm).size());
    text += fmt::format("  {:<{}}  {:>7}  {:>11}\n", "arm", width, "seeds", "mean so far");
    for (const Arm& arm : plan_.options().arms) {
      const std::vector<double> values = headlines(state, arm);
      text += fmt::format("  {:<{}}  {:>7}  {:>11}\n", to_string(arm), width,
                          fmt::format("{}/{}", values.size(), plan_.options().seeds),
                          values.empty() ? "" : fmt::format("{:.3f}", summarize(values).mean));
    }
    return text;
  }

  std::string line(const StudyState& state) const {
    if (state.last != nullptr)
      return fmt::format("{} {}/{}: {}; {}\n", data(), state.done, state.jobs, run_text(state, *state.last),
                         left_text(state));
    return state.reused == 0 ? "" : fmt::format("{}: {} of {} runs are reused\n", data(), state.reused, state.jobs);
  }

  std::string data() const { return printable(plan_.settings().data); }

  const StudyPlan& plan_;
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  std::size_t drawn_ = 0;  // lines on the screen
};

FolderCrewOptions parse_worker(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto number = parse_number<std::size_t>(text.substr(0, slash));
  const auto of = parse_number<std::size_t>(slash == std::string::npos ? "" : text.substr(slash + 1));
  constexpr std::size_t kMost = 100'000;
  if (!number || !of || *number < 1 || *number > *of || *of > kMost)
    reject({{.field = "worker"}, "K/N with K from 1 to N, such as 2/8", quote(text)});
  return {.number = *number, .of = *of};
}

// Another instruction set may give other last digits. `found`: of all ranks, at rank 0.
void check_instructions(const std::vector<std::string>& found) {
  for (std::size_t rank = 0; rank < found.size(); ++rank)
    if (found[rank] != found[0])
      reject({{fmt::format("rank {}", rank)},
              fmt::format("the instruction set of rank 0, {}", found[0]),
              found[rank],
              "FAITHFUL_ISA sets one for all"});
}

}  // namespace

std::string runs_path(const std::string& folder) {
  return (std::filesystem::path(folder) / "runs.jsonl").string();
}

std::vector<Option> worker_option_list(WorkerArguments& arguments) {
  Option worker{"--worker K/N", &arguments.said,
                "be the K-th of N processes that share the runs through the folder of --output, on any machines",
                common};
  worker.shown_default = "";
  worker.set = [&arguments](const std::string& text) { arguments.worker = parse_worker(text); };
  return {worker,
          {"--worker-timeout SECONDS", &arguments.time_out,
           "how long a worker may show no sign of life before others take over its run", between(1, 1e6)}};
}

Ranks* join_study(const WorkerArguments& arguments) {
  if (arguments.worker) {
    refuse_ranks(field_text("worker"));
    return nullptr;
  }
  Ranks& ranks = join_job();
  if (!ranks.is_alone()) check_instructions(ranks.gather(instruction_set()));
  return &ranks;
}

StudySession::StudySession(const std::string& folder, std::size_t threads, const WorkerArguments& arguments,
                           Ranks* ranks)
    : path_(folder.empty() ? "" : runs_path(folder)) {
  if (arguments.worker && folder.empty())
    reject({{.field = "worker"}, fmt::format("a folder that all workers see: {}", field_text("output")), "none"});
  if (!arguments.worker) {
    if (ranks == nullptr || ranks->is_alone())
      own_crew_ = std::make_unique<ThreadCrew>(threads);
    else
      own_crew_ = std::make_unique<RankCrew>(*ranks, threads);
    crew_ = own_crew_.get();
    if (folder.empty() || is_silent()) return;
    make_folder(folder);
    file_ = std::make_unique<RunsFile>(path_);
    notice(file_->notice());
    return;
  }
  make_folder(folder);
  FolderCrewOptions options = *arguments.worker;
  options.threads = threads;
  options.time_out = arguments.time_out;
  worker_ = std::make_unique<StudyWorker>(path_, options);
  crew_ = &worker_->crew();
  name_ = fmt::format("worker {}/{}", options.number, options.of);
}

const std::vector<StudyRun>& StudySession::runs() const {
  static const std::vector<StudyRun> none;
  return file_ == nullptr ? none : file_->runs();
}

std::optional<std::vector<StudyRun>> StudySession::run(const std::vector<StudyPlan>& plans) {
  const StopOnInterrupt interrupt;
  std::vector<StudyRun> runs;
  if (worker_ != nullptr)
    for (const StudyPlan& plan : plans) worker_->use_settings(plan.settings());
  for (const StudyPlan& plan : plans) {
    LiveStudy live(plan);
    const StudyResult result = run_study(
        plan, file_.get(), {.crew = crew_, .stop = StopOnInterrupt::asked, .on_change = [&](const StudyState& state) {
                              if (!is_silent()) live.show(state);
                            }});
    if (result.stopped && path_.empty()) throw Error("stopped; without -o nothing is kept");
    if (result.stopped)
      throw Error(fmt::format("stopped; finished runs are {} {}: the same command continues",
                              worker_ != nullptr ? "kept beside" : "in", path_));
    for (const StudyRun& run : result.runs)
      if (find_run(runs, run.key) == nullptr) runs.push_back(run);  // the gap probe is the same for all data sets
  }
  if (is_silent()) return std::nullopt;
  if (worker_ == nullptr || worker_->finish(runs)) return runs;
  print(fmt::format("{}: all {} runs are in {}; the same command without {} prints the tables\n", name_, runs.size(),
                    path_, field_text("worker")));
  return std::nullopt;
}

}  // namespace faithful::app
