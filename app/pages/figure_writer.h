#pragma once

// Figures on their way into a page.

#include <filesystem>
#include <string>

#include "faithful/report/figure.h"
#include "faithful/report/page.h"

namespace faithful::app {

struct CaptionedFigure {
  Figure figure;
  std::string caption;
};

// Draws figures into a page and beside it: NAME.svg, and every number as NAME.csv. Where gnuplot fails once it is not
// asked again; the page then says why there are no pictures.
class FigureWriter {
 public:
  FigureWriter(Page& page, std::filesystem::path folder) : page_(page), folder_(std::move(folder)) {}

  void add(const CaptionedFigure& one);
  const std::string& problem() const { return problem_; }  // empty: all were drawn

 private:
  Page& page_;
  std::filesystem::path folder_;
  std::string problem_;
};

// Makes the folder of a page where it does not exist.
void make_page_folder(const std::string& folder);

}  // namespace faithful::app
