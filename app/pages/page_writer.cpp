#include "app/pages/page_writer.h"

#include <filesystem>

#include <fmt/format.h>

#include "app/command.h"
#include "faithful/base/error.h"
#include "faithful/base/version.h"
#include "faithful/io/file.h"

namespace faithful::app {

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) reject({{folder}, "a folder that can be created", error.message()});
}

PageWriter::PageWriter(std::string folder, std::string title, const std::string& subtitle)
    : page(std::move(title), fmt::format("faithful {}, {}", build_info().version, subtitle)),
      folder_(std::move(folder)) {
  make_folder(folder_);
}

void PageWriter::add(const CaptionedFigure& one) {
  write_file(path(one.figure.name + ".csv"), figure_csv(one.figure));
  const Rendering picture = problem_.empty() ? render(one.figure) : Rendering{"", problem_};
  problem_ = picture.problem;
  if (problem_.empty()) write_file(path(one.figure.name + ".svg"), picture.bytes);
  page.add_figure(picture.bytes, one.caption, picture.problem);
}

void PageWriter::add(const Table& table, const std::string& csv_name) {
  page.add_table(table);
  write_file(path(csv_name), to_csv(table));
}

std::string PageWriter::path(const std::string& name) const {
  return (std::filesystem::path(folder_) / name).string();
}

std::string PageWriter::save(const std::string& name) {
  write_file(path(name), page.html());
  notice(problem_);
  return path(name);
}

}  // namespace faithful::app
