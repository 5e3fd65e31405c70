#pragma once

#include <set>
#include <string>
#include <vector>

#include "faithful/report/figure.h"
#include "faithful/report/page.h"

namespace faithful::app {

struct CaptionedFigure {
  Figure figure;
  std::string caption;
};

// A page in a folder, with its figures and tables beside it as files.
class PageWriter {
 public:
  // Makes the folder where it does not exist. `subtitle` follows the name and version of the program.
  PageWriter(std::string folder, std::string title, const std::string& subtitle);

  Page page;

  void add(const CaptionedFigure& one);                       // also as NAME.svg, and its numbers as NAME.csv
  void add(const Table& table, const std::string& csv_name);  // also as a file
  std::string path(const std::string& name) const;            // of a file in the folder

  // Writes the page, gives a notice where gnuplot could not draw, and returns the path. Then figures of an earlier page
  // in the folder that this one has not are removed: those named NAME-1, NAME-2, .. for a NAME in `numbered`.
  std::string save(const std::string& name = "report.html", const std::vector<std::string>& numbered = {});

 private:
  void remove_earlier(const std::vector<std::string>& numbered) const;

  std::string folder_;
  std::set<std::string> figures_, undrawn_;  // names of those added, and of those without a picture
  std::string problem_;                      // of gnuplot; it is not asked again
};

// Makes the folder of a page where it does not exist.
void make_folder(const std::string& folder);

}  // namespace faithful::app
