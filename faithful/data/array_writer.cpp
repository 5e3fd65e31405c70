// .npz (our own layout, all of a data set) and HDF5 (the DFStrans layout).

#include <algorithm>

#include <fmt/format.h>

#include "faithful/data/arrays_internal.h"
#include "faithful/data/hdf5_internal.h"
#include "faithful/data/npz_layout_internal.h"
#include "faithful/data/readers_internal.h"
#include "faithful/data/writers_internal.h"
#include "faithful/io/npz.h"

namespace faithful::data {

std::vector<std::string> save_npz_dataset(const Dataset& dataset, const std::string& path) {
  const std::size_t rows = dataset.rows(), width = dataset.channels.size(), count = dataset.series.size();
  std::vector<float> joined;  // [rows, width]
  std::vector<std::int64_t> lengths, times;
  std::vector<std::int32_t> classes;
  std::vector<std::uint8_t> labels;
  const bool has_labels = dataset.has_point_labels();
  const bool any_times =
      std::ranges::any_of(dataset.series, [](const Series& series) { return !series.times.empty(); });
  if (count > 1) joined.reserve(rows * width);
  for (const Series& series : dataset.series) {
    const std::size_t length = series.length();
    if (count > 1) joined.insert(joined.end(), series.values.values.begin(), series.values.values.end());
    lengths.push_back(static_cast<std::int64_t>(length));
    classes.push_back(series.label);
    if (has_labels && series.labels.empty()) labels.insert(labels.end(), length, npz::kNoPointLabel);
    if (has_labels) labels.insert(labels.end(), series.labels.begin(), series.labels.end());
    if (any_times && series.times.empty()) times.insert(times.end(), length, npz::kNoTime);
    if (any_times) times.insert(times.end(), series.times.begin(), series.times.end());
  }
  const std::string text = meta_text(dataset);
  const std::span<const std::uint8_t> meta(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  const std::vector<float>& values = count > 1 ? joined : dataset.series[0].values.values;
  std::vector<NamedArray> arrays = {{npz::kValues, npy_view<float>({rows, width}, values)},
                                    {npz::kLengths, npy_view<std::int64_t>({count}, lengths)}};
  if (dataset.has_series_labels()) arrays.push_back({npz::kClass, npy_view<std::int32_t>({count}, classes)});
  if (has_labels) arrays.push_back({npz::kLabels, npy_view<std::uint8_t>({rows}, labels)});
  if (any_times) arrays.push_back({npz::kTimes, npy_view<std::int64_t>({rows}, times)});
  arrays.push_back({npz::kMeta, npy_view<std::uint8_t>({meta.size()}, meta)});
  save_npz(path, arrays);
  return {};
}

std::vector<std::string> save_hdf5_dataset(const Dataset& dataset, const std::string& path) {
  const std::size_t length = dataset.series[0].length(), channels = dataset.channels.size();
  for (const Series& series : dataset.series) {
    if (series.length() != length)
      reject({{path},
              fmt::format("series of equal length ({})", length),
              fmt::format("{} in series {}", series.length(), quote(series.name)),
              ".npz holds them"});
  }
  if (labelling_of(dataset, path) != Labelling::kSeries || dataset.classes.size() != 2) {
    reject({{path},
            "series of two classes, as the DFStrans layout has",
            dataset.has_point_labels()    ? "point labels"
            : dataset.has_series_labels() ? fmt::format("{} classes", dataset.classes.size())
                                          : "none",
            ".npz holds them"});
  }
  if (has_times(dataset, path)) reject({{path}, "series without times", "times", ".npz holds them"});
  Hdf5Table table{
      .rows = dataset.series.size(), .columns = channels * length + 1, .fill_row = {}, .meta = meta_text(dataset)};
  table.fill_row = [&](std::size_t row, std::span<float> out) {
    const Series& series = dataset.series[row];
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t t = 0; t < length; ++t) out[c * length + t] = series.values(t, c);
    out.back() = static_cast<float>(series.label);
  };
  save_hdf5_table(path, table);
  return {};
}

}  // namespace faithful::data
