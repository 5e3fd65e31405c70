#include "app/show_model.h"

#include <algorithm>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/kernels/kernel_model.h"
#include "faithful/model/ensemble.h"
#include "faithful/model/infer.h"
#include "faithful/model/linear_model.h"
#include "faithful/report/table.h"
#include "faithful/report/text.h"

namespace faithful::app {

namespace {

std::string item(const char* name, const std::string& text) {
  return fmt::format("  {:<12}{}\n", name, text);
}

// `12: "a", "b", ...`: quoted, because the names come from files.
std::string names_text(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8;
  std::string text = fmt::format("{}: ", names.size());
  for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i) text += (i == 0 ? "" : ", ") + quote(names[i]);
  return text + (names.size() > kMost ? ", ..." : "");
}

std::string differences_text(const ModelConfig& config) {
  if (config.input.differences == 0) return "";
  return fmt::format(", with differences in time up to order {}", config.input.differences);
}

std::string dfstrans_text(const ModelConfig& config) {
  const char* own = config.body.sensor_weights
                        ? (config.body.step_weights ? "of every sensor and every step" : "of every sensor")
                    : config.body.step_weights ? "of every step"
                                               : "shared by all sensors and steps";
  return fmt::format(
      "dfstrans: {} steps of {} samples, {} stages of {} filters over {} samples for each sensor, width {}, "
      "heads: {} of width {}, feed-forward {}, attention weights {}{}",
      config.steps(), config.input.segment, config.input.stages, config.input.filters, config.input.kernel,
      config.body.width, config.body.heads, config.key_width(), config.hidden(), own, differences_text(config));
}

std::string field_of(const ModelConfig& config, const std::string& name) {
  for (const auto& [field, value] : recorded_fields(config))
    if (field == name) return to_text(value);
  return "";
}

std::string embedding_text(const InputConfig& input) {
  std::string text = input.average > 1 ? fmt::format("means of {} samples, ", input.average) : "";
  if (input.branches > 0) {
    std::vector<std::size_t> lengths;
    for (std::size_t i = 0; i < input.branches; ++i) lengths.push_back(branch_kernel(input, i));
    if (input.bottleneck > 0) text += fmt::format("{} mixtures of the columns, ", input.bottleneck);
    return text + fmt::format("convolutions of {} filters over {} samples, residual blocks: {}", input.filters,
                              fmt::join(lengths, ", "), input.blocks);
  }
  if (input.filters == 0) return text + "linear embedding";
  return text + fmt::format("convolution of {} filters over {} samples", input.filters, input.kernel);
}

std::string form_text(const ModelConfig& config) {
  if (config.is_dfstrans()) return dfstrans_text(config);
  std::string text = embedding_text(config.input);
  if (config.input.segment > 1) text += fmt::format(" in segments of {}", config.input.segment);
  return text + differences_text(config) +
         fmt::format(", width {}, layers: {} ({}), heads: {} of width {}, pooling {}", config.body.width,
                     config.body.layers, field_of(config, "block"), config.body.heads, config.key_width(),
                     field_of(config, "pooling"));
}

std::string kernels_text(const KernelModel& model) {
  const KernelModelParts& parts = model.parts();
  return fmt::format("ridge classifier on {} features of random convolutions, penalty {}, temperature {}",
                     parts.features.count(), number_text(parts.penalty, 3), number_text(parts.temperature, 3));
}

std::string encoding_text(const ModelConfig& config) {
  std::string text = config.position.encoding;
  if (config.position.scale != "as-defined") text += ", scale " + config.position.scale;
  for (std::size_t i = 0; i < own_options().size(); ++i) {
    const FieldValue& value = config.position.own.values()[i];
    if (value != own_options()[i].standard) text += fmt::format(", {} {}", own_options()[i].field.name, to_text(value));
  }
  if (config.has_times())
    text += fmt::format(", positions are times in steps of {:g} s", config.position.time_step * 1e-9);
  return text;
}

std::string window_text(const TrainedModel& model) {
  if (model.window.length == 0) return fmt::format("whole series of up to {} samples", model.shape().length);
  return fmt::format("{} samples, stride {}, label rule {}", model.window.length, model.window.stride,
                     to_string(model.window.label_rule));
}

std::string scaler_text(const ScalerRecord& record) {
  if (record.scaling == Scaling::kWindow) return to_string(record.kind) + ", each window by its own statistics";
  return to_string(record.kind) +
         (record.by_series.empty() ? ", by the statistics of all training data"
                                   : fmt::format(", each training series by its own statistics ({} series); new data "
                                                 "by those of all of them",
                                                 record.by_series.size()));
}

std::string value_text(const Json& json) {
  return json.is_string()                         ? json.string()
         : json.is_number() && !json.is_integer() ? number_text(json.number(), 4)
                                                  : dump_json(json);
}

// `name value, name value` of the members that are numbers or words.
std::string members_text(const Json& json) {
  std::string text;
  if (!json.is_object()) return text;
  for (const auto& [name, value] : json.members()) {
    if (value.is_object() || value.is_array() || value.is_null()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value_text(value));
  }
  return text;
}

// Lines about one model; of an ensemble those of each member.
std::string predictor_text(const WindowModel& model) {
  if (const Transformer* transformer = model.transformer())
    return item("form", form_text(transformer->config())) + item("encoding", encoding_text(transformer->config()));
  if (const auto* linear = dynamic_cast<const LinearModel*>(&model))
    return item("form",
                fmt::format("logistic regression on {} summaries of the channels", linear->parts().shift.size()));
  const auto* ensemble = dynamic_cast<const Ensemble*>(&model);
  if (ensemble == nullptr) return item("form", kernels_text(dynamic_cast<const KernelModel&>(model)));
  std::string text = item("form", fmt::format("mean of {} models, temperature {}", ensemble->members().size(),
                                              number_text(ensemble->temperature(), 3)));
  for (const EnsembleMember& member : ensemble->members())
    text += item("member", fmt::format("weight {}", number_text(member.weight, 3))) + predictor_text(*member.model);
  return text;
}

}  // namespace

std::string model_text(const TrainedModel& model) {
  std::string text = fmt::format("classifier of {} weights\n", model.weight_count());
  text += predictor_text(*model.predictor);
  text += item("channels", names_text(model.channels));
  text += item("classes", names_text(model.classes));
  text += item("window", window_text(model));
  text += item("scaler", scaler_text(model.scaler));
  if (model.classes.size() == 2)
    text += item("threshold", fmt::format("{} ({})", number_text(model.threshold, 4), model.threshold_from));
  if (model.conformal)
    text += item("sets", fmt::format("{}, from {} held-out series", model.conformal->method, model.conformal->count));
  for (const char* name : {"data", "split", "training", "held_out", "test"}) {
    const std::string members = members_text(model.record[name]);
    if (!members.empty()) text += item(std::string_view(name) == "held_out" ? "validation" : name, members);
  }
  const Json& epochs = model.record["epochs"];
  const Json& best = model.record["best_epoch"];
  if (epochs.is_integer()) {
    // 0: cross-validation had fixed the number of epochs.
    const bool chosen = best.is_integer() && best.integer() == 0;
    text += item("epochs", epochs.integer_text() + (chosen ? " run" : " run, best " + value_text(best)));
  }
  const Json* proof = model.record["proof"].find("holds");
  if (proof != nullptr && proof->is_bool())
    text +=
        item("proof", proof->boolean() ? "no sample and no window is in two parts" : "parts share samples or windows");
  if (model.record["baselines"].is_object()) {
    for (const auto& [name, scores] : model.record["baselines"].members())
      text += item("baseline", fmt::format("{}: {}", name, members_text(scores)));
  }
  const Json& program = model.record["program"];
  if (program.is_string()) text += item("made by", "faithful " + program.string());
  return text;
}

std::string thresholds_text(const TrainedModel& model) {
  if (!model.thresholds || model.thresholds->points.empty())
    reject({{"--thresholds"},
            "a model that keeps its validation scores",
            "none",
            "models of two classes keep them where both are in the part that validates"});
  constexpr std::size_t kRows = 20;
  const ThresholdCurve& curve = *model.thresholds;
  Table table{
      .title = "Thresholds on the validation part",
      .columns = {{"threshold"}, {"precision"}, {"recall"}, {"events detected"}, {"false alarms"}, {curve.rate_unit()}},
      .rows = {}};
  const std::size_t count = curve.points.size(), step = (count + kRows - 1) / kRows;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % step != 0 && i + 1 != count) continue;
    const ThresholdPoint& point = curve.points[i];
    table.rows.push_back({Cell(point.threshold, 3), Cell(point.precision, 3), Cell(point.recall, 3),
                          fmt::format("{} of {}", point.detected, curve.events), Cell::count(point.false_alarms),
                          Cell(curve.false_alarm_rate(point), 3)});
  }
  table.note = fmt::format(
      "{} windows, {} of them anomalous. A false alarm is a run of consecutive flagged windows, "
      "none of them anomalous. The model's threshold is {} ({}).",
      curve.windows, curve.positives, number_text(model.threshold, 3), model.threshold_from);
  return to_text(table);
}

}  // namespace faithful::app
