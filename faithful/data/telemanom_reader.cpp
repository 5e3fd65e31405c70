// NASA's telemanom folder (MSL, SMAP): train/ and test/ with one .npy a channel, and labeled_anomalies.csv.

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "faithful/base/number.h"
#include "faithful/data/folders_internal.h"
#include "faithful/data/readers_internal.h"
#include "faithful/io/csv.h"
#include "faithful/io/npy.h"

namespace faithful::data {
namespace {

// The words of a list as Python prints it, without its brackets: "[[1, 2], [3, 4]]" -> 1 2 3 4.
std::vector<std::string> words_of_list(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ' ' || c == '\'' || c == '"') continue;
    if (c == ',') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  if (words.size() == 1 && words[0].empty()) words.clear();
  return words;
}

std::vector<LabelSpan> read_spans(const std::string& sequences, const std::string& kinds, std::size_t length,
                                  const Place& place) {
  const std::vector<std::string> numbers = words_of_list(sequences);
  const std::vector<std::string> kind_words = words_of_list(kinds);
  if (numbers.size() % 2 != 0) reject({place, "pairs [first, last]", quote(sequences)});
  std::vector<LabelSpan> spans;
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
    const auto first = parse_number<std::size_t>(numbers[i]);
    const auto last = parse_number<std::size_t>(numbers[i + 1]);
    if (!first || !last || *first > *last || *last >= length)
      reject({place, fmt::format("pairs [first, last] inside of 0 to {}", length - 1),
              quote(fmt::format("[{}, {}]", numbers[i], numbers[i + 1]))});
    LabelSpan span{{*first, *last + 1}};
    if (kind_words.size() * 2 == numbers.size()) span.kind = kind_words[i / 2];
    spans.push_back(std::move(span));
  }
  std::ranges::stable_sort(spans, {}, &LabelSpan::begin);
  return spans;
}

std::size_t column_of(const std::vector<std::string>& header, const std::string& wanted, const std::string& name) {
  const auto at = std::ranges::find(header, wanted);
  if (at == header.end()) reject({{name, 1}, fmt::format("a column {}", quote(wanted)), "none"});
  return static_cast<std::size_t>(at - header.begin());
}

}  // namespace

std::vector<TelemanomLabels> parse_telemanom_labels(std::string_view text, const std::string& name) {
  CsvOptions csv;
  csv.separator = ',';
  CsvScanner scanner(text, name, csv);
  std::vector<std::string> header, cells;
  if (!scanner.next(header)) reject({{name}, "a table", "an empty file"});
  const std::size_t channel = column_of(header, "chan_id", name), craft = column_of(header, "spacecraft", name),
                    sequences = column_of(header, "anomaly_sequences", name), kinds = column_of(header, "class", name),
                    count = column_of(header, "num_values", name);
  std::vector<TelemanomLabels> rows;
  while (scanner.next(cells)) {
    if (cells.size() != header.size()) {
      reject({{name, scanner.line(), std::min(cells.size(), header.size()) + 1},
              fmt::format("{} columns", header.size()),
              fmt::format("{}", cells.size())});
    }
    const auto length = parse_number<std::size_t>(trimmed(cells[count]));
    if (!length || *length == 0)
      reject({{name, scanner.line(), count + 1}, "a whole number of at least 1", quote(cells[count])});
    rows.push_back({cells[channel], cells[craft],
                    read_spans(cells[sequences], cells[kinds], *length, {name, scanner.line(), sequences + 1}), *length,
                    scanner.line()});
  }
  return rows;
}

namespace {

// Rows of the label file by channel; P-2 has two rows in the original, which belong together.
std::map<std::string, TelemanomLabels> labels_by_channel(const std::string& path, const ReadOptions& options) {
  std::map<std::string, TelemanomLabels> labels;
  for (TelemanomLabels& row : parse_telemanom_labels(TextFile(path).text(), path)) {
    if (!options.spacecraft.empty() && !same_word(row.spacecraft, options.spacecraft)) continue;
    const auto [at, is_new] = labels.try_emplace(row.channel, row);
    if (is_new) continue;
    at->second.spans.insert(at->second.spans.end(), row.spans.begin(), row.spans.end());
    std::ranges::stable_sort(at->second.spans, {}, &LabelSpan::begin);
  }
  return labels;
}

Matrix<float> load_channel(const std::string& path) {
  const NpyArray array = faithful::load_npy(path);
  if (array.shape().size() != 2) reject({{path}, "a 2-D array (time, columns)", shape_text(array.shape())});
  return Matrix<float>(array.shape()[0], array.shape()[1], array.to_vector<float>());
}

void add_channel(Dataset& dataset, Series series, const std::string& path) {
  if (dataset.series.empty()) {
    dataset.channels = {"telemetry"};
    for (std::size_t c = 1; c < series.values.columns; ++c) dataset.channels.push_back(fmt::format("command_{}", c));
  } else if (series.values.columns != dataset.channels.size()) {
    reject({{path},
            fmt::format("{} columns, as the first channel has", dataset.channels.size()),
            fmt::format("{}", series.values.columns),
            fmt::format("the folder holds both spacecraft: {} or {}", field_text("spacecraft", "MSL"),
                        field_text("spacecraft", "SMAP"))});
  }
  dataset.series.push_back(std::move(series));
}

}  // namespace

Dataset load_telemanom(const std::string& path, const ReadOptions& options) {
  const std::string label_file = join_path(path, "labeled_anomalies.csv");
  const std::map<std::string, TelemanomLabels> labels = labels_by_channel(label_file, options);
  Dataset dataset;
  dataset.name = file_name(path);
  dataset.classes = anomaly_classes();
  for (const DataPart part : {DataPart::kTrain, DataPart::kTest}) {
    const std::string folder = join_path(path, to_string(part));
    if (!is_folder(folder)) continue;
    for (const std::string& name : files_in(folder)) {
      if (extension_of(name) != ".npy") continue;
      const std::string file = join_path(folder, name);
      const auto row = labels.find(stem_of(name));
      if (row == labels.end()) {
        if (!options.spacecraft.empty()) continue;  // of the other spacecraft
        if (part == DataPart::kTest) reject({{file}, "a row of this channel in labeled_anomalies.csv", "none"});
      }
      Series series{.name = stem_of(name), .part = part, .values = load_channel(file)};
      if (part == DataPart::kTest) {
        if (series.length() != row->second.length) {
          reject({{label_file, row->second.line},
                  fmt::format("{} values, as {} has", series.length(), file),
                  fmt::format("{}", row->second.length)});
        }
        series.spans = row->second.spans;
        series.labels = labels_of(series.spans, series.length());
      }
      add_channel(dataset, std::move(series), file);
    }
  }
  if (dataset.series.empty()) reject({{path}, "train and test with .npy files", "none"});
  return finished(std::move(dataset), path, "telemanom", options);
}

}  // namespace faithful::data
