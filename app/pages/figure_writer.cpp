#include "app/pages/figure_writer.h"

#include "faithful/base/error.h"
#include "faithful/io/file.h"

namespace faithful::app {

void FigureWriter::add(const CaptionedFigure& one) {
  const auto path = [&](const char* ending) { return (folder_ / (one.figure.name + ending)).string(); };
  write_file(path(".csv"), figure_csv(one.figure));
  const Rendering picture = problem_.empty() ? render(one.figure) : Rendering{"", problem_};
  problem_ = picture.problem;
  if (problem_.empty()) write_file(path(".svg"), picture.bytes);
  page_.add_figure(picture.bytes, one.caption, picture.problem);
}

void make_page_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) reject({{folder}, "a folder that can be made", error.message()});
}

}  // namespace faithful::app
