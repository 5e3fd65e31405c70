#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/data/read.h"
#include "faithful/trained/match.h"

namespace faithful {

namespace csv {
enum class Cell;
}

// Samples that come as lines of CSV, one by one. The first line may be a header: its names are matched with the model's
// channels, and other columns are ignored. Without one, the columns are the channels in their order (beside those with
// another role). A line is a record: quotes do not reach over line ends.
class FAITHFUL_API SampleLines {
 public:
  // Of the options: missing (not kInterpolate: the future is not known), time, time_format, time_unit, label and ignore
  // (which are skipped), series (which must stay the same), separator, decimal, header. What they do not say is as
  // `known` has it, where the columns are there. Errors name `place`.
  SampleLines(std::vector<std::string> channels, const ReadOptions& options, std::string place,
              TableColumns known = {});

  // A line without its line end; its number counts from 1, 0: the one after the last. True: values() and time() are
  // those of a sample; false: it was a header or blank. InputError names line and column of what is wrong; the next line
  // may be taken all the same. A time before that of the last sample is wrong, unless the line that was refused for this
  // before has no later one: then two agree, and the stream goes on from there.
  bool take(std::string_view line, std::size_t number = 0);

  bool begun() const { return columns_ > 0; }                             // the columns are known
  std::span<const float> values() const { return values_; }               // [C], in the order of the model's channels
  std::span<const std::uint8_t> is_read() const { return is_read_; }      // [C]: 0 where the value was missing
  bool has_times() const { return time_column_.has_value(); }             // after the first line
  std::int64_t time() const { return time_; }                             // ns since 1970
  bool begins_anew() const { return begins_anew_; }                       // the last sample is before earlier ones
  const std::vector<std::string>& notes() const { return match_.notes; }  // after the first line

 private:
  void begin();  // from the fields of the first line
  void recall(const std::vector<std::string>& names, bool header);
  std::optional<std::size_t> find(const std::string& column, const std::vector<std::string>& names) const;
  bool is_header() const;
  float odd_value(csv::Cell cell, std::size_t column) const;
  void read_time();
  void check_series();

  std::vector<std::string> channels_;
  ReadOptions said_;     // by the caller
  ReadOptions options_;  // with what the training adds
  std::string place_;
  TableColumns known_;  // roles of columns in training
  std::size_t line_ = 0;
  std::vector<std::string> fields_;
  char separator_ = ',';
  std::size_t columns_ = 0;  // of every line; 0: none was seen yet
  std::optional<std::size_t> time_column_, series_column_;
  std::optional<std::string> series_;      // of all samples
  std::optional<std::string> first_time_;  // as it was written; none was read yet
  ChannelMatch match_;                     // into the columns of a line
  std::vector<float> values_;
  std::vector<std::uint8_t> is_read_;
  std::int64_t time_ = 0;
  std::optional<std::int64_t> refused_;  // the time of a line that was before time_, after which no sample came
  bool begins_anew_ = false;
};

}  // namespace faithful
