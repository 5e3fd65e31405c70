#include "faithful/trained/match.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/number.h"
#include "faithful/data/readers_internal.h"
#include "faithful/data/time_steps.h"
#include "faithful/io/csv.h"
#include "faithful/model/infer.h"
#include "faithful/trained/readings.h"

namespace faithful {

namespace {

// A few names on one line: "a", "b" and 12 more.
std::string list_text(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) text += (i == 0 ? "" : ", ") + quote(names[i]);
  if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
  return text;
}

std::string unknown_columns_note(const std::vector<std::string>& columns) {
  return "columns that the model does not know are ignored: " + list_text(columns);
}

bool is_numbered(const std::vector<std::string>& names) {
  return names == numbered_channels(names.size());
}

std::vector<std::string> without(const std::vector<std::string>& names, const std::vector<std::string>& others) {
  std::vector<std::string> rest;
  for (const std::string& name : names)
    if (std::ranges::find(others, name) == others.end()) rest.push_back(name);
  return rest;
}

ChannelMatch match_by_position(const std::vector<std::string>& channels, const std::vector<std::string>& columns) {
  ChannelMatch match;
  match.columns.resize(channels.size());
  std::iota(match.columns.begin(), match.columns.end(), std::size_t{0});
  if (channels != columns)
    match.notes.emplace_back("channels are matched by position, because the model or the data has no names");
  return match;
}

// The model's number of each class of the data; InputError for a class that it has not.
std::vector<std::int32_t> class_numbers(const Dataset& dataset, const TrainedModel& model) {
  std::vector<std::int32_t> numbers;
  for (const std::string& name : dataset.classes) {
    const auto found = std::ranges::find(model.classes, name);
    if (found == model.classes.end())
      reject({{dataset.source}, "classes that the model knows: " + list_text(model.classes), quote(name)});
    numbers.push_back(static_cast<std::int32_t>(found - model.classes.begin()));
  }
  return numbers;
}

void rename_classes(Dataset& dataset, const TrainedModel& model) {
  if (dataset.classes.empty() || dataset.classes == model.classes) return;
  const std::vector<std::int32_t> numbers = class_numbers(dataset, model);
  if (dataset.has_point_labels())  // 0 and 1 are not indices to be mapped
    reject({{dataset.source}, "classes " + list_text(model.classes), list_text(dataset.classes)});
  for (Series& series : dataset.series)
    if (series.label != kNoLabel) series.label = numbers[static_cast<std::size_t>(series.label)];
  dataset.classes = model.classes;
}

void check_series(const Dataset& dataset, const TrainedModel& model) {
  const bool whole = model.takes_whole_series();
  const WindowShape shape = model.shape();
  for (const Series& series : dataset.series) {
    const std::string place = fmt::format("{}: series {}", dataset.source, quote(series.name));
    const std::string found = fmt::format("{} samples", series.length());
    if (whole && series.length() > shape.length)
      reject({{place}, fmt::format("at most the {} samples that the model takes", shape.length), found});
    if (!whole && series.length() < model.shortest_window)
      reject({{place}, fmt::format("at least the {} samples of the model's windows", model.shortest_window), found});
    if (shape.uses_times() && series.times.empty())
      reject({{place}, "times, because the model uses times as positions", "none", field_text("time", "COLUMN")});
  }
}

// A model of whole series pads them, so it answers for shorter ones than training had, too. Empty: there are none.
std::string short_series_note(const Dataset& dataset, const TrainedModel& model) {
  const auto is_short = [&](const Series& series) { return series.length() < model.shortest_window; };
  const auto count = std::ranges::count_if(dataset.series, is_short);
  if (!model.takes_whole_series() || count == 0) return "";
  const Series& first = *std::ranges::find_if(dataset.series, is_short);
  return fmt::format("{} of {} series are shorter than any in training, such as {}: {} samples; training saw {} to {}",
                     count, dataset.series.size(), quote(first.name), first.length(), model.shortest_window,
                     model.shape().length);
}

}  // namespace

ChannelMatch match_channels(const std::vector<std::string>& channels, const std::vector<std::string>& columns,
                            const std::string& place) {
  const bool numbered = is_numbered(channels) || is_numbered(columns);
  // channel_2, channel_1 are names, too.
  const bool reordered = channels != columns && std::ranges::is_permutation(channels, columns);
  if (numbered && !reordered && channels.size() == columns.size()) return match_by_position(channels, columns);
  const std::vector<std::string> missing = without(channels, columns);
  if (!missing.empty() || (is_numbered(channels) && is_numbered(columns))) {
    const std::string wanted =
        numbered ? counted(channels.size(), "channel")
                 : fmt::format("{} {}", missing.size() == 1 ? "channel" : "channels", list_text(missing));
    const std::string found = numbered ? fmt::format("{}", columns.size()) : "only " + list_text(columns);
    reject(
        {{place},
         wanted,
         found,
         numbered ? "without names, channels are matched by position" : "columns are matched by name, in any order"});
  }
  ChannelMatch match;
  for (const std::string& channel : channels) {
    const auto first = std::ranges::find(columns, channel);
    if (std::find(first + 1, columns.end(), channel) != columns.end())
      reject({{place}, "each channel once", quote(channel) + " twice"});
    match.columns.push_back(static_cast<std::size_t>(first - columns.begin()));
  }
  const std::vector<std::string> extra = without(columns, channels);
  if (!extra.empty()) match.notes.push_back(unknown_columns_note(extra));
  return match;
}

void scale_as(TrainedModel& model, const std::string& series) {
  const auto found = model.scaler.by_series.find(series);
  if (found == model.scaler.by_series.end()) {
    std::vector<std::string> known;
    for (const auto& [name, scale] : model.scaler.by_series) known.push_back(name);
    reject({{.field = "scale_as"},
            "a training series with statistics of its own",
            quote(series),
            known.empty() ? "the model has only the statistics of all series together" : suggest(series, known)});
  }
  model.scaler.common = Scale(found->second);
  model.scaler.by_series.clear();
  model.scaler.scaling = Scaling::kCommon;
}

std::string scaling_note(const TrainedModel& model) {
  if (model.scaler.by_series.size() < 2) return "";  // of one series, its statistics are the common ones
  std::vector<std::string> known;
  for (const auto& [name, scale] : model.scaler.by_series) known.push_back(name);
  return fmt::format(
      "the model was trained with separate statistics for each series; new data is scaled by those of all of them. {} "
      "takes one: {}",
      field_text("scale_as", "SERIES"), list_text(known));
}

std::string step_note(const std::string& place, double step, const TrainedModel& model) {
  constexpr double kAlike = 4.0 / 3;
  const double known = recorded_step(model);
  if (known <= 0 || step <= 0 || (step <= kAlike * known && known <= kAlike * step)) return "";
  return fmt::format(
      "{} has a sample every {:.3g} s, but the training had one every {:.3g} s: scores may be wrong. Bring the data to "
      "that rate, or train on data of this rate",
      place, step, known);
}

std::vector<std::string> fit_to_model(Dataset& dataset, const TrainedModel& model) {
  ChannelMatch match = match_channels(model.channels, dataset.channels, dataset.source);
  take_columns(dataset, match.columns, model.channels);
  rename_classes(dataset, model);
  check_series(dataset, model);
  for (const std::string& note :
       {step_note(dataset.place(), summarize_steps(dataset).usual.sample, model), gaps_note(dataset),
        far_readings_note(model, dataset), short_series_note(dataset, model)})
    if (!note.empty()) match.notes.push_back(note);
  return std::move(match.notes);
}

namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

CsvFile open_table(const std::string& path, const ReadOptions& options) {
  CsvOptions csv{.separator = options.separator, .decimal = options.decimal};
  csv.header = options.header == Header::kYes  ? CsvHeader::kYes
               : options.header == Header::kNo ? CsvHeader::kNo
                                               : CsvHeader::kAuto;
  return CsvFile(path, csv);
}

// Gives the columns of a table the roles that they had in training, where the options say nothing else.
class Recall {
 public:
  Recall(const CsvFile& file, const TableColumns& known, ReadOptions& options)
      : file_(file), known_(known), options_(options) {}

  void take_all(bool with_labels) {
    if (options_.time.empty() && is_free(known_.time)) take_time();
    if (options_.label.empty() && is_free(known_.label) && with_labels) take_label();
    if (with_labels && !options_.label.empty() && options_.label == known_.label) check_positive();
    if (options_.series.empty() && is_free(known_.series)) options_.series = known_.series;
    if (options_.part_column.empty() && is_free(known_.part)) options_.part_column = known_.part;
    for (const std::string& name : known_.ignored) ignore(name);
    for (const std::string& name : {known_.time, known_.label, known_.series, known_.part}) ignore(name);
  }

 private:
  // Whether the table has the column, and no flag names it.
  bool is_free(const std::string& name) const {
    if (name.empty()) return false;
    if (file_.has_header() ? !has(file_.names(), name) : known_.named || known_.count != file_.columns()) return false;
    return name != options_.label && name != options_.time && name != options_.series && name != options_.part_column &&
           !has(options_.ignore, name);
  }
  void take_time() {
    options_.time = known_.time;
    if (options_.time_format.empty()) options_.time_format = known_.time_format;
    if (options_.time_unit.empty()) options_.time_unit = known_.time_unit;
  }
  // The scores are of the label that was detected in training: for one that was normal they would be upside down.
  void check_positive() const {
    const std::string& positive = options_.positive;
    const std::optional<std::uint8_t> number = data::point_label(positive, "");
    if (positive.empty() || known_.label_of_series) return;
    if (known_.positive.empty() ? number != 0 : !has(known_.normal, positive)) return;
    reject({{.field = "positive"}, "a label that is not normal in training", quote(positive)});
  }
  void take_label() {
    options_.label = known_.label;
    options_.label_of = known_.label_of_series ? LabelOf::kSeries : options_.label_of;
    if (!options_.positive.empty()) return;
    options_.positive = known_.positive;
    options_.positive_may_lack = true;  // new data need not have an anomaly
    options_.normal = known_.normal;
  }
  void ignore(const std::string& name) {
    if (is_free(name)) options_.ignore.push_back(name);
  }

  const CsvFile& file_;
  const TableColumns& known_;
  ReadOptions& options_;
};

// A column of another name than in training often has times of the same form.
void recall_form_of_time(const CsvFile& file, const TableColumns& known, ReadOptions& options) {
  if (options.time == data::kNoTime) return;
  const std::size_t column = file.column(options.time);
  if (column < file.first_row().size()) data::recall_time_form(known, file.first_row()[column], options);
}

// The columns that have no role, as names.
std::vector<std::string> columns_without_role(const CsvFile& file, const ReadOptions& options) {
  const std::vector<std::string> roles = {options.label, options.time, options.series, options.part_column};
  std::vector<std::string> left;
  for (std::size_t i = 0; i < file.names().size(); ++i) {
    const std::string &name = file.names()[i], number = std::to_string(i + 1);
    if (!has(options.ignore, name) && !has(options.ignore, number) && !has(roles, name) && !has(roles, number))
      left.push_back(name);
  }
  return left;
}

// Of a table without names, in which a column of dates is the time; a note says so.
std::vector<std::string> settle_found_time(const CsvFile& file, const TableColumns& known, ReadOptions& options) {
  const std::string time = found_time_column(file, options);
  if (time.empty()) return {};
  options.time = time;
  recall_form_of_time(file, known, options);
  return {data::found_time_note(time)};
}

// Rows of several series in one table would be scored as one: a column of words may name them.
std::string series_hint(const CsvFile& file, const std::vector<std::string>& columns, const ReadOptions& options) {
  const auto has_words = [&](const std::string& name) {
    const std::size_t column = file.column(name);
    return column < file.first_row().size() && !parse_number<double>(file.first_row()[column]);
  };
  if (!options.series.empty() || std::ranges::none_of(columns, has_words)) return "";
  return fmt::format(" (where one of them tells series apart: {})", field_text("series", "COLUMN"));
}

}  // namespace

std::vector<std::string> settle_reading(const std::string& path, const TrainedModel& model, ReadOptions& options,
                                        bool with_labels) {
  if (options.missing == Missing::kAuto) options.missing = recorded_missing(model);
  const std::string table = first_table(path, options);
  if (table.empty()) return {};
  const TableColumns known = recorded_table(model);
  if (options.decimal == '\0') options.decimal = known.decimal;
  const CsvFile file = open_table(table, options);
  const std::vector<std::string> ignored_by_user = options.ignore;
  Recall(file, known, options).take_all(with_labels);
  if (!options.time.empty() && options.time != known.time) recall_form_of_time(file, known, options);
  if (!file.has_header()) return settle_found_time(file, known, options);
  const std::vector<std::string> left = columns_without_role(file, options);
  const ChannelMatch match = match_channels(model.channels, left, table);
  const std::string time = found_time_column(file, options);
  if (!time.empty()) {
    options.time = has(model.channels, time) ? data::kNoTime : time;  // a channel of the model is no time
    recall_form_of_time(file, known, options);
  }
  std::vector<std::string> notes, extra;
  if (!time.empty() && options.time == time) notes.push_back(data::found_time_note(time));
  for (std::size_t i = 0; i < left.size(); ++i)
    if (std::ranges::find(match.columns, i) == match.columns.end() && left[i] != options.time) extra.push_back(left[i]);
  // Other tables of a folder may lack columns that no channel needs, and have others.
  options.ignore = ignored_by_user;
  for (const std::size_t column : match.columns) options.only.push_back(left[column]);
  if (!extra.empty()) notes.push_back(unknown_columns_note(extra) + series_hint(file, extra, options));
  return notes;
}

Dataset load_for_model(const std::string& path, const TrainedModel& model, ReadOptions options, bool with_labels) {
  const std::vector<std::string> notes = settle_reading(path, model, options, with_labels);
  Dataset dataset = load_dataset(path, options);
  dataset.notes.insert(dataset.notes.end(), notes.begin(), notes.end());
  for (std::string& note : fit_to_model(dataset, model)) dataset.notes.push_back(std::move(note));
  return dataset;
}

}  // namespace faithful
