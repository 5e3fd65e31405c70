// .ts, the text format of the UEA and UCR archives: @ lines, then one case a line, dimensions between colons:
//
//   @problemName Pump
//   @classLabel true ok broken
//   @data
//   1,2,3:4,5,6:ok            with @timeStamps true: (0,1),(1,2),(2,3):(0,4),(1,5),(2,6):ok

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "faithful/base/number.h"
#include "faithful/data/lines_internal.h"
#include "faithful/data/readers_internal.h"
#include "faithful/data/times.h"

namespace faithful::data {
namespace {

struct TsHeader {
  std::string problem;
  bool timestamps = false;
  bool has_class = false;
  std::optional<bool> univariate;
  std::optional<std::size_t> dimensions;
  std::optional<std::size_t> length;
  std::vector<std::string> classes;  // sorted
};

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!(text = trimmed(text)).empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

bool read_flag(std::string_view word, const Place& place) {
  if (same_word(word, "true")) return true;
  if (same_word(word, "false")) return false;
  reject({place, "true or false", word.empty() ? "nothing" : quote(word)});
}

std::size_t read_count(std::string_view word, const Place& place) {
  const std::optional<std::size_t> count = parse_number<std::size_t>(word);
  if (!count || *count == 0) reject({place, "a whole number of at least 1", word.empty() ? "nothing" : quote(word)});
  return *count;
}

void read_header_line(std::string_view line, const Place& place, TsHeader& header) {
  const std::vector<std::string_view> words = words_of(line);
  const std::string_view key = words.front();
  const std::string_view value = words.size() > 1 ? words[1] : std::string_view();
  if (same_word(key, "@problemname")) {
    header.problem = trimmed(trimmed(line).substr(key.size()));
  } else if (same_word(key, "@timestamps")) {
    header.timestamps = read_flag(value, place);
  } else if (same_word(key, "@univariate")) {
    header.univariate = read_flag(value, place);
  } else if (same_word(key, "@dimensions") || same_word(key, "@dimension")) {
    header.dimensions = read_count(value, place);
  } else if (same_word(key, "@serieslength")) {
    header.length = read_count(value, place);
  } else if (same_word(key, "@classlabel")) {
    header.has_class = read_flag(value, place);
    header.classes.assign(words.begin() + 2, words.end());
    std::ranges::sort(header.classes);
    if (header.has_class && header.classes.empty()) reject({place, "true and the names of the classes", "no names"});
  } else if (same_word(key, "@targetlabel")) {
    if (read_flag(value, place)) reject({place, "classes (@classLabel)", "numbers to predict (@targetLabel)"});
  } else if (!same_word(key, "@missing") && !same_word(key, "@equallength")) {
    reject({place, "a known @ line or @data", quote(key)});
  }
}

// Reads up to @data; `rest` and `number` are moved past it.
TsHeader read_header(std::string_view& rest, std::size_t& number, const std::string& name) {
  TsHeader header;
  while (!rest.empty()) {
    const std::string_view line = trimmed(take_line(rest));
    ++number;
    if (line.empty() || line.front() == '#' || line.front() == '%') continue;
    if (line.front() != '@') reject({{name, number}, "an @ line or @data", quote(line)});
    if (same_word(line, "@data")) return header;
    read_header_line(line, {name, number}, header);
  }
  reject({{name}, "a line @data", "the end of the file"});
}

// Cuts at `separator`, not inside of parentheses.
std::vector<std::string_view> cut(std::string_view text, char separator) {
  std::vector<std::string_view> fields;
  std::size_t begin = 0;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') inside = true;
    if (text[i] == ')') inside = false;
    if (text[i] != separator || inside) continue;
    fields.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  fields.push_back(text.substr(begin));
  return fields;
}

class TsCaseReader {
 public:
  TsCaseReader(const TsHeader& header, const std::string& name, const ReadOptions& options)
      : header_(header), name_(name), options_(options) {}

  void operator()(const Line& line, Series& series, std::string& class_name) const {
    std::vector<std::string_view> fields = cut(line.text, ':');
    if (header_.has_class) {
      class_name = trimmed(fields.back());
      fields.pop_back();
      check_class(class_name, {name_, line.number, fields.size() + 1});
    }
    check_dimensions(fields.size(), {name_, line.number});
    // Counted before the table is made: a table is never larger than its text.
    std::vector<std::size_t> lengths(fields.size());
    for (std::size_t c = 0; c < fields.size(); ++c) {
      lengths[c] = count_values(fields[c]);
      if (lengths[c] != lengths[0]) {
        reject({{name_, line.number, c + 1},
                fmt::format("{} values, as in the first dimension", lengths[0]),
                fmt::format("{}", lengths[c])});
      }
    }
    if (header_.length && lengths[0] != *header_.length)
      reject({{name_, line.number},
              fmt::format("{} values (@seriesLength)", *header_.length),
              fmt::format("{}", lengths[0])});
    series.values = Matrix<float>(lengths[0], fields.size());
    if (header_.timestamps) series.times.resize(lengths[0]);
    for (std::size_t c = 0; c < fields.size(); ++c) read_dimension(fields[c], c, {name_, line.number, c + 1}, series);
  }

 private:
  void check_class(const std::string& class_name, const Place& place) const {
    if (!std::ranges::binary_search(header_.classes, class_name))
      reject({place, "one of the classes of @classLabel", class_name.empty() ? "nothing" : quote(class_name)});
  }

  void check_dimensions(std::size_t count, const Place& place) const {
    if (count == 0) reject({place, "dimensions and a class, with colons between them", "only a class"});
    const std::size_t wanted = header_.univariate.value_or(false) ? 1 : header_.dimensions.value_or(count);
    if (count != wanted)
      reject({place, fmt::format("{} dimension{}", wanted, wanted == 1 ? "" : "s"), fmt::format("{}", count)});
  }

  std::size_t count_values(std::string_view field) const {
    const char mark = header_.timestamps ? '(' : ',';
    return static_cast<std::size_t>(std::ranges::count(field, mark)) + (header_.timestamps ? 0 : 1);
  }

  void read_dimension(std::string_view field, std::size_t channel, const Place& place, Series& series) const {
    if (header_.timestamps) return read_timed(field, channel, place, series);
    for (std::size_t t = 0; t < series.length(); ++t) {
      const std::size_t end = std::min(field.find(','), field.size());
      series.values(t, channel) = read_number(field.substr(0, end), options_.missing, [&] { return place; });
      field.remove_prefix(std::min(end + 1, field.size()));
    }
  }

  // (time,value),(time,value): the same times in every dimension.
  void read_timed(std::string_view field, std::size_t channel, const Place& place, Series& series) const {
    const std::vector<std::string_view> pairs = cut(field, ',');
    if (pairs.size() != series.length()) reject({place, "pairs (time,value) with commas between them", quote(field)});
    for (std::size_t t = 0; t < pairs.size(); ++t) {
      const std::string_view pair = trimmed(pairs[t]);
      const std::size_t comma = pair.rfind(',');
      if (!pair.starts_with('(') || !pair.ends_with(')') || comma == std::string_view::npos)
        reject({place, "(time,value)", quote(pair)});
      const std::string_view time_text = pair.substr(1, comma - 1);
      const std::optional<std::int64_t> time = parse_time(time_text, time_unit_of(options_));
      if (!time) reject({place, "a time (ISO 8601, or a number)", quote(time_text)});
      if (channel > 0 && *time != series.times[t])
        reject({place, "the times of the first dimension", quote(time_text), "all channels must share their times"});
      if (t > 0 && *time < series.times[t - 1]) reject({place, "times that never decrease", quote(time_text)});
      series.times[t] = *time;
      series.values(t, channel) =
          read_number(pair.substr(comma + 1, pair.size() - comma - 2), options_.missing, [&] { return place; });
    }
  }

  const TsHeader& header_;
  const std::string& name_;
  const ReadOptions& options_;
};

}  // namespace

Dataset parse_ts(std::string_view text, const std::string& name, const ReadOptions& options) {
  std::size_t number = 0;
  const TsHeader header = read_header(text, number, name);
  const CaseFile file{name, header.problem, "ts", "#%", "dimensions", header.has_class};
  return dataset_of_cases(text, number, file, TsCaseReader(header, name, options), options);
}

Dataset load_ts(const std::string& path, const ReadOptions& options) {
  return parse_ts(TextFile(path).text(), path, options);
}

}  // namespace faithful::data
