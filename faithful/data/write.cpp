#include "faithful/data/write.h"

#include <algorithm>

#include <fmt/format.h>

#include "faithful/data/hdf5_internal.h"
#include "faithful/data/readers_internal.h"
#include "faithful/data/writers_internal.h"

namespace faithful {

namespace {

using Writer = std::vector<std::string> (*)(const Dataset&, const std::string&);

Writer writer_of(const std::string& path) {
  const std::string extension = data::extension_of(path);
  if (extension == ".npz") return data::save_npz_dataset;
  if (extension == ".csv") return data::save_csv_dataset;
  if (extension == ".ts") return data::save_ts_dataset;
  if (extension == ".h5" || extension == ".hdf5") {
    data::require_hdf5(path);
    return data::save_hdf5_dataset;
  }
  reject({{path},
          "a name that ends in .npz, .csv, .csv.gz, .ts or .h5",
          extension.empty() ? "no ending" : quote(extension)});
}

}  // namespace

std::vector<std::string> save_dataset(const Dataset& dataset, const std::string& path) {
  check_dataset(dataset);
  if (dataset.rows() == 0) throw Error(fmt::format("{} has no rows", quote(dataset.name)));
  return writer_of(path)(dataset, path);
}

void check_format_to_write(const std::string& path) {
  writer_of(path);
}

namespace data {

bool all_or_none(const Dataset& dataset, const std::string& path, const char* what, bool (*has)(const Series&)) {
  const auto count = static_cast<std::size_t>(std::ranges::count_if(dataset.series, has));
  if (count == 0 || count == dataset.series.size()) return count > 0;
  reject({{path},
          fmt::format("{} in all series or in none", what),
          fmt::format("{} of {}", count, dataset.series.size()),
          fmt::format("write {} alone, or a .npz file, which holds both", field_text("part", "test"))});
}

Labelling labelling_of(const Dataset& dataset, const std::string& path) {
  const bool points =
      all_or_none(dataset, path, "point labels", [](const Series& series) { return !series.labels.empty(); });
  const bool whole =
      all_or_none(dataset, path, "labels", [](const Series& series) { return series.label != kNoLabel; });
  return points ? Labelling::kPoints : whole ? Labelling::kSeries : Labelling::kNone;
}

bool has_times(const Dataset& dataset, const std::string& path) {
  return all_or_none(dataset, path, "times", [](const Series& series) { return !series.times.empty(); });
}

bool has_parts(const Dataset& dataset) {
  return std::ranges::any_of(dataset.series, [](const Series& series) { return series.part != DataPart::kNone; });
}

bool has_spans_beyond_labels(const Dataset& dataset) {
  return std::ranges::any_of(dataset.series, [](const Series& series) {
    return !series.spans.empty() && series.spans != spans_of(series.labels);
  });
}

}  // namespace data
}  // namespace faithful
