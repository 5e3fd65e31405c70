// Server Machine Dataset (OmniAnomaly): test/, test_label/, interpretation_label/ and train/, one text file a machine.

#include <algorithm>

#include <fmt/format.h>

#include "faithful/base/number.h"
#include "faithful/data/folders_internal.h"
#include "faithful/data/readers_internal.h"
#include "faithful/io/csv.h"

namespace faithful::data {

std::vector<LabelSpan> parse_smd_interpretation(std::string_view text, const std::string& name, std::size_t length,
                                                std::size_t channels) {
  std::vector<LabelSpan> spans;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = trimmed(take_line(text));
    if (line.empty()) continue;
    const std::size_t dash = line.find('-');
    const std::size_t colon = line.find(':');
    if (dash == std::string_view::npos || colon == std::string_view::npos || dash > colon)
      reject({{name, number}, "start-end:column,column", quote(line)});
    const auto begin = parse_number<std::size_t>(line.substr(0, dash));
    const auto end = parse_number<std::size_t>(line.substr(dash + 1, colon - dash - 1));
    if (!begin || !end || *begin >= *end || *end > length)
      reject({{name, number}, fmt::format("a span inside of 0-{}", length), quote(line.substr(0, colon))});
    LabelSpan span{{*begin, *end}};
    std::string_view rest = line.substr(colon + 1);
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      const auto channel = parse_number<std::size_t>(trimmed(rest.substr(0, comma)));
      if (!channel || *channel < 1 || *channel > channels)
        reject({{name, number}, fmt::format("columns from 1 to {}", channels), quote(rest.substr(0, comma))});
      span.channels.push_back(*channel - 1);
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    std::ranges::sort(span.channels);
    span.channels.erase(std::unique(span.channels.begin(), span.channels.end()), span.channels.end());
    spans.push_back(std::move(span));
  }
  std::ranges::stable_sort(spans, {}, &LabelSpan::begin);
  return spans;
}

std::vector<std::uint8_t> parse_smd_labels(std::string_view text, const std::string& name, std::size_t length) {
  std::vector<std::uint8_t> labels;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = trimmed(take_line(text));
    if (line.empty()) continue;
    const std::optional<std::uint8_t> label = point_label(line, "");
    if (!label) reject({{name, number}, "a label, 0 or 1", quote(line)});
    labels.push_back(*label);
  }
  if (labels.size() != length) {
    reject({{name},
            fmt::format("{} labels, one for each row of the machine's telemetry", length),
            fmt::format("{}", labels.size())});
  }
  return labels;
}

namespace {

const std::vector<std::string>& smd_channels() {
  static const std::vector<std::string> names = {"cpu_r",
                                                 "load_1",
                                                 "load_5",
                                                 "load_15",
                                                 "mem_shmem",
                                                 "mem_u",
                                                 "mem_u_e",
                                                 "total_mem",
                                                 "disk_q",
                                                 "disk_r",
                                                 "disk_rb",
                                                 "disk_svc",
                                                 "disk_u",
                                                 "disk_w",
                                                 "disk_wa",
                                                 "disk_wb",
                                                 "si",
                                                 "so",
                                                 "eth1_fi",
                                                 "eth1_fo",
                                                 "eth1_pi",
                                                 "eth1_po",
                                                 "tcp_tw",
                                                 "tcp_use",
                                                 "active_opens",
                                                 "curr_estab",
                                                 "in_errs",
                                                 "in_segs",
                                                 "listen_overflows",
                                                 "out_rsts",
                                                 "out_segs",
                                                 "passive_opens",
                                                 "retransegs",
                                                 "tcp_timeouts",
                                                 "udp_in_dg",
                                                 "udp_out_dg",
                                                 "udp_rcv_buf_errs",
                                                 "udp_snd_buf_errs"};
  return names;
}

// machine-1-1.txt or machine-1-1.txt.gz in the folder; empty: neither.
std::string text_file(const std::string& folder, const std::string& machine) {
  for (const char* ending : {".txt", ".txt.gz"}) {
    std::string path = join_path(folder, machine + ending);
    if (is_file(path)) return path;
  }
  return "";
}

Matrix<float> load_numbers(const std::string& path, Missing missing) {
  CsvOptions csv;
  csv.separator = ',';
  csv.header = CsvHeader::kNo;
  csv.missing = missing == Missing::kError ? CsvMissing::kError : CsvMissing::kNan;
  csv.missing_hint = missing_hint();
  const CsvFile file(path, csv);
  return file.load<float>(std::vector<CsvColumn>(file.columns(), CsvColumn::kNumber)).numbers;
}

void add_machine(Dataset& dataset, Series series, const std::string& path) {
  if (dataset.channels.empty()) {
    const std::size_t count = series.values.columns;
    dataset.channels = count == smd_channels().size() ? smd_channels() : numbered_channels(count);
  } else if (series.values.columns != dataset.channels.size()) {
    reject({{path},
            fmt::format("{} columns, as the first machine has", dataset.channels.size()),
            fmt::format("{}", series.values.columns)});
  }
  dataset.series.push_back(std::move(series));
}

}  // namespace

Dataset load_smd(const std::string& path, const ReadOptions& options) {
  Dataset dataset;
  dataset.name = file_name(path);
  dataset.classes = anomaly_classes();
  const std::string train = join_path(path, "train"), test = join_path(path, "test");
  if (is_folder(train)) {
    for (const std::string& name : files_in(train)) {
      if (extension_of(name) != ".txt") continue;
      const std::string file = join_path(train, name);
      add_machine(dataset,
                  {.name = stem_of(name), .part = DataPart::kTrain, .values = load_numbers(file, options.missing)},
                  file);
    }
  }
  std::vector<std::string> absent;
  for (const std::string& name : files_in(join_path(path, "test_label"))) {
    if (extension_of(name) != ".txt") continue;
    const std::string machine = stem_of(name);
    const std::string file = text_file(test, machine);
    if (file.empty()) {
      absent.push_back(machine);
      continue;
    }
    Series series{.name = machine, .part = DataPart::kTest, .values = load_numbers(file, options.missing)};
    const std::string label_file = join_path(join_path(path, "test_label"), name);
    series.labels = parse_smd_labels(TextFile(label_file).text(), label_file, series.length());
    const std::string why = text_file(join_path(path, "interpretation_label"), machine);
    if (!why.empty())
      series.spans = parse_smd_interpretation(TextFile(why).text(), why, series.length(), series.values.columns);
    add_machine(dataset, std::move(series), file);
  }
  if (!absent.empty())
    dataset.notes.push_back(fmt::format("skipped, labels without telemetry: {}", fmt::join(absent, ", ")));
  for (const std::string& name : is_folder(test) ? files_in(test) : std::vector<std::string>{}) {
    if (extension_of(name) == ".txt" && text_file(join_path(path, "test_label"), stem_of(name)).empty())
      reject({{join_path(test, name)}, "labels of the same name in test_label", "none"});
  }
  return finished(std::move(dataset), path, "smd", options);
}

}  // namespace faithful::data
