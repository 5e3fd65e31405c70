#include "app/model_data.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/io/csv.h"
#include "faithful/predict/match.h"

namespace faithful::app {

void ignore_unknown_columns(const std::string& path, const TrainedModel& model, ReadOptions& options) {
  if (!can_stream(path, {.format = options.format, .data_dir = options.data_dir})) return;
  CsvOptions csv{.separator = options.separator, .decimal = options.decimal};
  csv.header = options.header == Header::kYes  ? CsvHeader::kYes
               : options.header == Header::kNo ? CsvHeader::kNo
                                               : CsvHeader::kAuto;
  const CsvFile file(find_data(path, options.data_dir), csv);
  if (!file.has_header()) return;
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  const std::vector<std::string> roles = {options.label, options.time, options.series, options.part};
  std::vector<std::string> left;  // that no flag names
  for (std::size_t i = 0; i < file.names().size(); ++i) {
    const std::string &name = file.names()[i], number = std::to_string(i + 1);
    if (!has(options.ignore, name) && !has(options.ignore, number) && !has(roles, name) && !has(roles, number))
      left.push_back(name);
  }
  const ChannelMatch match = match_channels(model.channels, left, path);
  for (std::size_t i = 0; i < left.size(); ++i)
    if (std::ranges::find(match.columns, i) == match.columns.end()) options.ignore.push_back(left[i]);
}

ModelData load_for_model(const std::string& path, const DataArguments& arguments, const TrainedModel& model) {
  DataArguments fitting = arguments;
  ignore_unknown_columns(path, model, fitting.options);
  ModelData loaded{load_dataset(path, fitting), {}};
  loaded.notes = loaded.dataset.notes;
  for (std::string& note : fit_to_model(loaded.dataset, model)) loaded.notes.push_back(std::move(note));
  return loaded;
}

Windows held_out_windows(const Dataset& dataset, const TrainedModel& model) {
  const Json& split = model.record["split"];
  SplitOptions options;
  const std::string place = "record of the model: split";
  options.kind = parse_split_kind(split["kind"].string(place));
  options.window = model.window;
  options.seed = static_cast<std::uint64_t>(split["seed"].integer(place));
  options.refit = options.kind == SplitKind::kGiven;
  options.labelled_only = true;
  for (const Json& name : split["leave_out"].items(place)) options.leave_out.push_back(name.string(place));
  SplitOptions known = options;
  known.leave_out.clear();
  apply_known_rules(dataset, known);
  options.together = known.together;
  const Split parts(dataset, options);
  WindowSets sets = cut_windows(parts, Scaler(model.scaler));
  const Json& expected = model.record["proof"]["digests"]["test"];
  if (!expected.is_string() || expected.string() != fmt::format("{:016x}", sets.proof.test_digest))
    reject({{dataset.source}, "the data that the model was trained on", "other windows", "leave out --held-out"});
  return std::move(sets.test);
}

}  // namespace faithful::app
