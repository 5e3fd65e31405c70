#include "app/data_arguments.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/trained/match.h"

namespace faithful::app {

namespace {

// Notes name settings; what is shown names flags.
Dataset with_flags(Dataset dataset) {
  for (std::string& note : dataset.notes) note = spelled(note, flag_text);
  return dataset;
}

}  // namespace

std::vector<Option> data_option_list(ReadOptions& options) {
  return joined({options_of(settings(options)),
                 grouped("Data", {{"--ignore COL,...", &options.ignore, "columns of a table to leave out", common}})});
}

void check_output_apart(const std::string& output, const std::string& data, const ReadOptions& options) {
  if (output.empty()) return;
  std::error_code error;  // what is not there is somebody else's complaint
  const std::filesystem::path source = std::filesystem::weakly_canonical(find_data(data, options.data_dir), error),
                              target = std::filesystem::weakly_canonical(output, error);
  if (source.empty() || target.empty()) return;
  if (source == target || std::filesystem::equivalent(source, target, error))
    reject({{.field = "output"}, "another place than that of the data", quote(output)});
  const bool inside = std::ranges::mismatch(source, target).in1 == source.end();
  if (inside && std::filesystem::is_directory(source, error) && !first_table(source.string(), options).empty())
    reject({{.field = "output"},
            fmt::format("a place outside of {}, whose tables are the data", quote(data)),
            quote(output)});
}

Dataset read_dataset(const std::string& path, const ReadOptions& options) {
  return with_flags(load_dataset(path, options));
}

Dataset read_for_model(const std::string& path, const ReadOptions& options, const TrainedModel& model,
                       bool with_labels) {
  return with_flags(load_for_model(path, model, options, with_labels));
}

}  // namespace faithful::app
