#include "app/data_arguments.h"

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
                 grouped("Data", {{"--ignore COL,...", &options.ignore, "columns of a table to leave out"}})});
}

Dataset read_dataset(const std::string& path, const ReadOptions& options) {
  return with_flags(load_dataset(path, options));
}

Dataset read_for_model(const std::string& path, const ReadOptions& options, const TrainedModel& model) {
  return with_flags(load_for_model(path, model, options));
}

}  // namespace faithful::app
