#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/error.h"
#include "faithful/base/matrix.h"
#include "faithful/base/range.h"

// What every reader yields: series of time x channels with their labels. A series is one timeline (a machine, a
// spacecraft channel, an elevator trip, one case of a UEA set); series of one data set have the same channels and
// may differ in length.

namespace faithful {

// Which part of the data set's own division a series belongs to.
enum class DataPart : std::uint8_t { kNone, kTrain, kTest };
FAITHFUL_API std::string to_string(DataPart part);  // "", "train", "test"

// A labelled stretch of a timeline.
struct LabelSpan : Range {
  std::vector<std::size_t> channels = {};  // at fault, from 0, ascending; empty: not known
  std::string kind = {};                   // such as "contextual" or the simulated fault; may be empty

  bool operator==(const LabelSpan&) const = default;
};

// Samples of a channel whose values were missing, and were filled.
struct FilledSpan : Range {
  std::size_t channel = 0;

  bool operator==(const FilledSpan&) const = default;
};

inline constexpr std::int32_t kNoLabel = -1;

struct FAITHFUL_API Series {
  std::string name = {};
  DataPart part = DataPart::kNone;
  Matrix<float> values = {};              // [T, C]; NaN where missing values were kept
  std::vector<std::int64_t> times = {};   // [T], ns since 1970-01-01T00:00:00Z, never decreasing; empty: none
  std::vector<std::uint8_t> labels = {};  // [T], 1: anomalous, 0: normal; empty: no point labels
  std::int32_t label = kNoLabel;          // class of the whole series, an index into Dataset::classes
  float weight = 1;                       // of its windows in the loss of a Transformer's training; above 0. Files do
                                          // not keep it
  std::vector<LabelSpan> spans = {};      // what is known beyond `labels` (channels, kind), by begin; may be empty
  std::vector<FilledSpan> filled = {};    // the longest ones, by channel and begin. Files do not keep them

  std::size_t length() const { return values.rows; }
  // Whether nothing was read of a channel in these samples: its values are missing (NaN), or all were filled.
  bool is_silent(std::size_t channel, const Range& samples) const;
  bool operator==(const Series&) const;  // NaN equals NaN
};

// Which columns of a table had which role when it was read: names, or numbers from 1 where the table has no header.
struct TableColumns {
  std::size_t count = 0;  // columns of the table; 0: the data was no table
  bool named = false;     // it has a header
  std::string time = {}, time_format = {}, time_unit = {};
  std::string label = {}, positive = {};
  std::vector<std::string> normal = {};  // the labels beside `positive`; empty: there is none, or there are too many
  bool label_of_series = false;
  std::string series = {}, part = {};
  std::vector<std::string> ignored = {};
  char decimal = '.';
  std::optional<bool> offset =
      {};  // whether its dates have an offset from UTC; of other times, and in model files, none
};

struct FAITHFUL_API Dataset {
  std::string name = {};                   // "SMD", "BasicMotions", "pump"
  std::vector<std::string> channels = {};  // [C], names; never empty
  std::vector<std::string> classes =
      {};                               // [K], of Series::label; with point labels {"normal", "anomalous"}; else empty
  std::vector<Series> series = {};      // in the order of the source; all of C channels
  double rate = 0;                      // samples a second where the source states it; 0: unknown
  std::string source = {};              // the path it was read from, or how it was made
  std::string format = {};              // "csv", "npz", "smd", "elevator", ...
  std::vector<std::string> notes = {};  // what the reader did that the user should know, a line each
  std::string missing = {};             // what became of missing values (the choices of "missing"); empty: refused
  TableColumns table = {};              // how it was read, where it was a table (of a folder: the first one)

  std::size_t rows() const;               // sum of the lengths
  std::string place() const;              // in error messages: the source, else the name
  bool has_point_labels() const;          // some series has
  bool has_series_labels() const;         // some series has
  bool operator==(const Dataset&) const;  // of everything but source, format, notes and table
};

// Samples of a series of a data set.
struct Piece : Range {
  std::size_t series = 0;

  bool operator==(const Piece&) const = default;
};

// The samples of pieces, each once: what overlaps or touches is one piece. Pieces are by series and begin.
FAITHFUL_API std::vector<Piece> without_overlaps(std::span<const Piece> pieces);

// The stretches of ones.
FAITHFUL_API std::vector<LabelSpan> spans_of(std::span<const std::uint8_t> labels);

// `length` labels that are one inside the spans; what reaches beyond the length is cut.
FAITHFUL_API std::vector<std::uint8_t> labels_of(std::span<const LabelSpan> spans, std::size_t length);

// The series of one part, copied; names, classes and notes stay.
FAITHFUL_API Dataset part_of(const Dataset& dataset, DataPart part);

// Throws Error where the fields contradict each other (lengths, channels, classes): our own mistake, not the user's.
FAITHFUL_API void check_dataset(const Dataset& dataset);

// InputError where the test part has a class that the training part lacks. A training part without labels may.
FAITHFUL_API void check_classes(const Dataset& dataset);

// InputError where two classes have one name, or one has that of a prediction without a score.
FAITHFUL_API void check_names_of_classes(const std::vector<std::string>& classes, const Place& place);
// InputError where a file seems to have one name in two spellings: fault and Fault, 1 and 1.0.
FAITHFUL_API void check_spelling_of_classes(const std::vector<std::string>& classes, const Place& place);

// channel_1 .. channel_N.
FAITHFUL_API std::vector<std::string> numbered_channels(std::size_t count);

// These columns of the data set become its channels, in place, with these names; spans follow. At most as many as there
// are.
FAITHFUL_API void take_columns(Dataset& dataset, const std::vector<std::size_t>& columns,
                               const std::vector<std::string>& names);

}  // namespace faithful
