#include "app/data_arguments.h"

#include <fmt/format.h>

#include "faithful/base/error.h"

namespace faithful::app {

namespace {

char one_character(const std::string& flag, const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() != 1) reject({{flag}, "one character, or tab", quote(text)});
  return text[0];
}

}  // namespace

ReadOptions resolved(const DataArguments& arguments) {
  ReadOptions options = arguments.options;
  options.missing = arguments.missing == "interpolate" ? Missing::kInterpolate
                    : arguments.missing == "zero"      ? Missing::kZero
                    : arguments.missing == "keep"      ? Missing::kKeep
                                                       : Missing::kError;
  options.label_of = arguments.label_of == "series" ? LabelOf::kSeries : LabelOf::kPoint;
  options.header = arguments.header == "yes" ? Header::kYes : arguments.header == "no" ? Header::kNo : Header::kAuto;
  if (!arguments.separator.empty()) options.separator = one_character("--separator", arguments.separator);
  options.decimal = one_character("--decimal", arguments.decimal);
  return options;
}

std::vector<Option> data_option_list(DataArguments& a) {
  return {
      {.name = "--format",
       .target = &a.options.format,
       .value = "F",
       .help = "instead of the one the path says",
       .choices = read_formats()},
      {.name = "--part", .target = &a.part, .value = "PART", .help = "one part only", .choices = {"train", "test"}},
      {.name = "--missing",
       .target = &a.missing,
       .value = "HOW",
       .help = "missing values",
       .choices = {"error", "interpolate", "zero", "keep"}},
      {.name = "--label",
       .target = &a.options.label,
       .value = "NAME",
       .help = "labels: a column of a table, an array of .npz or HDF5, a file for .npy"},
      {.name = "--label-of",
       .target = &a.label_of,
       .value = "WHAT",
       .help = "what a label in a table is about",
       .choices = {"point", "series"}},
      {.name = "--positive",
       .target = &a.options.positive,
       .value = "VALUE",
       .help = "the label that means anomalous, where labels are not 0 and 1"},
      {.name = "--time",
       .target = &a.options.time,
       .value = "COLUMN",
       .help = "times: ISO 8601, or numbers since 1970"},
      {.name = "--time-unit",
       .target = &a.options.time_unit,
       .value = "U",
       .help = "of times that are numbers",
       .choices = {"s", "ms", "us", "ns"}},
      {.name = "--series",
       .target = &a.options.series,
       .value = "COLUMN",
       .help = "names of series, where a table holds several"},
      {.name = "--part-column",
       .target = &a.options.part,
       .value = "COLUMN",
       .help = "train or test, for each row of a table"},
      {.name = "--ignore", .target = &a.options.ignore, .value = "COL,...", .help = "columns to leave out"},
      {.name = "--separator",
       .target = &a.separator,
       .value = "C",
       .help = "between columns",
       .shown_default = "found"},
      {.name = "--decimal", .target = &a.decimal, .value = "C", .help = "the decimal sign", .choices = {".", ","}},
      {.name = "--header",
       .target = &a.header,
       .value = "H",
       .help = "whether the first line has names",
       .choices = {"auto", "yes", "no"}},
      {.name = "--values", .target = &a.options.values, .value = "NAME", .help = "the array to read from .npz or HDF5"},
      {.name = "--axes",
       .target = &a.options.axes,
       .value = "AXES",
       .help = "of an array, in order: n series, t time, c channels; such as ntc"},
      {.name = "--channels",
       .target = &a.options.channels,
       .value = "C",
       .help = "of an HDF5 file in the DFStrans layout",
       .shown_default = "as it says, else 20"},
      {.name = "--spacecraft",
       .target = &a.options.spacecraft,
       .value = "CRAFT",
       .help = "of a telemanom folder that holds both",
       .choices = {"MSL", "SMAP"}},
      {.name = "--data-dir",
       .target = &a.options.data_dir,
       .value = "DIR",
       .help = "where to look for PATH too",
       .shown_default = "FAITHFUL_DATA"},
  };
}

Dataset load_dataset(const std::string& path, const DataArguments& arguments) {
  Dataset dataset = faithful::load_dataset(path, resolved(arguments));
  if (arguments.part.empty()) return dataset;
  Dataset part = part_of(dataset, arguments.part == "train" ? Part::kTrain : Part::kTest);
  if (part.series.empty()) reject({{"--part"}, "a part that the data set has", quote(arguments.part)});
  return part;
}

}  // namespace faithful::app
