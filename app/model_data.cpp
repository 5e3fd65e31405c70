#include "app/model_data.h"

#include <algorithm>

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

}  // namespace faithful::app
