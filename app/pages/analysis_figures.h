#pragma once

// The figures of the analysis page, each for all encodings given.

#include <string>
#include <vector>

#include "faithful/analysis/analysis.h"
#include "faithful/report/figure.h"

namespace faithful::app {

struct CaptionedFigure {
  Figure figure;
  std::string caption;
};

// In the order of the page; figures that none of the encodings has (Algorithm 1 of a bias) are left out.
std::vector<CaptionedFigure> analysis_figures(const std::vector<Analysis>& analyses);

}  // namespace faithful::app
