#pragma once

// The figures of the analysis page, each for all encodings given.

#include <string>
#include <vector>

#include "app/pages/page_writer.h"
#include "faithful/analysis/analysis.h"

namespace faithful::app {

// In the order of the page; figures that none of the encodings has (Algorithm 1 of a bias) are left out.
std::vector<CaptionedFigure> analysis_figures(const std::vector<Analysis>& analyses);

}  // namespace faithful::app
