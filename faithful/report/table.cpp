#include "faithful/report/table.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "faithful/base/utf8.h"
#include "faithful/report/text.h"

namespace faithful {

Cell::Cell(double value, int digits) : text(number_text(value, digits)), number(value) {}

Cell::Cell(std::optional<double> value, int digits)
    : text(number_text(value, digits)), number(value), missing(!value.has_value()) {}

Cell Cell::count(std::size_t value) {
  Cell cell(std::to_string(value));
  cell.number = static_cast<double>(value);
  return cell;
}

namespace {

std::string column_title(const Column& column) {
  return column.unit.empty() ? column.name : fmt::format("{} [{}]", column.name, column.unit);
}

// Where a column asks for it, or holds only numbers (and missing ones).
bool is_right_aligned(const Table& table, std::size_t column) {
  if (table.columns[column].right) return true;
  bool any = false;
  for (const auto& row : table.rows) {
    if (!row[column].number && !row[column].missing) return false;
    any = true;
  }
  return any;
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string space(width - std::min(width, text_width(text)), ' ');
  return right ? space + text : text + space;
}

// A column's texts, its name first, and how it is set.
struct Lane {
  std::vector<std::string> texts;
  std::size_t width = 0;
  bool right = false;
};

std::vector<Lane> make_lanes(const Table& table) {
  std::vector<Lane> lanes(table.columns.size());
  for (std::size_t c = 0; c < lanes.size(); ++c) {
    lanes[c].right = is_right_aligned(table, c);
    lanes[c].texts.push_back(printable(column_title(table.columns[c])));
    for (const auto& row : table.rows) {
      assert(row.size() == table.columns.size());
      lanes[c].texts.push_back(printable(row[c].text));
    }
    for (const auto& text : lanes[c].texts) lanes[c].width = std::max(lanes[c].width, text_width(text));
  }
  return lanes;
}

// Whether some cell holds sentences, so that lines must break for the table to fit a page.
bool is_prose(const Table& table) {
  constexpr std::size_t kLongest = 60;  // of a cell on one line
  return std::any_of(table.rows.begin(), table.rows.end(), [](const std::vector<Cell>& row) {
    return std::any_of(row.begin(), row.end(), [](const Cell& cell) { return text_width(cell.text) > kLongest; });
  });
}

}  // namespace

std::string to_text(const Table& table) {
  const std::vector<Lane> lanes = make_lanes(table);
  std::string out;
  if (!table.title.empty()) out += printable(table.title) + "\n\n";
  const auto add_line = [&](auto&& text_of) {
    std::string line;
    for (std::size_t c = 0; c < lanes.size(); ++c) {
      line += (c == 0 ? "" : "  ") + padded(text_of(lanes[c]), lanes[c].width, lanes[c].right);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  add_line([](const Lane& lane) { return lane.texts[0]; });
  add_line([](const Lane& lane) { return std::string(lane.width, '-'); });
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    add_line([r](const Lane& lane) { return lane.texts[r + 1]; });
  }
  if (!table.note.empty()) out += "\n" + printable_lines(table.note) + "\n";
  return out;
}

std::string to_csv(const Table& table) {
  std::string out;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    out += (c == 0 ? "" : ",") + csv_words(column_title(table.columns[c]));
  }
  out += "\n";
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) out += ",";
      if (row[c].missing) continue;
      out += row[c].number ? exact_text(*row[c].number) : csv_words(row[c].text);
    }
    out += "\n";
  }
  return out;
}

std::string to_html(const Table& table) {
  std::string out = fmt::format("<div class=\"table\"><table{}>\n", is_prose(table) ? " class=\"prose\"" : "");
  if (!table.title.empty()) out += "<caption>" + escape_html(table.title) + "</caption>\n";
  std::vector<const char*> kinds;  // per column
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    kinds.push_back(is_right_aligned(table, c) ? " class=\"number\"" : "");
  }
  const auto cell = [&](const char* tag, std::size_t c, const std::string& text) {
    out += fmt::format("<{}{}>{}</{}>", tag, kinds[c], escape_html(printable(text)), tag);
  };
  out += "<thead><tr>";
  for (std::size_t c = 0; c < table.columns.size(); ++c) cell("th", c, column_title(table.columns[c]));
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) cell("td", c, row[c].text);
    out += "</tr>\n";
  }
  out += "</tbody>\n</table></div>\n";
  if (!table.note.empty()) out += "<p class=\"note\">" + escape_html(table.note) + "</p>\n";
  return out;
}

}  // namespace faithful
