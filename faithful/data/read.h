#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/field.h"
#include "faithful/data/dataset.h"

namespace faithful {

class CsvFile;

// What to do with missing values (an empty cell, NA, nan, ? and the like). kInterpolate: a straight line between
// the neighbours in time, the nearest value at both ends. kKeep: NaN stays in the values. kAuto: as in the training of the
// model that the data is for (settle_reading), else kError.
enum class Missing : std::uint8_t { kError, kInterpolate, kZero, kKeep, kAuto };

// Whether a label column labels each point or, being constant in a series, the whole series.
enum class LabelOf : std::uint8_t { kPoint, kSeries };

enum class Header : std::uint8_t { kAuto, kYes, kNo };

// How to read; each reader takes what concerns it.
struct ReadOptions {
  std::string format = {};  // csv, csv-folder, npy, npz, ts, arff, uea, smd, telemanom, hdf5; empty: by the path
  std::string part = {};    // all formats: only this part, train or test; empty: all
  Missing missing = Missing::kAuto;      // all formats
  std::string label = {};                // csv: column, or .json of spans; npz, hdf5: array; npy: file beside it
  LabelOf label_of = LabelOf::kPoint;    // csv
  std::string positive = {};             // the label that means anomalous, where labels are text; empty: 0 and 1
  bool positive_may_lack = false;        // else it is an error where no label is `positive`
  std::vector<std::string> normal = {};  // beside `positive`, only these labels are known; empty: all others are normal
  std::string time = {};                 // csv: column of times; empty: by its name or its dates; none: no column
  std::string time_format = {};          // of times that are text, such as %d.%m.%Y %H:%M; empty: ISO 8601
  std::string time_unit = {};            // of times that are numbers: s, ms, us, ns (since 1970), days; empty: s
  std::string series = {};               // csv: column that names the series of each row
  std::string part_column = {};          // csv: column that holds train or test
  std::vector<std::string> ignore = {};  // csv: columns to leave out
  std::vector<std::string> only = {};    // csv with a header: of columns without a role, only these; empty: all
  char separator = '\0';                 // csv; \0: found in the first line
  char decimal = '\0';                   // csv; \0: .
  Header header = Header::kAuto;         // csv
  std::string values = {};               // npz, hdf5: the array of the values; empty: our own layouts
  std::string axes = {};                 // npy, npz, hdf5: tc, ct, ntc, nct, ... (n series, t time, c channels)
  std::size_t channels = 0;              // hdf5, DFStrans layout: number of channels; 0: as the file states, else 20
  std::string spacecraft = {};           // telemanom: MSL or SMAP where the folder holds both
  std::string data_dir = {};             // where to look for a path that is not there; empty: FAITHFUL_DATA
};

// The fields that are set by name, all but `normal`, `ignore` and `only`: the one table that describes them.
FAITHFUL_API std::vector<Setting> settings(ReadOptions& options);

// The names that ReadOptions::format may have.
FAITHFUL_API const std::vector<std::string>& read_formats();

// Reads a file or folder; its name or content decides the format. InputError where it cannot be read.
FAITHFUL_API Dataset load_dataset(const std::string& path, const ReadOptions& options = {});

// All names once, in one order whatever the source: by number where all are numbers, else by letters; normal before
// anomalous. Empty names are left out.
FAITHFUL_API std::vector<std::string> ordered_classes(std::vector<std::string> names);

// Rejects or fills the missing values (NaN) of all series. InputError for an infinite one, and for a channel that has
// only missing values where they are interpolated.
FAITHFUL_API void settle_missing(Dataset& dataset, Missing missing);

// The table itself, or the first one of a folder of tables: its header has the names of the columns. Empty: no table.
FAITHFUL_API std::string first_table(const std::string& path, const ReadOptions& options);

// The column that is taken as the time of a table where options.time is empty; empty: none.
FAITHFUL_API std::string found_time_column(const CsvFile& table, const ReadOptions& options);

// Whether stream_dataset can read it: a text table of one series, missing values not to be filled.
FAITHFUL_API bool can_stream(const std::string& path, const ReadOptions& options);

// The same rows as consecutive data sets of one series each, a few MB of text at a time: for tables larger than memory.
FAITHFUL_API void stream_dataset(const std::string& path, const ReadOptions& options,
                                 const std::function<void(Dataset&)>& take);

// The path itself where it exists, else the one below `data_dir` (or FAITHFUL_DATA), also without its UEA folder.
FAITHFUL_API std::string find_data(const std::string& path, const std::string& data_dir = {});

}  // namespace faithful
