#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "app/interrupt.h"
#include "app/pages/demo_page.h"
#include "app/pages/page_writer.h"
#include "app/pages/paper_tables.h"
#include "app/verbs.h"
#include "faithful/base/error.h"
#include "faithful/base/progress.h"
#include "faithful/model/linear_model.h"
#include "faithful/simulate/elevator.h"
#include "faithful/train/fit_details.h"
#include "faithful/trained/model_file.h"

namespace faithful::app {

namespace {

struct DemoOptions {
  std::size_t trips = 1000, test_trips = 400, samples = 400, steps = 800, alarms = 20;
  std::size_t seed = 1;
  std::string output = "demo";
  std::size_t threads = default_threads();
};

constexpr const char* kDemoEncoding = "dft";
constexpr std::size_t kDemoStep = 8;  // samples of a step
constexpr std::size_t kDemoBatch = 16;
constexpr double kDemoValidation = 0.15;

ElevatorOptions demo_lift(const DemoOptions& said) {
  ElevatorOptions options;
  options.trips = said.trips, options.anomalies = 50;
  options.test_trips = said.test_trips, options.test_anomalies = 50;
  options.samples = said.samples, options.channels = 20;
  options.faults = {"load_cell", "rope_slip", "phase_resistance"};
  options.seed = said.seed;
  return options;
}

// The preset `standard` of `train`, at a resolution that shows the faults. No channels are mixed and no time is warped:
// the faults are small disagreements of sensors.
ModelConfig demo_model(const std::string& encoding) {
  ModelConfig model;
  model.form = ModelForm::kEncoder;
  model.input = {.differences = 2,
                 .average = 2,
                 .filters = 21,
                 .kernel = 7,
                 .branches = 3,
                 .blocks = 2,
                 .segment = kDemoStep / 2,
                 .stages = 3};
  model.position = {
      .encoding = encoding, .scale = "as-defined", .own = {}, .source = PositionSource::kIndex, .seed = 1};
  model.body = {.width = 64,
                .heads = 4,
                .head_width = 0,
                .layers = 1,
                .feed_forward = 0,
                .block = LayerBlock::kPre,
                .activation = LayerActivation::kGelu,
                .dropout = 0.2,
                .sensor_weights = false,
                .step_weights = false};
  model.head = {.pooling = Pooling::kMean, .hidden = 512};
  return model;
}

TrainOptions demo_training(const DemoOptions& said) {
  return {.epochs = 60,  // the steps decide
          .steps = said.steps,
          .stop_after = 0,
          .batch = kDemoBatch,
          .learning_rate = 2e-3,
          .warm_up = 0.1,
          .floor = 0,
          .decay = 0.01,
          .clip_norm = 1,
          .patience = 0,
          .class_weights = ClassWeights::kAuto,
          .select = Selection::kLast,
          .smoothing = 0.05,
          .augmentation = {.warp = 0, .crop = 0.05, .mix = 0, .gain = 0, .jitter = 0, .cutout = 0},
          .seed = said.seed};
}

// Every option has its name here, so that new defaults of `train` do not change what the demo shows.
FitOptions demo_fit(const DemoOptions& said, const std::string& encoding) {
  FitOptions fit;
  fit.model = demo_model(encoding);
  fit.split = {.kind = SplitKind::kGiven,
               .window = {.length = 0, .stride = 1, .label_rule = LabelRule::kAny},
               .train = 1 - 2 * kDemoValidation,
               .validation = kDemoValidation,
               .seed = said.seed,
               .folds = 1,
               .fold = 0,
               .refit = false};
  fit.scaler = ScalerKind::kStandard;
  fit.scaling = Scaling::kCommon;
  fit.train = demo_training(said);
  fit.threshold = {.kind = ThresholdKind::kValue, .value = 0.5, .per_day = false};
  fit.kind = ModelKind::kTransformer;
  fit.ensemble = 1;
  fit.calibrate = false;
  fit.cross_validate = true;
  fit.score_test = true;
  fit.prevalence = 0;
  fit.baselines = encoding == kDemoEncoding;
  fit.baseline = {.seed = said.seed,
                  .steps = 400,
                  .rate = 0.05,
                  .decay = 0.01,
                  .weigh_classes = true,
                  .best_f1 = true,
                  .events = true,
                  .prevalence = 0};
  return fit;
}

// One bar for all: a unit is about as long as the simulation of one trip.
struct DemoWork {
  explicit DemoWork(const DemoOptions& said)
      : per_step(std::max<std::size_t>(1, said.samples / 133)),
        per_alarm(10),
        total(said.trips + said.test_trips + 2 * said.steps * per_step + said.alarms * per_alarm + kDrawing) {}
  static constexpr std::size_t kDrawing = 100;
  std::size_t per_step, per_alarm, total;
};

FitResult fit_demo(const Dataset& lift, const FitOptions& options, ThreadPool& pool, Progress& progress,
                   std::size_t per_step) {
  progress.set_note("training, encoding " + options.model.position.encoding);
  FitControl control;
  control.stop = [&] {
    progress.advance(per_step);
    return StopOnInterrupt::asked();
  };
  FitResult result = fit_in_detail(lift, options, pool, control);
  if (result.stopped) throw Error("stopped; nothing was written");
  return result;
}

Evaluation evaluate_demo(const Matrix<float>& probabilities, const Windows& test, double threshold, ThreadPool& pool) {
  return evaluate_predictions(probabilities, test,
                              {.threshold = threshold, .resamples = 2000, .level = 0.95, .seed = 1}, pool);
}

std::optional<Interval> f1_interval(const Evaluation& evaluation) {
  for (const Measure& measure : evaluation.measures)
    if (measure.key == "f1") return measure.found.interval;
  return std::nullopt;
}

DemoRow demo_row(std::string name, const Matrix<float>& probabilities, const Windows& test, double threshold,
                 ThreadPool& pool) {
  const Evaluation found = evaluate_demo(probabilities, test, threshold, pool);
  return {std::move(name), found.scores, f1_interval(found)};
}

// The model, the same without an encoding, and the baselines, the best of them first.
std::vector<DemoRow> demo_rows(const FitResult& model, const FitResult& without, const FitOptions& options,
                               ThreadPool& pool) {
  const Windows& test = model.sets.test;
  std::vector<DemoRow> rows{demo_row(fmt::format("the model, encoding {}", kDemoEncoding), model.test_probabilities,
                                     test, model.model.threshold, pool),
                            demo_row("the same, encoding none", without.test_probabilities, without.sets.test,
                                     without.model.threshold, pool)};
  for (auto one = model.baselines.rbegin(); one != model.baselines.rend(); ++one) {
    DemoRow row{one->name, one->test, std::nullopt};
    if (one->name == "linear") {
      const LinearModel linear = fit_linear_model(model.sets.train, linear_options(options.baseline), pool);  // again
      row.interval = f1_interval(evaluate_demo(probabilities_of(linear, test, pool), test, one->threshold, pool));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::uint8_t> flags_at(const Matrix<float>& probabilities, double threshold) {
  std::vector<std::uint8_t> flags(probabilities.rows);
  for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = static_cast<double>(probabilities(i, 1)) >= threshold;
  return flags;
}

// F1 with the encoding minus F1 without, over resamples of the same trips.
Bootstrap demo_gain(const FitResult& model, const FitResult& without, ThreadPool& pool) {
  const std::vector<std::uint8_t> truth = flags_of(model.sets.test.labels());
  const std::vector<std::uint8_t> one = flags_at(model.test_probabilities, model.model.threshold);
  const std::vector<std::uint8_t> other = flags_at(without.test_probabilities, without.model.threshold);
  return bootstrap(truth.size(),
                   [&](std::span<const double> counts) {
                     return confusion(truth, one, counts).f1() - confusion(truth, other, counts).f1();
                   },
                   {.resamples = 2000, .level = 0.95, .seed = 1, .pool = &pool});
}

std::vector<std::string> how_made(const DemoOptions& said, const ElevatorOptions& lift, const FitResult& model) {
  return {
      fmt::format("Data: {} trips of a simulated lift to train and validate, {} others to test; half of them have "
                  "one of {} faults ({}). A trip is 20 s of 20 sensors, {} samples each. Seed {}.",
                  said.trips, said.test_trips, lift.faults.size(), fmt::join(lift.faults, ", "), said.samples,
                  said.seed),
      fmt::format("Model: a Transformer with {} weights; convolutions of three lengths, then {} steps of {} samples "
                  "with one layer of attention; {} training steps of {} trips. Of the training trips, {:.0f} % were "
                  "left out, for the threshold of the linear model. The model has threshold 0.5.",
                  model.model.weight_count(), (said.samples + kDemoStep - 1) / kDemoStep, kDemoStep, said.steps,
                  kDemoBatch, 100 * kDemoValidation),
      "Faults, model and training were chosen on simulations with other seeds. Of about five mixes of faults, this one "
      "was taken because a linear model is weak on it. The test trips were scored once.",
      "The same command gives the same numbers on any number of threads. The model is model.safetensors, beside "
      "this page: faithful predict, evaluate and diagnose take it."};
}

void demo(const DemoOptions& said) {
  const ElevatorOptions elevator = demo_lift(said);
  const FitOptions with = demo_fit(said, kDemoEncoding), plain = demo_fit(said, "none");
  make_folder(said.output);
  const DemoWork work(said);
  ThreadPool pool(said.threads);
  const StopOnInterrupt stop;
  auto progress = std::make_unique<Progress>("demo", work.total);
  progress->set_note("simulating a lift");
  Dataset lift = make_elevator(elevator, pool, progress.get());
  lift.name = "Elevator (simulated here)";
  const FitResult model = fit_demo(lift, with, pool, *progress, work.per_step);
  const FitResult without = fit_demo(lift, plain, pool, *progress, work.per_step);
  progress->set_note("diagnosing");
  const DiagnosisReport report =
      diagnose(model.model, lift, {.normal = &lift, .held_out = true, .most = said.alarms, .seed = said.seed}, pool);
  progress->advance(said.alarms * work.per_alarm);
  progress->set_note("drawing");
  const std::vector<Analysis> analyses = paper_analyses(said.threads);
  const DemoContent content{.encoding = kDemoEncoding,
                            .rows = demo_rows(model, without, with, pool),
                            .gain = demo_gain(model, without, pool),
                            .train_trips = said.trips,
                            .made = how_made(said, elevator, model),
                            .report = report,
                            .analyses = analyses};
  save_model((std::filesystem::path(said.output) / "model.safetensors").string(), model.model);
  const std::string page = write_demo_page(said.output, content);
  progress.reset();
  std::string text = to_text(demo_scores_table(content)) + "\n";
  for (const std::string& sentence : demo_sentences(content)) text += sentence + "\n";
  print(text + "\n" + page + "\n");
}

}  // namespace

Command demo_verb() {
  const auto options = std::make_shared<DemoOptions>();
  return {.name = "demo",
          .summary = "shows in minutes, offline, a model that finds the faults of a simulated lift",
          .description =
              "Simulates trips of a lift, half of them with a fault. Trains a Transformer to find the faulty trips, "
              "and the same without a positional encoding. Scores both on trips that they have not seen, beside "
              "baselines. Diagnoses an alarm: which sensor, and when. Draws Figures 1 and 2 of the paper. The page "
              "begins with the answer in three sentences.",
          .options = {{"--trips N", &options->trips, "trips to train and validate", at_least(40)},
                      {"--test-trips N", &options->test_trips, "trips to test", at_least(20)},
                      {"--samples N", &options->samples, "samples of a trip", at_least(100)},
                      {"--steps N", &options->steps, "training steps", at_least(1)},
                      {"--alarms N", &options->alarms, "alarms to diagnose, surest first", at_least(1)},
                      {"--seed N", &options->seed, "seed of the lift, the trips and the trainings"},
                      {"-o,--output DIR", &options->output, "folder for the page, figures, tables and the model"},
                      threads_option(options->threads)},
          .examples = {{"faithful demo", "minutes, offline"},
                       {"faithful demo --seed 2 -o again", "another lift, other trips, another training"}},
          .run = [options] { demo(*options); }};
}

}  // namespace faithful::app
