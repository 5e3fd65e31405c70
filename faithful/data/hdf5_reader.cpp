// HDF5: the DFStrans layout (`dataset`: one row per trip, channels x samples flattened, then the label) and plain 2-D
// and 3-D datasets by name.

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "faithful/data/arrays_internal.h"
#include "faithful/data/hdf5_internal.h"
#include "faithful/data/readers_internal.h"
#include "faithful/io/npy.h"

namespace faithful::data {
namespace {

constexpr std::size_t kUsualChannels = 20;  // of the authors' Elevator files

std::vector<std::int64_t> whole_numbers(const std::vector<float>& values, const Place& place) {
  std::vector<std::int64_t> numbers;
  for (const float value : values) {
    if (!(std::abs(value) <= 16'777'216.0f) || value != std::trunc(value))
      reject({place, "labels that are whole numbers", fmt::format("{}", value)});
    numbers.push_back(static_cast<std::int64_t>(value));
  }
  return numbers;
}

Dataset read_plain(const std::string& path, const ReadOptions& options) {
  std::vector<Hdf5Request> requests = {{.name = options.values}};
  if (!options.label.empty()) requests.push_back({.name = options.label});
  std::vector<std::optional<PlainArray>> arrays = load_hdf5_arrays(path, requests);
  const Place place{fmt::format("{}:{}", path, options.values)};
  Dataset dataset;
  dataset.name = stem_of(path);
  dataset.series = series_of(std::move(*arrays[0]), options.axes, place);
  if (dataset.series.size() == 1) dataset.series[0].name = dataset.name;
  dataset.channels = numbered_channels(dataset.series[0].values.columns);
  if (!options.label.empty()) {
    const Place label_place{fmt::format("{}:{}", path, options.label)};
    set_labels(dataset, {arrays[1]->shape, whole_numbers(arrays[1]->values, label_place)}, options.positive,
               label_place);
  }
  return dataset;
}

// The file's own description where it has one (we write it), else names and classes as usual.
Dataset described(const std::optional<PlainArray>& meta, std::size_t rows, const std::string& path,
                  const ReadOptions& options) {
  if (meta) {
    std::string text;
    for (const float byte : meta->values)  // whatever the file has there
      text += byte >= 0 && byte <= 255 ? static_cast<char>(static_cast<unsigned char>(byte)) : '?';
    Dataset dataset = parse_meta(text, fmt::format("{}:meta", path));
    if (dataset.series.size() != rows)
      reject({{path}, fmt::format("{} rows, as its description says", dataset.series.size()), fmt::format("{}", rows)});
    return dataset;
  }
  Dataset dataset;
  dataset.name = stem_of(path);
  dataset.channels = numbered_channels(options.channels == 0 ? kUsualChannels : options.channels);
  dataset.classes = anomaly_classes();
  dataset.series.resize(rows);
  for (std::size_t n = 0; n < dataset.series.size(); ++n) dataset.series[n].name = fmt::format("{}", n + 1);
  return dataset;
}

void read_trip(std::span<const float> row, std::size_t number, Series& series, std::size_t channels,
               const Place& place) {
  const std::size_t samples = (row.size() - 1) / channels;
  series.values = Matrix<float>(samples, channels);
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t t = 0; t < samples; ++t) series.values(t, c) = row[c * samples + t];
  const float label = row.back();
  if (label != 0 && label != 1)
    reject({place, "a label, 0 or 1, in the last column", fmt::format("{} in row {}", label, number)});
  series.label = static_cast<std::int32_t>(label);
}

Dataset read_trips(const std::string& path, const ReadOptions& options) {
  const std::vector<std::optional<PlainArray>> meta = load_hdf5_arrays(path, {{.name = "meta", .required = false}});
  const Place place{fmt::format("{}:dataset", path)};
  Dataset dataset;
  Hdf5Request table{.name = "dataset"};
  table.take_shape = [&](const std::vector<std::size_t>& shape) {
    if (shape.size() != 2 || shape[0] == 0 || shape[1] < 2)
      reject({place, "rows of channels x samples and a label", shape_text(shape),
              fmt::format("other layouts: {} {}", field_text("values", "NAME"), field_text("axes", "ntc"))});
    dataset = described(meta[0], shape[0], path, options);
    const std::size_t channels = dataset.channels.size();
    if (channels == 0 || (options.channels != 0 && options.channels != channels))
      reject(
          {{.field = "channels"}, fmt::format("{}, as the file says", channels), fmt::format("{}", options.channels)});
    if ((shape[1] - 1) % channels != 0)
      reject({place, fmt::format("a multiple of {} columns, and the label", channels), fmt::format("{}", shape[1]),
              fmt::format("another number of channels: {}", field_text("channels"))});
  };
  table.take_row = [&](std::size_t row, std::span<const float> values) {
    read_trip(values, row + 1, dataset.series[row], dataset.channels.size(), place);
  };
  load_hdf5_arrays(path, {table});
  check_foreign(dataset, path);
  return dataset;
}

}  // namespace

Dataset load_hdf5(const std::string& path, const ReadOptions& options) {
  return finished(options.values.empty() ? read_trips(path, options) : read_plain(path, options), path, "hdf5",
                  options);
}

}  // namespace faithful::data
