#include <algorithm>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/model/ensemble.h"
#include "faithful/train/fit.h"

namespace faithful {

namespace {

constexpr const char* kStandard = "standard";  // of an encoder
constexpr std::size_t kTransformersOfBest = 3;

// The model that was chosen before and that a preset would change; empty: none.
std::string_view model_against(const FitOptions& options, std::string_view preset, bool dfstrans) {
  if (options.kind == ModelKind::kKernels) return preset == "fast" ? "" : "kernels";
  if (options.kind == ModelKind::kLinear) return "linear";
  if (options.model.is_dfstrans()) return dfstrans ? "" : "dfstrans";
  if (options.kind == ModelKind::kTransformer) return dfstrans || preset == "best" || preset == "fast" ? "encoder" : "";
  return "";
}

}  // namespace

FitOptions default_fit_options() {
  return {.kind = ModelKind::kAuto,
          .model = preset(kStandard),
          .split = {.window = {.stride = 20}},
          .train = train_preset(kStandard),
          .calibrate = true};
}

FitOptions default_fit_options(const Dataset& dataset) {
  FitOptions options = default_fit_options();
  options.split = suggested_split(dataset, options.split);
  return options;
}

const std::vector<std::string>& model_words() {
  static const std::vector<std::string> words = {"auto", "encoder", "dfstrans", "kernels", "linear"};
  return words;
}

const std::vector<std::string>& fit_preset_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = {"best", "fast"};
    all.insert(all.end(), preset_names().begin(), preset_names().end());
    return all;
  }();
  return names;
}

void set_model(FitOptions& options, std::string_view word) {
  if (std::ranges::find(model_words(), word) == model_words().end())
    reject({{.field = "form"}, fmt::format("one of {}", fmt::join(model_words(), ", ")), quote(word)});
  options.kind = word == "auto"      ? ModelKind::kAuto
                 : word == "kernels" ? ModelKind::kKernels
                 : word == "linear"  ? ModelKind::kLinear
                                     : ModelKind::kTransformer;
  const char* name = word == "dfstrans" ? "dfstrans" : kStandard;
  options.model = preset(name);
  options.train = train_preset(name);
}

void set_preset(FitOptions& options, std::string_view name) {
  if (std::ranges::find(fit_preset_names(), name) == fit_preset_names().end())
    reject({{.field = "preset"}, fmt::format("one of {}", fmt::join(fit_preset_names(), ", ")), quote(name)});
  const ModelConfig chosen = preset(name == "best" || name == "fast" ? kStandard : name);
  if (const std::string_view model = model_against(options, name, chosen.is_dfstrans()); !model.empty())
    throw InputError(fmt::format("{} does not go with {}", field_text("preset", name), field_text("form", model)));
  if (name == "best" || name == "fast") {
    options.kind = name == "best" ? ModelKind::kMixed : ModelKind::kKernels;
    options.ensemble = name == "best" ? kTransformersOfBest : 1;
    name = kStandard;
  } else {
    options.kind = ModelKind::kTransformer;
  }
  options.model = chosen;
  options.train = train_preset(name);
}

void take_transformer_option(FitOptions& options, std::string_view field) {
  if (options.kind == ModelKind::kKernels || options.kind == ModelKind::kLinear)
    throw InputError(fmt::format("{} does not apply to {}", field_text(field),
                                 field_text("form", options.kind == ModelKind::kKernels ? "kernels" : "linear")));
  if (options.kind == ModelKind::kAuto) options.kind = ModelKind::kTransformer;
}

Setting ensemble_setting(std::size_t& members) {
  return {{"ensemble",
           "N",
           "number of Transformers, each with its own seed; the mean of their predictions counts",
           {.least = 1, .most = static_cast<double>(Ensemble::kMostMembers), .group = FieldGroup::kModel}},
          &members};
}

}  // namespace faithful
