#include "app/pages/page_writer.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

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

namespace {

// Whether the name is STEM-N, N from 1.
bool is_numbered_name(const std::string& name, const std::string& stem) {
  if (!name.starts_with(stem + "-")) return false;
  const std::string number = name.substr(stem.size() + 1);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !number.empty() && number[0] != '0' && std::ranges::all_of(number, is_digit);
}

// Whether a file has the numbers of a figure: another file of such a name is the user's.
bool is_figure_csv(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(path, error))) return false;
  const std::string header = figure_csv({});
  std::string start(header.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  return file.good() && start == header;
}

}  // namespace

void PageWriter::add(const CaptionedFigure& one) {
  figures_.insert(one.figure.name);
  write_file(path(one.figure.name + ".csv"), figure_csv(one.figure));
  const Rendering picture = problem_.empty() ? render(one.figure) : Rendering{"", problem_};
  problem_ = picture.problem;
  if (problem_.empty()) write_file(path(one.figure.name + ".svg"), picture.bytes);
  if (!problem_.empty()) undrawn_.insert(one.figure.name);
  page.add_figure(picture.bytes, one.caption, picture.problem);
}

void PageWriter::add(const Table& table, const std::string& csv_name) {
  page.add_table(table);
  write_file(path(csv_name), to_csv(table));
}

std::string PageWriter::path(const std::string& name) const {
  return (std::filesystem::path(folder_) / name).string();
}

void PageWriter::remove_earlier(const std::vector<std::string>& numbered) const {
  std::error_code error;  // what cannot be removed stays
  std::vector<std::string> earlier;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    const std::string name = entry.path().stem().string();
    const auto is_of = [&](const std::string& stem) { return is_numbered_name(name, stem); };
    if (entry.path().extension() == ".csv" && !figures_.contains(name) && std::ranges::any_of(numbered, is_of) &&
        is_figure_csv(entry.path()))
      earlier.push_back(name);
  }
  for (const std::string& name : earlier)
    for (const char* ending : {".csv", ".svg"}) std::filesystem::remove(path(name + ending), error);
  for (const std::string& name : undrawn_) std::filesystem::remove(path(name + ".svg"), error);
}

std::string PageWriter::save(const std::string& name, const std::vector<std::string>& numbered) {
  write_file(path(name), page.html());
  remove_earlier(numbered);
  notice(problem_);
  return path(name);
}

}  // namespace faithful::app
