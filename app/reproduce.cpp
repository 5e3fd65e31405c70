#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "app/pages/analysis_figures.h"
#include "app/pages/paper_tables.h"
#include "app/pages/study_page.h"
#include "app/study_runner.h"
#include "app/verbs.h"
#include "faithful/base/progress.h"
#include "faithful/data/read.h"
#include "faithful/simulate/elevator.h"

namespace faithful::app {

namespace {

struct ReproduceOptions {
  bool quick = false;
  std::optional<std::size_t> seeds, epochs;  // instead of the defaults
  std::vector<double> rates;                 // instead of the defaults
  std::string output = "reproduction";
  std::string data_dir;
  std::size_t threads = threads_of_rank();
  WorkerArguments worker;
};

// Every step is embedded alone, so that only the encoding carries the order.
FitOptions fit_options(std::size_t width, std::size_t layers, std::size_t segment, std::size_t epochs) {
  FitOptions fit;
  fit.model = preset("plain");
  fit.model.body.width = width;
  fit.model.body.layers = layers;
  fit.model.input.segment = segment;
  fit.train.epochs = epochs;
  return fit;
}

StudyOptions study_options(FitOptions fit, const ReproduceOptions& said) {
  StudyOptions options;
  options.fit = std::move(fit);
  if (said.epochs) options.fit.train.epochs = *said.epochs;
  options.arms = make_arms({"none", "sinusoidal", "dft"}, {"as-defined"});
  options.seeds = said.seeds.value_or(said.quick ? 3 : 10);
  if (said.quick) options.rates = {2e-3};
  if (!said.rates.empty()) options.rates = said.rates;
  options.gap_seeds = 0;
  return options;
}

constexpr double kPrevalence = 0.03;  // of the authors' set

// Trips of 20 s, 3 % of them anomalous as published. The test part is half anomalous, and its scores are reweighted to
// 3 %. There are only two kinds of faults: 90 examples are enough to learn them. Quick: fewer and shorter trips, half of
// them anomalous, because 3 % of so few trips would be too few to learn from.
Dataset make_lift(bool quick, std::size_t threads) {
  ElevatorOptions options;
  options.trips = 3000, options.anomalies = 3, options.test_trips = 1200, options.samples = 1000;
  options.faults = {"rope_slip", "phase_resistance"};
  if (quick) {
    options.trips = 1600, options.anomalies = 50, options.test_trips = 0, options.samples = 160;
    options.faults = {"demagnetised", "brake_drag"};
  }
  ThreadPool pool(threads);
  Progress progress("simulating the lift", options.trips + options.test_trips);
  Dataset dataset = make_elevator(options, pool, is_silent() ? nullptr : &progress);
  dataset.name = "Elevator (simulated here)";
  return dataset;
}

// As in tools/study Elevator. The gap probe, which is the same for all data, goes with it.
StudyPlan lift_plan(const Dataset& lift, const ReproduceOptions& said) {
  FitOptions fit = said.quick ? fit_options(40, 1, 4, 32) : fit_options(64, 2, 20, 6);
  fit.split.kind = said.quick ? SplitKind::kSeries : SplitKind::kGiven;
  fit.split.window.length = 0;
  fit.split.folds = 1;
  fit.scaling = Scaling::kCommon;
  if (said.quick) fit.train.decay = 0.1;
  if (!said.quick) fit.model.input.differences = 2;  // faults are small and fast in signals that are large and slow
  if (!said.quick) fit.prevalence = kPrevalence;
  StudyOptions options = study_options(std::move(fit), said);
  if (!said.quick) options.gap_seeds = std::min<std::size_t>(3, options.seeds);
  return {lift, std::move(options)};
}

// Windows of 100 samples. On the random split they overlap by at least four fifths, as in published work; only so do
// scores come near those of the paper.
StudyPlan timeline_plan(const Dataset& dataset, SplitKind split, std::size_t stride, const ReproduceOptions& said) {
  FitOptions fit = fit_options(64, 2, 2, 12);
  fit.split.kind = split;
  fit.split.window = {.length = 100, .stride = stride};
  fit.scaling = Scaling::kSeries;
  return {dataset, study_options(std::move(fit), said)};
}

std::optional<Dataset> find_set(const std::string& name, const std::string& data_dir) {
  if (std::filesystem::exists(find_data(name, data_dir))) return load_dataset(name, ReadOptions{.data_dir = data_dir});
  notice(fmt::format("{} was not found (set FAITHFUL_DATA or --data-dir); it is left out", name));
  return std::nullopt;
}

void show_estimate(const std::vector<StudyPlan>& plans, const StudySession& session) {
  double seconds = 0;
  for (const StudyPlan& plan : plans) seconds += estimate_seconds(plan, session.runs(), session.trainings_at_once());
  std::fprintf(stderr, "this takes about %s; after Ctrl-C the same command continues\n",
               duration_text(seconds).c_str());
}

std::string write_page(const ReproduceOptions& said, const StudyReport& report, bool all_data) {
  PageWriter writer(said.output, "The paper, reproduced", said.quick ? "reproduce --quick" : "reproduce");
  Page& page = writer.page;
  page.add_paragraph(
      "Idé, Labaien and Chen, \"Improving Transformers using Faithful Positional Encoding\": its figures, theorem, "
      "table and claims, each beside our results.");
  if (said.quick)
    page.add_note(
        "Quick: one small simulated lift (short trips, two kinds of faults, half of the trips anomalous). Its scores "
        "cannot be compared with those of the paper, where 3 % of the trips are anomalous. With fewer than 10 seeds "
        "every comparison below is exploratory.");
  const std::vector<Analysis> analyses = paper_analyses(said.threads);
  page.add_heading("Figures 1 and 2");
  const std::vector<CaptionedFigure> drawn = analysis_figures(analyses);
  for (std::size_t i = 0; i < 2; ++i) writer.add(drawn[i]);
  page.add_table(reference_table(analyses));
  page.add_heading("Theorem 1");
  page.add_table(theorem_table());
  page.add_heading("Table 1");
  page.add_table(table_one(report));
  page.add_heading("Claims");
  page.add_table(claims_table(report, all_data));
  add_study(writer, report);
  return writer.save();
}

// Only claims and verdicts: the reasons are too long for a terminal.
Table without_reasons(Table claims) {
  claims.columns.pop_back();
  for (std::vector<Cell>& row : claims.rows) row.pop_back();
  return claims;
}

void reproduce(const ReproduceOptions& said) {
  check_study_options(study_options({}, said));  // before the lift is simulated
  Ranks* ranks = join_study(said.worker);
  StudySession session(said.output, said.threads, said.worker, ranks);
  const Dataset lift = make_lift(said.quick, said.threads);
  const std::optional<Dataset> smd = said.quick ? std::nullopt : find_set("SMD", said.data_dir);
  const std::optional<Dataset> msl = said.quick ? std::nullopt : find_set("MSL", said.data_dir);
  std::vector<StudyPlan> plans{lift_plan(lift, said)};
  if (smd) plans.push_back(timeline_plan(*smd, SplitKind::kRandom, 20, said));
  if (msl) plans.push_back(timeline_plan(*msl, SplitKind::kRandom, 10, said));
  if (smd) plans.push_back(timeline_plan(*smd, SplitKind::kBlocked, 100, said));
  if (msl) plans.push_back(timeline_plan(*msl, SplitKind::kBlocked, 50, said));
  if (session.shows_estimate()) show_estimate(plans, session);
  const std::optional<std::vector<StudyRun>> runs = session.run(plans);
  if (!runs) return;
  const StudyReport report = make_report(*runs);
  const std::string path = write_page(said, report, smd && msl);
  print(to_text(table_one(report)) + "\n" + to_text(without_reasons(claims_table(report, smd && msl))) + "\n" + path +
        "\n");
}

}  // namespace

Command reproduce_verb() {
  const auto options = std::make_shared<ReproduceOptions>();
  return {
      .name = "reproduce",
      .summary = "reproduces the figures, tables and claims of the paper",
      .description =
          "Draws Figures 1 and 2 and checks their numbers, checks Theorem 1, trains the models of Table 1, and gives a "
          "verdict on each claim. Elevator is simulated here. SMD and MSL are used if they are found: once with a random "
          "split as in published work, and once with a split that does not leak. It first prints how long it will "
          "take. Finished runs are kept: the same command continues after a stop.",
      .options = joined(
          {{{"--quick", &options->quick, "only figures, theorem and a small simulated lift: minutes, no data needed"},
            {"--seeds N", &options->seeds, "seeds of every encoding", at_least(1), by_default("10; quick: 3")},
            {"--epochs N", &options->epochs, "passes over the training parts", at_least(1),
             by_default("12; Elevator: 6; quick: 32")},
            {"--rates LIST", &options->rates, "learning rates to choose from, as in compare",
             by_default("0.001,0.002,0.004; quick: 0.002")},
            {"-o,--output DIR", &options->output, "folder for the page, figures, tables and finished runs"},
            {"--data-dir DIR", &options->data_dir, "folder with SMD and MSL", by_default("FAITHFUL_DATA")},
            threads_option(options->threads)},
           worker_option_list(options->worker)}),
      .examples = {{"faithful reproduce --quick", "a few minutes, offline"},
                   {"faithful reproduce -o paper --data-dir data", "hours; the same command continues after a stop"}},
      .run = [options] { reproduce(*options); },
      .takes_ranks = true};
}

}  // namespace faithful::app
