#include <cassert>

#include "faithful/base/number.h"
#include "faithful/io/csv.h"
#include "faithful/io/file.h"
#include "faithful/io/gzip.h"

namespace faithful {

namespace {

// Calls `take` with the table's text, in pieces.
template <class T, class Take>
void write_table(std::span<const std::string> names, const Matrix<T>& table, Take&& take) {
  constexpr std::size_t kPiece = 1 << 16;
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += ',';
    text += csv_cell(names[i]);
  }
  if (!names.empty()) text += '\n';
  for (std::size_t r = 0; r < table.rows; ++r) {
    for (std::size_t c = 0; c < table.columns; ++c) {
      if (c > 0) text += ',';
      append_number(text, table(r, c));
    }
    text += '\n';
    if (text.size() >= kPiece) {
      take(text);
      text.clear();
    }
  }
  take(text);
}

template <class T>
void save(const std::string& path, std::span<const std::string> names, const Matrix<T>& table) {
  assert(names.empty() || names.size() == table.columns);
  if (path.ends_with(".gz")) {
    std::string all;
    write_table(names, table, [&](const std::string& text) { all += text; });
    write_file(path, deflate_gzip(all));
    return;
  }
  write_file(path, [&](FileWriter& writer) {
    write_table(names, table, [&](const std::string& text) { writer.write(text); });
  });
}

}  // namespace

std::string csv_cell(std::string_view text, char separator) {
  const bool plain = !text.empty() && text.find(separator) == std::string_view::npos &&
                     text.find_first_of("\"\r\n") == std::string_view::npos && text.front() != ' ' &&
                     text.back() != ' ';
  if (plain) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? "\"\"" : std::string(1, c);
  return cell + '"';
}

void save_csv(const std::string& path, std::span<const std::string> names, const Matrix<double>& table) {
  save(path, names, table);
}

void save_csv(const std::string& path, std::span<const std::string> names, const Matrix<float>& table) {
  save(path, names, table);
}

}  // namespace faithful
