#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"

namespace faithful {

enum class Mark { kLines, kPoints, kBigPoints, kLinePoints, kStems, kBand };

// One curve of a panel: y against x. Places where y is not finite are left out.
struct Curve {
  std::string name;          // in the legend; empty: not there
  std::vector<double> x, y;  // same length
  Mark mark = Mark::kLines;
  std::vector<double> low = {}, high = {};  // kBand: the interval around y, as long as y
  std::string ink = {};                     // the name whose ink it has (see ink_of); empty: its own name
  std::optional<int> dash = {};             // instead of the ink's
};

struct Axis {
  std::string label;
  std::string unit = {};  // shown as `label [unit]`
  bool log = false;
  std::optional<double> low = {}, high = {};               // empty: from the data
  std::vector<std::pair<double, std::string>> ticks = {};  // empty: chosen by gnuplot
};

// A matrix as colours; row 0 is at the top.
struct HeatMap {
  Matrix<double> values;
  double x_first = 0, x_step = 1;             // of the columns
  double y_first = 0, y_step = 1;             // of the rows
  bool diverging = true;                      // blue - white - red around zero; otherwise white to dark blue
  std::optional<double> low = {}, high = {};  // ends of the colour scale; empty: from the data
  std::string label = {};                     // of the colour scale
};

enum class Legend { kNone, kTopRight, kTopLeft, kRightOutside };

// A text beside a point of a panel.
struct Label {
  double x = 0, y = 0;  // of the point
  std::string text;
  double x_offset = 0, y_offset = 0;  // of the text from the point, in pixels
  enum class Align { kLeft, kCenter, kRight } align = Align::kLeft;
  std::string ink = {};  // the name whose ink it has (see ink_of); empty: dark grey
};

struct Panel {
  std::string title;
  Axis x, y;
  std::vector<Curve> curves = {};
  std::optional<HeatMap> heat = {};
  Legend legend = Legend::kTopRight;
  std::vector<Label> labels = {};
};

// Panels side by side, `columns` in a row.
struct Figure {
  std::string name;  // stem of its files
  std::vector<Panel> panels;
  int columns = 0;        // 0: all panels in one row
  int panel_width = 400;  // points of 1/96 inch
  int panel_height = 300;
};

struct Rendering {
  std::string bytes;    // of the SVG picture; empty where there is none
  std::string problem;  // why there is none, in one line: what to install, or gnuplot's error
};

// The picture of a figure, drawn by gnuplot, which is stopped after two minutes. The same figure gives the same bytes.
FAITHFUL_API Rendering render(const Figure& figure);

// Every number of a figure: `panel,curve,x,y,low,high`, a line per point; heat maps as `panel,,x,y,value`.
FAITHFUL_API std::string figure_csv(const Figure& figure);

// The program for gnuplot. Names of users are in it only as quoted text.
FAITHFUL_API std::string gnuplot_script(const Figure& figure);

}  // namespace faithful
