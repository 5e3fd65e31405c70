// A folder with X_TRAIN and X_TEST is the UEA set X. `path` may also be folder/X. The archive has .arff sets of several
// channels in a second way too, a file for each channel: XDimension1_TRAIN.arff, XDimension2_TRAIN.arff and so on.

#include <algorithm>

#include <fmt/format.h>

#include "faithful/data/readers_internal.h"

namespace faithful::data {
namespace {

constexpr std::string_view kTrain = "_TRAIN", kTest = "_TEST", kDimension = "Dimension";

struct Pair {
  std::string name;            // X
  std::string extension;       // ".ts" or ".arff"
  std::size_t dimensions = 0;  // files of each half, one for a channel; 0: one file for all

  std::string half(DataPart part, std::size_t dimension) const {
    const std::string number = dimension == 0 ? "" : fmt::format("{}{}", kDimension, dimension);
    return name + number + std::string(part == DataPart::kTrain ? kTrain : kTest) + extension;
  }
};

// The name X of XDimension3; empty where the name is none of a dimension.
std::string family_of(const std::string& name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  const bool is_one = digits < name.size() && std::string_view(name).substr(0, digits).ends_with(kDimension);
  return is_one ? name.substr(0, digits - kDimension.size()) : "";
}

// Sets of one file for each channel become one entry; where the whole set is there as well, they are left out.
std::vector<Pair> with_families(const std::vector<Pair>& pairs) {
  std::vector<Pair> all;
  for (const Pair& pair : pairs)
    if (family_of(pair.name).empty()) all.push_back(pair);
  for (const Pair& pair : pairs) {
    const std::string family = family_of(pair.name);
    if (family.empty()) continue;
    const auto known = std::ranges::find_if(all, [&](const Pair& one) { return one.name == family; });
    if (known == all.end()) {
      all.push_back({family, pair.extension, 1});
    } else if (known->dimensions > 0) {
      ++known->dimensions;
    }
  }
  return all;
}

// The sets of the folder that have both halves, .ts before .arff; only `wanted` where that is one dimension of a set.
std::vector<Pair> pairs_in(const std::string& folder, const std::string& wanted) {
  std::vector<Pair> pairs;
  const std::vector<std::string> names = files_in(folder);
  for (const char* extension : {".ts", ".arff"}) {
    const auto has = [&](const std::string& set, std::string_view half) {
      return is_file(join_path(folder, set + std::string(half) + extension));
    };
    for (const std::string& name : names) {
      for (const std::string_view half : {kTrain, kTest}) {
        if (!name.ends_with(std::string(half) + extension)) continue;
        const std::string set = name.substr(0, name.size() - half.size() - std::string_view(extension).size());
        if (half == kTest && has(set, kTrain)) continue;  // counted already
        // Where one channel of a family lacks a half, the reader of that file says so: no channel is left out.
        if (!family_of(set).empty() || (has(set, kTrain) && has(set, kTest))) pairs.push_back({set, extension});
      }
    }
  }
  const auto named = std::ranges::find(pairs, wanted, &Pair::name);
  if (named != pairs.end() && !family_of(wanted).empty()) return {*named};
  return with_families(pairs);
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

// Channel after channel of the same cases. file_of(d) is for error messages.
template <class FileOf>
Dataset joined_channels(std::vector<Dataset> parts, const FileOf& file_of) {
  Dataset all = parts[0];
  all.channels = numbered_channels(parts.size());
  for (std::size_t i = 0; i < all.series.size(); ++i)
    all.series[i].values = Matrix<float>(all.series[i].length(), parts.size());
  for (std::size_t d = 0; d < parts.size(); ++d) {
    if (parts[d].channels.size() != 1)
      reject({{file_of(d)}, "one channel", fmt::format("{}", parts[d].channels.size())});
    if (parts[d].series.size() != all.series.size())
      reject({{file_of(d)},
              fmt::format("{} cases, as {} has", all.series.size(), file_of(0)),
              fmt::format("{}", parts[d].series.size())});
    for (std::size_t i = 0; i < all.series.size(); ++i) {
      const Series& from = parts[d].series[i];
      const bool same_class = class_name(parts[d], from) == class_name(parts[0], parts[0].series[i]);
      if (from.length() != all.series[i].length() || !same_class)
        reject({{file_of(d)},
                fmt::format("case {} with the length and class that it has in {}", i + 1, file_of(0)),
                "another"});
      for (std::size_t t = 0; t < from.length(); ++t) all.series[i].values(t, d) = from.values(t, 0);
    }
  }
  return all;
}

Dataset load_half(const std::string& folder, const Pair& pair, DataPart part, const ReadOptions& options) {
  const auto load = [&](std::size_t dimension) {
    const std::string file = join_path(folder, pair.half(part, dimension));
    return pair.extension == ".ts" ? load_ts(file, options) : load_arff(file, options);
  };
  if (pair.dimensions == 0) return load(0);
  std::vector<Dataset> parts;
  for (std::size_t d = 1; d <= pair.dimensions; ++d) parts.push_back(load(d));
  return joined_channels(std::move(parts), [&](std::size_t d) { return join_path(folder, pair.half(part, d + 1)); });
}

}  // namespace

bool is_uea_name(const std::string& path) {
  for (const char* ending : {"_TRAIN.ts", "_TRAIN.arff", "Dimension1_TRAIN.arff"})
    if (is_file(path + ending)) return true;
  return false;
}

Dataset load_uea(const std::string& path, const ReadOptions& options) {
  const bool whole = is_folder(path);
  const std::size_t slash = path.find_last_of('/');
  const std::string folder = whole ? path : slash == std::string::npos ? "." : path.substr(0, slash);
  Dataset dataset;
  const Pair chosen = choose(pairs_in(folder, file_name(path)), folder, file_name(path), dataset);
  dataset.name = chosen.name;
  ReadOptions half_options = options;
  half_options.positive.clear();  // the classes are made of both halves
  std::vector<std::string> class_of_series;
  for (const DataPart part : {DataPart::kTrain, DataPart::kTest}) {
    const std::string file = join_path(folder, chosen.half(part, std::min<std::size_t>(chosen.dimensions, 1)));
    Dataset half = load_half(folder, chosen, part, half_options);
    if (part == DataPart::kTest && half.channels.size() != dataset.channels.size()) {
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
