#include "window.h"

#include <numeric>
#include <optional>

#include "core.h"

namespace faithful::python {

void take_scaler(const py::dict& said, ScalerKind& kind, Scaling& scaling) {
  take_settings({scaler_setting(kind), scaling_setting(scaling)}, said);
}

py::dict places_of(std::span<const Window> windows, const Dataset& dataset) {
  std::vector<std::int64_t> series, begin, end;
  std::vector<std::int32_t> labels;
  for (const Window& window : windows) {
    series.push_back(window.series);
    begin.push_back(window.begin);
    end.push_back(static_cast<std::int64_t>(window.begin) + window.length);
    labels.push_back(window.label);
  }
  py::list names;
  for (const Series& one : dataset.series) names.append(one.name);
  py::dict out;
  out["series_names"] = names;
  out["series"] = owning_array(std::move(series));
  out["begin"] = owning_array(std::move(begin));
  out["end"] = owning_array(std::move(end));
  out["y"] = owning_array(std::move(labels));
  return out;
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
  SplitOptions options;
  take_settings(settings(options), said);
  ScalerKind scaler = ScalerKind::kStandard;
  Scaling scaling = Scaling::kAuto;
  take_scaler(said, scaler, scaling);
  std::optional<WindowSets> sets;
  {
    const py::gil_scoped_release free;
    const Split parts(dataset, options);
    sets = cut_windows(parts, fit_scaler(parts.train(), scaler, scaling));
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
  module.def("split_settings", [] {
    SplitOptions options;
    ScalerKind scaler = ScalerKind::kStandard;
    Scaling scaling = Scaling::kAuto;
    std::vector<Setting> all = settings(options);
    all.push_back(scaler_setting(scaler));
    all.push_back(scaling_setting(scaling));
    return describe_settings(all);
  });
}

}  // namespace faithful::python
