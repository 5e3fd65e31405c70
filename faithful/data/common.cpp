#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "faithful/base/number.h"
#include "faithful/base/utf8.h"
#include "faithful/data/readers_internal.h"
#include "faithful/data/times.h"
#include "faithful/io/gzip.h"

namespace faithful::data {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool is_file(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error) && !fs::is_directory(path, error);
}

std::string join_path(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).string();
}

std::string file_name(const std::string& path) {
  fs::path clean = fs::path(path).lexically_normal();
  if (!clean.has_filename()) clean = clean.parent_path();
  if (clean.empty() || clean == "." || clean == "..") {
    std::error_code error;
    clean = fs::absolute(path, error).lexically_normal();
    if (!clean.has_filename()) clean = clean.parent_path();
  }
  return clean.filename().string();
}

namespace {

fs::path without_gz(const std::string& path) {
  const fs::path name = file_name(path);
  return lower(name.extension().string()) == ".gz" ? name.stem() : name;
}

}  // namespace

std::string stem_of(const std::string& path) {
  return without_gz(path).stem().string();
}

std::string extension_of(const std::string& path) {
  return lower(without_gz(path).extension().string());
}

bool natural_less(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto run = [&](std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    while (at + 1 < end && text[at] == '0') ++at;
    return text.substr(at, end - at);
  };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string_view x = run(a, i), y = run(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      i = static_cast<std::size_t>(x.data() + x.size() - a.data());
      j = static_cast<std::size_t>(y.data() + y.size() - b.data());
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  if (i == a.size() && j == b.size()) return a < b;  // 01 and 1: any order, but always the same
  return i == a.size();
}

std::vector<std::string> files_in(const std::string& path) {
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path, error)) names.push_back(entry.path().filename().string());
  if (error) reject({{path}, "a folder that can be read", error.message()});
  std::ranges::sort(names, natural_less);
  return names;
}

TextFile::TextFile(const std::string& path) : file_(path), text_(file_.bytes()) {
  if (is_gzip(text_)) {
    inflated_ = inflate_gzip(text_, path);
    text_ = inflated_;
  }
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
}

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

float number_of_odd_cell(csv::Cell cell, std::string_view text, Missing missing, const Place& place) {
  if (cell == csv::Cell::kTooLarge) reject({place, "a number of at most 3.4e38", quote(text)});
  if (cell == csv::Cell::kText) reject({place, "a number", quote(text)});
  if (is_refused(missing)) reject({place, "a number", text.empty() ? "nothing" : quote(text), missing_hint()});
  return std::numeric_limits<float>::quiet_NaN();
}

std::string time_unit_of(const ReadOptions& options) {
  return options.time_unit.empty() ? "s" : options.time_unit;
}

std::optional<std::int64_t> read_time(std::string_view cell, const ReadOptions& options) {
  return options.time_format.empty() ? parse_time(cell, time_unit_of(options))
                                     : parse_time_as(cell, options.time_format);
}

void recall_time_form(const TableColumns& known, std::string_view cell, ReadOptions& options) {
  if (options.time_unit.empty()) options.time_unit = known.time_unit;
  const bool fits = !known.time_format.empty() && parse_time_as(cell, known.time_format).has_value();
  if (options.time_format.empty() && fits) options.time_format = known.time_format;
}

std::string time_words(const ReadOptions& options) {
  if (!options.time_format.empty()) return fmt::format("a time like {}", quote(options.time_format));
  return fmt::format("a time (ISO 8601, or a number of {})", time_unit_of(options));
}

namespace {

// The form of a cell that read_time has read, in words.
std::string_view time_form_of(std::string_view cell) {
  if (!is_date(cell)) return "a number";
  return has_offset(cell) ? "a date with its offset from UTC" : "a date without an offset from UTC";
}

}  // namespace

bool is_date(std::string_view cell) {
  return trimmed(cell).find('-', 1) != std::string_view::npos;  // a number has a sign in front at most
}

bool has_offset(std::string_view cell) {
  constexpr std::size_t kDateLength = 10;
  return is_date(cell) && trimmed(cell).find_first_of("Zz+-", kDateLength) != std::string_view::npos;
}

void check_time_form(std::string_view cell, std::string_view first, const Place& place) {
  const std::string_view wanted = time_form_of(first);
  if (time_form_of(cell) != wanted)
    reject({place, fmt::format("{}, as in the first row", wanted), quote(cell),
            "write all times of a column in one form"});
}

namespace {

bool says_time_form(const ReadOptions& options) {
  return !options.time_unit.empty() || !options.time_format.empty();
}

}  // namespace

void check_date(std::string_view cell, const ReadOptions& options, const Place& place) {
  const bool is_date = cell.size() == 8 && (cell.starts_with("19") || cell.starts_with("20")) &&
                       parse_time_as(cell, "%Y%m%d").has_value();
  if (is_date && !says_time_form(options))
    reject({place, "a number of seconds", fmt::format("{}, which looks like a date", quote(cell)),
            fmt::format("a date: {}; seconds: {}", field_text("time_format", "%Y%m%d"), field_text("time_unit", "s"))});
}

void check_seconds(const TimeSteps& steps, std::string_view cell, const ReadOptions& options, const Place& place) {
  constexpr double kSecond = 1e9, kFirst = 20'000, kLast = 80'000;  // days of the years 1954 to 2119
  const double from = static_cast<double>(steps.from) / kSecond, to = static_cast<double>(steps.to) / kSecond;
  const double step = steps.count > 0 ? (to - from) / static_cast<double>(steps.count) : 0;
  if (says_time_form(options) || from < kFirst || to > kLast || step <= 0) return;
  reject({place, "a number of seconds",
          fmt::format("{} and steps of {:.3g} on average, which look like days of a spreadsheet", quote(cell), step),
          fmt::format("days: {}; seconds: {}", field_text("time_unit", "days"), field_text("time_unit", "s"))});
}

bool is_name_of_times(std::string_view column) {
  constexpr std::string_view kNames[] = {"time", "datetime", "timestamp", "date"};
  return std::ranges::any_of(kNames, [&](std::string_view known) { return same_word(trimmed(column), known); });
}

bool means_normal(std::string_view name) {
  constexpr std::string_view kNames[] = {"normal", "ok", "good", "healthy", "nominal", "negative", "none", "pass"};
  return std::ranges::any_of(kNames, [&](std::string_view known) { return same_word(name, known); });
}

std::vector<std::string> anomaly_classes() {
  return {"normal", "anomalous"};
}

std::optional<std::uint8_t> point_label(std::string_view text, const std::string& positive) {
  text = trimmed(text);
  if (!positive.empty()) return text == positive ? 1 : 0;
  if (text == "0" || text == "1") return text == "1" ? 1 : 0;
  const std::optional<double> number = parse_number<double>(text);
  if (number && (*number == 0 || *number == 1)) return *number == 1 ? 1 : 0;
  return std::nullopt;
}

void reject_positive(const std::string& positive, const Place& place) {
  reject({{.field = "positive"}, fmt::format("a label that {} has", to_string(place)), quote(positive)});
}

namespace {

// "none" and "-" may well be the names of what is normal.
bool is_missing_label(std::string_view label) {
  constexpr std::string_view kWords[] = {"", "nan", "na", "n/a", "#n/a", "null", "?"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return same_word(label, word); });
}

}  // namespace

void check_label_of_series(std::string_view label, const Place& place) {
  if (is_missing_label(label))
    reject({place, "a label", label.empty() ? "an empty cell" : fmt::format("{}, a missing value", quote(label))});
}

void check_spelling(std::string_view label, const std::string& positive, const Place& place) {
  if (label != positive && same_word(label, positive))
    reject({place, fmt::format("{}, as {} has it", quote(positive), field_text("positive")), quote(label),
            "spell a label the same everywhere"});
}

void check_known(std::string_view label, const ReadOptions& options, const Place& place) {
  if (options.normal.empty() || label == options.positive ||
      std::ranges::find(options.normal, label) != options.normal.end())
    return;
  std::vector<std::string> known = {quote(options.positive)};
  for (const std::string& name : options.normal)
    if (known.size() <= kMostNormalNamed) known.push_back(quote(name));
  reject({place,
          fmt::format("a label that training had: {}{}", fmt::join(known, ", "),
                      known.size() <= options.normal.size() ? ", .." : ""),
          label.empty() ? "an empty cell" : quote(label),
          fmt::format("where all but one label are normal: {}", field_text("positive", "VALUE"))});
}

void add_note_of_normal(Dataset& dataset, const std::set<std::string>& labels, const std::string& positive) {
  const bool missing = std::ranges::any_of(labels, is_missing_label);
  if (positive.empty() || (labels.size() < 2 && !missing)) return;
  std::vector<std::string> names;
  for (const std::string& label : labels)
    if (names.size() < kMostNormalNamed) names.push_back(label.empty() ? "an empty cell" : quote(label));
  dataset.notes.push_back(fmt::format("labels other than {} count as normal: {}{}", quote(positive),
                                      fmt::join(names, ", "), labels.size() > names.size() ? ", .." : ""));
}

std::string missing_text(Missing missing) {
  ReadOptions options{.missing = missing};
  const std::vector<Setting> all = settings(options);
  const auto found = std::ranges::find_if(all, [](const Setting& one) { return one.field.name == "missing"; });
  return is_refused(missing) ? "" : std::get<std::string>(value_of(*found));
}

std::string header_hint() {
  return fmt::format("names: {}; a sample: {}", field_text("header", "yes"), field_text("header", "no"));
}

std::string missing_hint() {
  return fmt::format("missing values: {}", field_text("missing", "interpolate"));
}

void reject_point_label(std::string_view text, const Place& place) {
  reject({place, "a label, 0 or 1", text.empty() ? "an empty cell" : quote(text),
          fmt::format("one fault among other labels: {}; one label for each whole series: {}",
                      field_text("positive", "VALUE"), field_text("label_of", "series"))});
}

void set_classes(Dataset& dataset, std::span<const std::string> class_of_series, const std::string& positive,
                 const Place& place, bool may_lack) {
  std::vector<std::string> names(class_of_series.begin(), class_of_series.end());
  if (!positive.empty()) {
    if (!may_lack && std::ranges::find(names, positive) == names.end()) reject_positive(positive, place);
    std::set<std::string> normal;
    for (std::string& name : names) {
      if (name.empty()) continue;
      check_spelling(name, positive, place);
      if (name != positive) normal.insert(name);
      name = name == positive ? "anomalous" : "normal";
    }
    add_note_of_normal(dataset, normal, positive);
    dataset.classes = anomaly_classes();
  } else {
    dataset.classes = ordered_classes(names);
    check_names_of_classes(dataset.classes, place);
  }
  std::map<std::string, std::int32_t> index;
  for (std::size_t k = 0; k < dataset.classes.size(); ++k) index[dataset.classes[k]] = static_cast<std::int32_t>(k);
  for (std::size_t i = 0; i < dataset.series.size(); ++i)
    dataset.series[i].label = names[i].empty() ? kNoLabel : index.at(names[i]);
}

namespace {

// Fills the NaN between two known values with a straight line in time, and the ends with the nearest value.
void interpolate_channel(Series& series, std::size_t channel, const std::string& channel_name, const Place& place) {
  Matrix<float>& values = series.values;
  const auto time = [&](std::size_t t) {
    return static_cast<double>(series.times.empty() ? t : nanoseconds_between(series.times[0], series.times[t]));
  };
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::size_t known = kNone;  // the last known place
  for (std::size_t t = 0; t < values.rows; ++t) {
    if (std::isnan(values(t, channel))) continue;
    const double right = values(t, channel);
    for (std::size_t gap = known == kNone ? 0 : known + 1; gap < t; ++gap) {
      const double left = known == kNone ? right : values(known, channel);
      const double span = known == kNone ? 0 : time(t) - time(known);
      const double share = span > 0 ? (time(gap) - time(known)) / span : 0;
      values(gap, channel) = static_cast<float>(left + (right - left) * share);
    }
    known = t;
  }
  if (known == kNone) {
    reject({place, fmt::format("a number in channel {} of series {}", quote(channel_name), quote(series.name)),
            "only missing values",
            fmt::format("leave the column out with {}, or fill it with {}", field_text("ignore"),
                        field_text("missing", "zero"))});
  }
  for (std::size_t t = known + 1; t < values.rows; ++t) values(t, channel) = values(known, channel);
}

// In integers, which the compiler can do for many numbers at once: most tables have nothing to settle.
bool all_finite(const std::vector<float>& values) {
  constexpr std::uint32_t kExponent = 0x7F800000;  // all ones: infinite or NaN
  std::uint32_t odd = 0;
  for (const float value : values) odd |= (std::bit_cast<std::uint32_t>(value) & kExponent) == kExponent ? 1 : 0;
  return odd == 0;
}

// The runs of missing values, before they are filled.
std::vector<FilledSpan> missing_spans(const Matrix<float>& values) {
  std::vector<FilledSpan> spans;
  for (std::size_t c = 0; c < values.columns; ++c)
    for (std::size_t t = 0; t < values.rows; ++t) {
      if (!std::isnan(values(t, c))) continue;
      const std::size_t begin = t;
      while (t < values.rows && std::isnan(values(t, c))) ++t;
      spans.push_back({{begin, t}, c});
    }
  return spans;
}

void settle_series(Series& series, const Dataset& dataset, Missing missing) {
  Matrix<float>& values = series.values;
  if (all_finite(values.values)) return;
  std::vector<bool> gaps(values.columns, false);
  bool any = false;
  for (std::size_t t = 0; t < values.rows; ++t) {
    for (std::size_t c = 0; c < values.columns; ++c) {
      const float value = values(t, c);
      if (std::isfinite(value)) continue;
      const bool infinite = std::isinf(value);
      if (infinite || is_refused(missing)) {
        reject({{dataset.source},
                "finite numbers",
                fmt::format("{} in series {}, time {}, channel {}", infinite ? "an infinite one" : "a missing one",
                            quote(series.name), t + 1, quote(dataset.channels[c])),
                infinite ? "" : missing_hint()});
      }
      gaps[c] = any = true;
    }
  }
  if (!any || (missing != Missing::kInterpolate && missing != Missing::kZero)) return;
  series.filled = missing_spans(values);
  if (missing == Missing::kZero) {
    for (float& value : values.values)
      if (std::isnan(value)) value = 0;
    return;
  }
  for (std::size_t c = 0; c < gaps.size(); ++c)
    if (gaps[c]) interpolate_channel(series, c, dataset.channels[c], {dataset.source});
}

}  // namespace

Dataset finished(Dataset dataset, const std::string& path, const std::string& format, const ReadOptions& options) {
  dataset.source = path;
  dataset.format = format;
  if (dataset.series.empty() || dataset.rows() == 0) reject({{path}, "rows of data", "none"});
  for (std::string& name : dataset.channels) name = as_utf8(name);
  for (std::string& name : dataset.classes) name = as_utf8(name);
  for (Series& series : dataset.series) series.name = as_utf8(series.name);
  settle_missing(dataset, options.missing);
  check_dataset(dataset);
  check_names_of_classes(dataset.classes, {dataset.source});
  check_spelling_of_classes(dataset.classes, {dataset.source});
  check_classes(dataset);
  return dataset;
}

}  // namespace faithful::data

namespace faithful {

void settle_missing(Dataset& dataset, Missing missing) {
  for (Series& series : dataset.series) data::settle_series(series, dataset, missing);
  dataset.missing = data::missing_text(missing);
}

std::vector<std::string> ordered_classes(std::vector<std::string> names) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::erase(names, "");
  if (names.size() == 2 && !data::means_normal(names[0]) && data::means_normal(names[1])) std::swap(names[0], names[1]);
  if (names.size() == 2 && data::means_normal(names[0])) return names;
  const auto number = [](const std::string& name) { return parse_number<double>(name); };
  if (std::ranges::all_of(names, [&](const std::string& name) { return number(name) && std::isfinite(*number(name)); }))
    std::ranges::stable_sort(names, {}, [&](const std::string& name) { return *number(name); });
  return names;
}

}  // namespace faithful
