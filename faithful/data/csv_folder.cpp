// A folder of tables, and folders in it: a file is a series. Labels may stand in a file of spans beside them.

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "faithful/data/folders_internal.h"
#include "faithful/data/readers_internal.h"

namespace faithful::data {
namespace {

bool is_table(const std::string& name) {
  const std::string extension = extension_of(name);
  return extension == ".csv" || extension == ".tsv" || extension == ".txt";
}

// The tables of the folder, then those of its folders, as paths below it. A folder is read once, though links lead back
// to it: a series that is there twice would be in the training part and in the test part.
void find_tables(const std::string& folder, const std::string& prefix, std::set<std::string>& seen,
                 std::vector<std::string>& found) {
  std::error_code error;  // a folder that cannot be read is rejected below
  if (!seen.insert(std::filesystem::canonical(folder, error).string()).second) return;
  const std::vector<std::string> names = files_in(folder);
  for (const std::string& name : names) {
    const std::string path = join_path(folder, name);
    if (name.starts_with('.') || !is_table(name) || is_folder(path)) continue;
    if (!std::filesystem::exists(path, error)) reject({{path}, "a file", "a link to nothing"});
    if (!std::filesystem::is_regular_file(path, error))  // one waits for a pipe for ever
      reject({{path}, "a file", "a pipe or a device", "in a folder, only files are read"});
    found.push_back(prefix + name);
  }
  for (const std::string& name : names) {
    const std::string below = join_path(folder, name);
    if (!name.starts_with('.') && is_folder(below)) find_tables(below, prefix + name + "/", seen, found);
  }
}

// Adds the series of one file to the folder's. Class indices are of the file's own list and are mapped later.
void append_file(Dataset& all, std::vector<std::string>& class_of_series, Dataset file, const std::string& path,
                 const ReadOptions& options) {
  if (all.series.empty()) {
    all.channels = file.channels;
  } else if (std::ranges::is_permutation(all.channels, file.channels)) {
    std::vector<std::size_t> columns;
    for (const std::string& name : all.channels)
      columns.push_back(static_cast<std::size_t>(std::ranges::find(file.channels, name) - file.channels.begin()));
    take_columns(file, columns, all.channels);
  } else if (all.channels != file.channels) {
    const bool same_count = all.channels.size() == file.channels.size();
    const auto differ = std::ranges::mismatch(all.channels, file.channels).in2 - file.channels.begin();
    reject({{path, 1},
            fmt::format("the {} channels of the folder's first file", all.channels.size()),
            same_count ? fmt::format("channel {}", quote(file.channels[static_cast<std::size_t>(differ)]))
                       : fmt::format("{}", file.channels.size())});
  }
  if (file.has_point_labels()) all.classes = file.classes;
  for (Series& series : file.series) {
    class_of_series.push_back(series.label == kNoLabel ? "" : file.classes[static_cast<std::size_t>(series.label)]);
    if (!options.series.empty()) series.name = fmt::format("{}/{}", file.name, series.name);
    all.series.push_back(std::move(series));
  }
}

}  // namespace

std::vector<std::string> tables_in(const std::string& folder) {
  std::vector<std::string> tables;
  std::set<std::string> seen;
  find_tables(folder, "", seen, tables);
  return tables;
}

namespace {

// The name of a table's series: its path in the folder, without the extension unless another table has that name.
std::vector<std::string> names_of_tables(const std::vector<std::string>& tables) {
  std::vector<std::string> names;
  std::map<std::string, std::size_t> uses;
  for (const std::string& table : tables) {
    const std::size_t slash = table.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : table.substr(0, slash + 1);
    ++uses[names.emplace_back(folder + stem_of(table))];
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (uses[names[i]] > 1) names[i] = tables[i];
  return names;
}

}  // namespace

Dataset load_csv_folder(const std::string& path, const ReadOptions& options) {
  constexpr std::size_t kMostNotes = 8;  // of all files
  Dataset all;
  all.name = file_name(path);
  std::vector<std::string> class_of_series;
  const std::vector<std::string> tables = tables_in(path);
  if (tables.empty()) reject({{path}, "files .csv, .tsv or .txt (also .gz)", "none"});
  ReadOptions one = options;
  const std::string span_file = find_span_file(path, options);
  if (!span_file.empty()) one.label.clear();
  if (options.label_of == LabelOf::kSeries) one.positive.clear();  // which file has it does not matter
  std::optional<SpanLabels> labels;
  if (!span_file.empty()) labels.emplace(span_file, !options.label.empty());
  const std::vector<std::string> names = names_of_tables(tables);
  std::set<std::string> normal;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::string &table = tables[i], file = join_path(path, table);
    Dataset part = load_csv_table(file, one);
    part.name = names[i];
    if (options.series.empty())
      for (Series& series : part.series) series.name = part.name;
    if (labels) labels->label(part, table);
    if (all.series.empty()) all.table = part.table;
    normal.insert(part.table.normal.begin(), part.table.normal.end());
    for (const std::string& note : part.notes)
      if (all.notes.size() < kMostNotes && std::ranges::find(all.notes, note) == all.notes.end())
        all.notes.push_back(note);
    append_file(all, class_of_series, std::move(part), file, options);
  }
  all.table.normal = {normal.begin(), normal.end()};
  if (labels)
    for (std::string& note : labels->notes()) all.notes.push_back(std::move(note));
  if (options.label_of == LabelOf::kSeries && !one.label.empty())
    set_classes(all, class_of_series, options.positive, {path}, options.positive_may_lack);
  check_positive(all, path, options);
  return finished(std::move(all), path, "csv-folder", options);
}

}  // namespace faithful::data
