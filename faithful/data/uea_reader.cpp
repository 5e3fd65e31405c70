// A folder with X_TRAIN and X_TEST is the UEA set X. `path` may also be folder/X.

#include <algorithm>

#include <fmt/format.h>

#include "faithful/data/readers_internal.h"

namespace faithful::data {
namespace {

constexpr std::string_view kTrain = "_TRAIN", kTest = "_TEST";

struct Pair {
  std::string name;       // X
  std::string extension;  // ".ts" or ".arff"
};

// The sets of the folder that have both halves, .ts before .arff.
std::vector<Pair> pairs_in(const std::string& folder) {
  std::vector<Pair> pairs;
  const std::vector<std::string> names = files_in(folder);
  for (const char* extension : {".ts", ".arff"}) {
    for (const std::string& name : names) {
      const std::string ending = std::string(kTrain) + extension;
      if (!name.ends_with(ending)) continue;
      const std::string set = name.substr(0, name.size() - ending.size());
      if (is_file(join_path(folder, set + std::string(kTest) + extension))) pairs.push_back({set, extension});
    }
  }
  return pairs;
}

Pair choose(const std::vector<Pair>& pairs, const std::string& folder, const std::string& wanted, Dataset& dataset) {
  if (pairs.empty()) reject({{folder}, "files X_TRAIN and X_TEST (.ts or .arff)", "none"});
  const auto named = std::ranges::find(pairs, wanted, &Pair::name);
  std::vector<std::string> names;
  for (const Pair& pair : pairs) names.push_back(pair.name + pair.extension);
  if (named == pairs.end() && pairs.front().name != pairs.back().name) {
    reject({{folder},
            fmt::format("a set named {}, or one set only", quote(wanted)),
            fmt::format("{}", fmt::join(names, ", ")),
            fmt::format("give {}", join_path(folder, pairs.front().name))});
  }
  Pair chosen = named == pairs.end() ? pairs.front() : *named;
  if (pairs.size() > 1) {
    dataset.notes.push_back(
        fmt::format("of {} in {}, {} is read", fmt::join(names, ", "), folder, chosen.name + chosen.extension));
  }
  return chosen;
}

std::string class_name(const Dataset& dataset, const Series& series) {
  return series.label == kNoLabel ? "" : dataset.classes[static_cast<std::size_t>(series.label)];
}

}  // namespace

Dataset load_uea(const std::string& path, const ReadOptions& options) {
  const bool whole = is_folder(path);
  const std::size_t slash = path.find_last_of('/');
  const std::string folder = whole ? path : slash == std::string::npos ? "." : path.substr(0, slash);
  Dataset dataset;
  const Pair chosen = choose(pairs_in(folder), folder, file_name(path), dataset);
  dataset.name = chosen.name;
  ReadOptions half_options = options;
  half_options.positive.clear();  // the classes are made of both halves
  std::vector<std::string> class_of_series;
  for (const Part part : {Part::kTrain, Part::kTest}) {
    const std::string file =
        join_path(folder, chosen.name + std::string(part == Part::kTrain ? kTrain : kTest) + chosen.extension);
    Dataset half = chosen.extension == ".ts" ? load_ts(file, half_options) : load_arff(file, half_options);
    if (part == Part::kTest && half.channels.size() != dataset.channels.size()) {
      reject({{file},
              fmt::format("{} channels, as the training part has", dataset.channels.size()),
              fmt::format("{}", half.channels.size())});
    }
    dataset.channels = half.channels;
    for (Series& series : half.series) {
      class_of_series.push_back(class_name(half, series));
      series.part = part;
      dataset.series.push_back(std::move(series));
    }
  }
  set_classes(dataset, class_of_series, options.positive, {path});
  return finished(std::move(dataset), path, "uea", options);
}

}  // namespace faithful::data
