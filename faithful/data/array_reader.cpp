// .npy and .npz: plain arrays whose axes the user states, and the .npz that we write ourselves:
//   values [rows, C] float32, all series one after the other; lengths [N]; meta, JSON as bytes;
//   where there are any: label [N] (class, -1: none), labels [rows] (0, 1, 255: none), times [rows] (ns; the least:
//   none)

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "faithful/data/arrays_internal.h"
#include "faithful/data/npz_layout_internal.h"
#include "faithful/data/readers_internal.h"
#include "faithful/io/csv.h"
#include "faithful/io/npz.h"

namespace faithful::data {
namespace {

PlainArray plain_array(const NpyArray& array) {
  return {array.shape(), array.to_vector<float>()};
}

Dataset plain_dataset(const NpyArray& array, const std::string& path, const ReadOptions& options) {
  Dataset dataset;
  dataset.name = stem_of(path);
  dataset.series = series_of(plain_array(array), options.axes, {array.name()});
  if (dataset.series.size() == 1) dataset.series[0].name = dataset.name;
  dataset.channels = numbered_channels(dataset.series[0].values.columns);
  return dataset;
}

// Labels of a .npy or of the first column of a text file.
LabelArray load_label_file(const std::string& path) {
  if (extension_of(path) == ".npy") {
    const NpyArray array = faithful::load_npy(path);
    return {array.shape(), array.to_vector<std::int64_t>()};
  }
  CsvOptions csv;
  csv.separator = ',';
  const CsvFile file(path, csv);
  if (file.columns() != 1) reject({{path}, "one column of labels", fmt::format("{}", file.columns())});
  const CsvTable<double> table = file.load<double>(std::vector{CsvColumn::kNumber});
  LabelArray labels{{table.rows()}, {}};
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double value = table.numbers.values[row];
    if (value != static_cast<double>(static_cast<std::int64_t>(std::clamp(value, -1e15, 1e15))))
      reject({file.place(table.lines[row], 0), "a whole number", fmt::format("{}", value)});
    labels.values.push_back(static_cast<std::int64_t>(value));
  }
  return labels;
}

}  // namespace

Dataset load_npy(const std::string& path, const ReadOptions& options) {
  Dataset dataset = plain_dataset(faithful::load_npy(path), path, options);
  if (!options.label.empty()) set_labels(dataset, load_label_file(options.label), options.positive, {options.label});
  return finished(std::move(dataset), path, "npy", options);
}

namespace {

// Reads an array of one number per row (or series) and checks that it is that long.
std::vector<std::int64_t> take_column(const NpzFile& file, const char* key, std::size_t length) {
  const NpyArray array = file.array(key);
  if (array.shape() != std::vector{length})
    reject({{array.name()}, fmt::format("{} elements", length), shape_text(array.shape())});
  return array.to_vector<std::int64_t>();
}

Dataset read_own(const NpzFile& file, const std::string& name) {
  const NpyArray meta = file.array(npz::kMeta);
  if (meta.type().kind != 'u' || meta.type().size != 1) reject({{meta.name()}, "bytes (|u1)", to_string(meta.type())});
  std::string text;
  for (const std::int64_t byte : meta.to_vector<std::int64_t>()) text += static_cast<char>(byte);
  Dataset dataset = parse_meta(text, meta.name());
  const std::size_t count = dataset.series.size(), width = dataset.channels.size();

  const NpyArray values = file.array(npz::kValues);
  if (values.shape().size() != 2 || values.shape()[1] != width)
    reject({{values.name()}, fmt::format("a shape (rows, {})", width), shape_text(values.shape())});
  std::vector<float> numbers = values.to_vector<float>();
  const std::size_t rows = values.shape()[0];
  const std::vector<std::int64_t> lengths = take_column(file, npz::kLengths, count);
  const auto optional_column = [&](const char* key, std::size_t length) {
    return file.has(key) ? take_column(file, key, length) : std::vector<std::int64_t>{};
  };
  const std::vector<std::int64_t> classes = optional_column(npz::kClass, count);
  const std::vector<std::int64_t> labels = optional_column(npz::kLabels, rows);
  const std::vector<std::int64_t> times = optional_column(npz::kTimes, rows);

  std::size_t row = 0;
  for (std::size_t n = 0; n < count; ++n) {
    Series& series = dataset.series[n];
    if (lengths[n] < 1 || static_cast<std::size_t>(lengths[n]) > rows - row ||
        (count == 1 && static_cast<std::size_t>(lengths[n]) != rows))
      reject({{name},
              fmt::format("lengths that add up to the {} rows", rows),
              fmt::format("{} for series {}", lengths[n], n + 1)});
    const auto length = static_cast<std::size_t>(lengths[n]);
    const auto slice = [&](const auto& all, std::size_t columns) {
      return std::span(all).subspan(row * columns, length * columns);
    };
    if (count == 1) {
      series.values =
          Matrix<float>(length, width, std::move(numbers));  // NOLINT(bugprone-use-after-move): the only one
    } else {
      const std::span<const float> own = slice(numbers, width);
      series.values = Matrix<float>(length, width, std::vector<float>(own.begin(), own.end()));
    }
    const std::span<const std::int64_t> own_labels =
        labels.empty() ? std::span<const std::int64_t>() : slice(labels, 1);
    const std::ptrdiff_t unlabelled = std::ranges::count(own_labels, npz::kNoPointLabel);
    if (unlabelled > 0 && unlabelled < std::ssize(own_labels))
      reject({{name},
              "a label for each point of a series, or for none",
              fmt::format("{} of {} points of series {} without one", unlabelled, length, n + 1)});
    if (unlabelled == 0 && !own_labels.empty()) {
      for (const std::int64_t label : own_labels) {
        if (label != 0 && label != 1) reject({{name}, "labels 0 and 1", fmt::format("{}", label)});
        series.labels.push_back(static_cast<std::uint8_t>(label));
      }
    }
    if (!times.empty() && times[row] != npz::kNoTime)
      series.times.assign(slice(times, 1).begin(), slice(times, 1).end());
    if (!classes.empty()) {
      if (classes[n] < kNoLabel || classes[n] >= static_cast<std::int64_t>(dataset.classes.size()))
        reject({{name}, fmt::format("classes below {}", dataset.classes.size()), fmt::format("{}", classes[n])});
      series.label = static_cast<std::int32_t>(classes[n]);
    }
    row += length;
  }
  if (row != rows) reject({{name}, fmt::format("lengths that add up to the {} rows", rows), fmt::format("{}", row)});
  check_foreign(dataset, name);
  return dataset;
}

Dataset read_npz(const NpzFile& file, const std::string& name, const ReadOptions& options) {
  const bool own = file.has(npz::kMeta) && file.has(npz::kValues) && file.has(npz::kLengths);
  if (options.values.empty() && own) return finished(read_own(file, name), name, "npz", options);
  std::string key = options.values;
  if (key.empty() && file.names().size() == 1) key = file.names()[0];
  if (key.empty())
    reject({{name},
            "one array",
            fmt::format("{}", fmt::join(file.names(), ", ")),
            fmt::format("{} names the array to read", field_text("values"))});
  Dataset dataset = plain_dataset(file.array(key), name, options);
  if (!options.label.empty()) {
    const NpyArray labels = file.array(options.label);
    set_labels(dataset, {labels.shape(), labels.to_vector<std::int64_t>()}, options.positive, {labels.name()});
  }
  return finished(std::move(dataset), name, "npz", options);
}

}  // namespace

Dataset load_npz(const std::string& path, const ReadOptions& options) {
  return read_npz(NpzFile(path), path, options);
}

Dataset parse_npz(std::string_view bytes, const std::string& name, const ReadOptions& options) {
  return read_npz(NpzFile(bytes, name), name, options);
}

}  // namespace faithful::data
