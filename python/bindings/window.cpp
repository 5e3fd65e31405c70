#include "window.h"

#include <numeric>
#include <optional>

#include "core.h"
#include "faithful/window/windows.h"

namespace faithful::python {

SplitOptions split_options_of(const py::dict& said) {
  SplitOptions options;
  std::string kind = "blocked", label = "any";
  take(said, "kind", kind);
  take(said, "label", label);
  take(said, "window", options.window.length);
  take(said, "stride", options.window.stride);
  take(said, "train", options.train);
  take(said, "validation", options.validation);
  take(said, "seed", options.seed);
  take(said, "folds", options.folds);
  take(said, "fold", options.fold);
  take(said, "refit", options.refit);
  take(said, "needs_test", options.needs_test);
  options.kind = parse_split_kind(kind);
  options.window.label = parse_label_rule(label);
  return options;
}

ScalerOptions scaler_options_of(const py::dict& said) {
  ScalerOptions options;
  std::string kind = "standard";
  take(said, "scaler", kind);
  options.kind = parse_scaler_kind(kind);
  return options;
}

namespace {

// All windows of a part as arrays, and where each of them lies.
py::dict arrays_of(const Windows& windows, ThreadPool& pool) {
  const std::size_t count = windows.size();
  py::array_t<float> values({count, windows.length(), windows.channels()});
  py::array_t<std::uint8_t> mask({count, windows.length()});
  std::vector<std::int64_t> series(count), begin(count);
  for (std::size_t i = 0; i < count; ++i) series[i] = windows[i].series, begin[i] = windows[i].begin;
  std::vector<std::int32_t> labels = windows.labels();
  {
    float* const values_data = values.mutable_data();
    std::uint8_t* const mask_data = mask.mutable_data();
    const std::span<float> all(values_data, static_cast<std::size_t>(values.size()));
    const std::span<std::uint8_t> valid(mask_data, static_cast<std::size_t>(mask.size()));
    const py::gil_scoped_release free;
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0U);
    windows.fill_into(numbers, {.values = all, .mask = valid}, pool);
  }
  py::dict out;
  out["X"] = values;
  out["mask"] = mask;
  out["y"] = owning_array(std::move(labels));
  out["series"] = owning_array(std::move(series));
  out["begin"] = owning_array(std::move(begin));
  return out;
}

py::dict split(const Dataset& dataset, const py::dict& said, std::size_t threads) {
  const SplitOptions options = split_options_of(said);
  const ScalerOptions scaler_options = scaler_options_of(said);
  std::optional<WindowSets> sets;
  {
    const py::gil_scoped_release free;
    const Split parts(dataset, options);
    sets = cut_windows(parts, fit_scaler(parts.train(), scaler_options));
  }
  ThreadPool pool(threads);
  py::dict out;
  out["train"] = arrays_of(sets->train, pool);
  out["validation"] = arrays_of(sets->validation, pool);
  out["test"] = arrays_of(sets->test, pool);
  out["proof"] = to_json(sets->proof);
  return out;
}

}  // namespace

void bind_window(py::module_& module) {
  module.def("split", &split);
}

}  // namespace faithful::python
