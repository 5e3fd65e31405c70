#include "faithful/io/csv.h"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/number.h"
#include "faithful/base/utf8.h"
#include "faithful/io/csv_load_internal.h"
#include "faithful/io/csv_source_internal.h"
#include "faithful/io/file.h"
#include "faithful/io/hints_internal.h"

namespace faithful {

void CsvText::push_back(std::string_view cell) {
  bytes_ += cell;
  ends_.push_back(bytes_.size());
}

void CsvText::append(const CsvText& other) {
  const std::size_t shift = bytes_.size();
  bytes_ += other.bytes_;
  for (const std::size_t end : other.ends_) ends_.push_back(shift + end);
}

std::size_t CsvLines::operator[](std::size_t row) const {
  const auto behind = std::upper_bound(jumps_.begin(), jumps_.end(), row,
                                       [](std::size_t wanted, const auto& jump) { return wanted < jump.first; });
  const auto& [first_row, first_line] = *std::prev(behind);
  return first_line + (row - first_row);
}

void CsvLines::push_back(std::size_t line) {
  if (jumps_.empty() || line != jumps_.back().second + (rows_ - jumps_.back().first)) jumps_.emplace_back(rows_, line);
  ++rows_;
}

void CsvLines::append(const CsvLines& other) {
  for (const auto& [row, line] : other.jumps_) {
    const std::size_t here = rows_ + row;
    if (jumps_.empty() || line != jumps_.back().second + (here - jumps_.back().first)) jumps_.emplace_back(here, line);
  }
  rows_ += other.rows_;
}

struct CsvFile::State {
  std::unique_ptr<InputFile> file;   // of plain text, read piece by piece
  std::unique_ptr<WholeFile> whole;  // of what must be in memory: a pipe, or compressed text
  std::string_view bytes;            // where there is no `file`
  std::string name;
  CsvOptions options;
  csv::Head head;

  csv::TextSource source() const {
    if (file) return csv::TextSource(*file);
    return {bytes, name, options.most_inflated};
  }

  void open(const std::string& path) {
    file = std::make_unique<InputFile>(path);
    std::array<char, 2> start{};
    if (file->size() >= start.size()) file->read_at(0, start);
    if (file->size() >= start.size() && !is_gzip({start.data(), start.size()})) return;
    file.reset();
    whole = std::make_unique<WholeFile>(path);
    bytes = whole->bytes();
  }
};

CsvFile::CsvFile(const std::string& path, const CsvOptions& options) : state_(std::make_unique<State>()) {
  state_->open(path);
  state_->name = path;
  state_->options = options;
  state_->head = csv::read_head(state_->source(), state_->name, options);
}

CsvFile::CsvFile(std::string_view bytes, const std::string& name, const CsvOptions& options)
    : state_(std::make_unique<State>()) {
  state_->bytes = bytes;
  state_->name = name;
  state_->options = options;
  state_->head = csv::read_head(state_->source(), state_->name, options);
}

CsvFile::~CsvFile() = default;
CsvFile::CsvFile(CsvFile&&) noexcept = default;
CsvFile& CsvFile::operator=(CsvFile&&) noexcept = default;

std::size_t CsvFile::columns() const {
  return state_->head.columns;
}
bool CsvFile::has_header() const {
  return state_->head.has_header;
}
const std::vector<std::string>& CsvFile::names() const {
  return state_->head.names;
}
const std::vector<std::string>& CsvFile::first_row() const {
  return state_->head.first_row;
}
char CsvFile::separator() const {
  return state_->head.separator;
}

std::size_t CsvFile::column(std::string_view name) const {
  const std::vector<std::string>& known = names();
  const auto found = std::find(known.begin(), known.end(), as_utf8(name));
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  const auto number = parse_number<std::size_t>(name);
  if (number && *number >= 1 && *number <= columns()) return *number - 1;
  if (known.empty()) {
    reject({{state_->name}, fmt::format("a column from 1 to {}", columns()), quote(name), "the file has no header"});
  }
  reject({{state_->name}, "the name of a column", quote(name), hint_of_names(name, known)});
}

Place CsvFile::place(std::size_t line, std::size_t column) const {
  return {state_->name, line, column + 1};
}

template <class T>
CsvTable<T> CsvFile::load(std::span<const CsvColumn> wanted) const {
  csv::TableReader<T> reader(state_->source(), state_->head, wanted, state_->name, state_->options);
  CsvTable<T> table = reader.empty_table();
  reader.read_all_into(table);
  return table;
}

template <class T>
void CsvFile::stream(std::span<const CsvColumn> wanted, const std::function<void(CsvTable<T>&)>& take) const {
  csv::TableReader<T> reader(state_->source(), state_->head, wanted, state_->name, state_->options);
  for (bool more = true; more;) {
    CsvTable<T> table = reader.empty_table();
    more = reader.read_block_into(table, state_->options.block_bytes);
    if (table.rows() > 0) take(table);
  }
}

template FAITHFUL_API CsvTable<float> CsvFile::load(std::span<const CsvColumn>) const;
template FAITHFUL_API CsvTable<double> CsvFile::load(std::span<const CsvColumn>) const;
template FAITHFUL_API void CsvFile::stream(std::span<const CsvColumn>,
                                           const std::function<void(CsvTable<float>&)>&) const;
template FAITHFUL_API void CsvFile::stream(std::span<const CsvColumn>,
                                           const std::function<void(CsvTable<double>&)>&) const;

Matrix<double> load_csv_matrix(const std::string& path, const CsvOptions& options) {
  const CsvFile file(path, options);
  const std::vector<CsvColumn> wanted(file.columns(), CsvColumn::kNumber);
  CsvTable<double> table = file.load<double>(wanted);
  if (table.rows() == 0) reject({{path}, "rows of numbers", "only a header"});
  return std::move(table.numbers);
}

}  // namespace faithful
