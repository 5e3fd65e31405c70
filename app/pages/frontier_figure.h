#pragma once

#include "app/pages/page_writer.h"
#include "faithful/analysis/frontier.h"

namespace faithful::app {

// Separation and noise tolerance (rows) against Pearson and Spearman (columns): `spectral` as a curve over its length
// scale, every other additive encoding and every table of the user as a named point.
CaptionedFigure frontier_figure(const Frontier& frontier, const std::vector<Analysis>& analyses);

}  // namespace faithful::app
