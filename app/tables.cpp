#include "app/tables.h"

#include <cmath>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/io/csv.h"
#include "faithful/io/npz.h"

namespace faithful::app {

namespace {

NpyArray only_array(const std::string& path) {
  const NpzFile file(path);
  if (file.names().size() != 1) {
    reject({{path},
            "one array",
            fmt::format("{}: {}", file.names().size(), fmt::join(file.names(), ", ")),
            "save the one you mean as .npy"});
  }
  return file.array(file.names().front());
}

Matrix<double> read(const std::string& path) {
  switch (table_format(path)) {
    case TableFormat::kNpy:
      return load_npy(path).to_matrix();
    case TableFormat::kNpz:
      return only_array(path).to_matrix();
    case TableFormat::kCsv:
      return load_csv_matrix(path);
  }
  throw Error("no such format");
}

}  // namespace

TableFormat table_format(const std::string& path) {
  const std::string plain = path.ends_with(".gz") ? path.substr(0, path.size() - 3) : path;
  if (path.ends_with(".npy")) return TableFormat::kNpy;
  if (path.ends_with(".npz")) return TableFormat::kNpz;
  if (plain.ends_with(".csv") || plain.ends_with(".tsv") || plain.ends_with(".txt")) return TableFormat::kCsv;
  reject({{path}, "a file whose name ends in .npy, .npz, .csv, .tsv or .txt (also with .gz)", "another name"});
}

Matrix<double> load_table(const std::string& path) {
  Matrix<double> table = read(path);
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    if (!std::isfinite(table.values[i])) {
      reject({{fmt::format("{}: row {}, column {}", path, i / table.columns + 1, i % table.columns + 1)},
              "a finite number",
              fmt::format("{}", table.values[i])});
    }
  }
  return table;
}

}  // namespace faithful::app
