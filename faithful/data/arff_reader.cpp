// .arff, Weka's format, in the two ways the UEA and UCR archives use it: a plain one has one numeric attribute per
// point in time (one channel); a relational one has a quoted cell per case, its lines (\n) being the channels.

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "faithful/data/lines_internal.h"
#include "faithful/data/readers_internal.h"

namespace faithful::data {
namespace {

struct ArffHeader {
  std::string relation;
  std::size_t attributes = 0;                // cells of a data line
  std::optional<std::size_t> class_at;       // the nominal attribute
  std::optional<std::size_t> relational_at;  //
  std::size_t inner = 0;                     // attributes of the relational one: points in time
  std::vector<std::string> classes;          // sorted
};

// Takes a word from the front of the text: up to white space or one of `stops`, or text in quotes.
std::string take_word(std::string_view& text, std::string_view stops) {
  text = trimmed(text);
  std::string word;
  if (!text.empty() && (text.front() == '\'' || text.front() == '"')) {
    const char mark = text.front();
    std::size_t i = 1;
    for (; i < text.size() && text[i] != mark; ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) ++i;
      word += text[i];
    }
    text.remove_prefix(std::min(i + 1, text.size()));
    return word;
  }
  const std::size_t end = std::min(text.find_first_of(std::string(" \t") + std::string(stops)), text.size());
  word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

std::vector<std::string> read_nominal(std::string_view text, const Place& place) {
  if (text.size() < 2 || text.back() != '}') reject({place, "classes between braces", quote(text)});
  text = text.substr(1, text.size() - 2);
  std::vector<std::string> classes;
  while (!trimmed(text).empty()) {
    classes.push_back(take_word(text, ","));
    text = trimmed(text);
    if (!text.empty() && text.front() != ',') reject({place, "a comma between classes", quote(text)});
    if (!text.empty()) text.remove_prefix(1);
  }
  std::ranges::sort(classes);
  return classes;
}

bool is_numeric(std::string_view type) {
  return same_word(type, "numeric") || same_word(type, "real") || same_word(type, "integer");
}

class HeaderReader {
 public:
  explicit HeaderReader(const std::string& name) : name_(name) {}

  // Reads up to @data; `rest` and `number` are moved past it.
  ArffHeader read(std::string_view& rest, std::size_t& number) {
    while (!rest.empty()) {
      const std::string_view line = trimmed(take_line(rest));
      ++number;
      if (line.empty() || line.front() == '%') continue;
      if (same_word(line, "@data")) {
        if (inside_) reject({{name_, number}, "@end of the relational attribute", "@data"});
        if (header_.attributes == 0) reject({{name_, number}, "attributes before @data", "none"});
        return header_;
      }
      read_line(line, {name_, number});
    }
    reject({{name_}, "a line @data", "the end of the file"});
  }

 private:
  void read_line(std::string_view line, const Place& place) {
    std::string_view rest = line;
    const std::string key = take_word(rest, "");
    if (same_word(key, "@relation")) {
      header_.relation = take_word(rest, "");
    } else if (same_word(key, "@end")) {
      if (!inside_) reject({place, "@end after a relational attribute", quote(line)});
      inside_ = false;
    } else if (same_word(key, "@attribute")) {
      take_word(rest, "{");
      read_attribute(trimmed(rest), place);
    } else {
      reject({place, "@relation, @attribute or @data", quote(line)});
    }
  }

  void read_attribute(std::string_view type, const Place& place) {
    if (inside_) {
      if (!is_numeric(type)) reject({place, "a numeric attribute", type.empty() ? "no type" : quote(type)});
      ++header_.inner;
      return;
    }
    if (same_word(type, "relational")) {
      if (header_.relational_at) reject({place, "one relational attribute", "a second one"});
      header_.relational_at = header_.attributes;
      inside_ = true;
    } else if (type.starts_with('{')) {
      if (header_.class_at) reject({place, "one attribute of classes", "a second one"});
      header_.class_at = header_.attributes;
      header_.classes = read_nominal(type, place);
    } else if (!is_numeric(type)) {
      reject({place, "numeric, relational or classes between braces", type.empty() ? "no type" : quote(type)});
    }
    ++header_.attributes;
  }

  const std::string& name_;
  ArffHeader header_;
  bool inside_ = false;
};

// The cells of a data line; quotes are taken off, escapes stay.
std::vector<std::string_view> cells_of(std::string_view line, const Place& place) {
  std::vector<std::string_view> cells;
  while (true) {
    line = trimmed(line);
    const bool quoted = !line.empty() && (line.front() == '\'' || line.front() == '"');
    std::size_t end = 0;
    if (quoted) {
      end = 1;
      while (end < line.size() && line[end] != line.front()) end += line[end] == '\\' ? 2 : 1;
      if (end >= line.size())
        reject({{place.name, place.line, cells.size() + 1}, "a closing quote", "the end of the line"});
      cells.push_back(line.substr(1, end - 1));
      ++end;
      line = trimmed(line.substr(end));
      end = 0;
      if (!line.empty() && line.front() != ',')
        reject({{place.name, place.line, cells.size()}, "a comma after the quote", quote(line)});
    } else {
      end = std::min(line.find(','), line.size());
      cells.push_back(trimmed(line.substr(0, end)));
    }
    if (end >= line.size()) return cells;
    line.remove_prefix(end + 1);
  }
}

class ArffCaseReader {
 public:
  ArffCaseReader(const ArffHeader& header, const std::string& name, const ReadOptions& options)
      : header_(header), name_(name), options_(options) {}

  void operator()(const Line& line, Series& series, std::string& class_name) const {
    if (line.text.front() == '{') reject({{name_, line.number}, "a dense line", "a sparse one", "convert it in Weka"});
    const std::vector<std::string_view> cells = cells_of(line.text, {name_, line.number});
    if (cells.size() != header_.attributes) {
      reject({{name_, line.number, std::min(cells.size(), header_.attributes) + 1},
              fmt::format("{} cells", header_.attributes),
              fmt::format("{}", cells.size())});
    }
    if (header_.class_at) {
      class_name = cells[*header_.class_at];
      if (!std::ranges::binary_search(header_.classes, class_name)) {
        reject({{name_, line.number, *header_.class_at + 1},
                "one of the classes of the attribute",
                class_name.empty() ? "nothing" : quote(class_name)});
      }
    }
    if (header_.relational_at) {
      read_relation(cells[*header_.relational_at], {name_, line.number, *header_.relational_at + 1}, series);
    } else {
      read_plain(cells, line.number, series);
    }
  }

 private:
  void read_plain(const std::vector<std::string_view>& cells, std::size_t line, Series& series) const {
    series.values = Matrix<float>(cells.size() - (header_.class_at ? 1 : 0), 1);
    std::size_t t = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (header_.class_at == i) continue;
      series.values(t++, 0) = read_number(cells[i], options_.missing, [&] { return Place{name_, line, i + 1}; });
    }
  }

  void read_relation(std::string_view cell, const Place& place, Series& series) const {
    std::vector<std::string_view> channels;
    while (true) {
      const std::size_t end = std::min(cell.find("\\n"), cell.size());
      channels.push_back(cell.substr(0, end));
      if (end == cell.size()) break;
      cell.remove_prefix(end + 2);
    }
    for (const std::string_view channel : channels) {
      const auto length = static_cast<std::size_t>(std::ranges::count(channel, ',')) + 1;
      if (length != header_.inner)
        reject({place, fmt::format("{} values a channel, as there are attributes", header_.inner),
                fmt::format("{}", length)});
    }
    series.values = Matrix<float>(header_.inner, channels.size());
    for (std::size_t c = 0; c < channels.size(); ++c) {
      std::string_view rest = channels[c];
      for (std::size_t t = 0; t < header_.inner; ++t) {
        const std::size_t end = std::min(rest.find(','), rest.size());
        series.values(t, c) = read_number(rest.substr(0, end), options_.missing, [&] { return place; });
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
  }

  const ArffHeader& header_;
  const std::string& name_;
  const ReadOptions& options_;
};

}  // namespace

Dataset parse_arff(std::string_view text, const std::string& name, const ReadOptions& options) {
  std::size_t number = 0;
  const ArffHeader header = HeaderReader(name).read(text, number);
  if (header.attributes == (header.class_at ? 1u : 0u)) reject({{name}, "attributes with values", "only classes"});
  if (header.relational_at && header.attributes > (header.class_at ? 2u : 1u))
    reject({{name}, "one relational attribute and the classes", fmt::format("{} attributes", header.attributes)});
  const CaseFile file{name, header.relation, "arff", "%", "channels", header.class_at.has_value()};
  return dataset_of_cases(text, number, file, ArffCaseReader(header, name, options), options);
}

Dataset load_arff(const std::string& path, const ReadOptions& options) {
  return parse_arff(TextFile(path).text(), path, options);
}

}  // namespace faithful::data
