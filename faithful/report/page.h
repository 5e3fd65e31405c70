#pragma once

#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/report/table.h"

namespace faithful {

// A web page in one file: no scripts, nothing loaded from elsewhere, readable on light and dark screens. Parts
// appear in the order in which they are added; all text is escaped.
class FAITHFUL_API Page {
 public:
  explicit Page(std::string title, std::string subtitle = {});

  void add_lead(const std::vector<std::string>& sentences);  // before the table of contents, in larger letters
  void add_heading(const std::string& text, int level = 2);  // 2 or 3; level 2 enters the table of contents
  void add_paragraph(const std::string& text);
  void add_list(const std::vector<std::string>& items);
  void add_note(const std::string& text);  // set off from the text
  void add_code(const std::string& text);  // in a fixed-width font, line breaks kept
  void add_table(const Table& table);
  // A picture with its number and caption. An empty picture (no gnuplot) leaves the caption and `problem`.
  void add_figure(const std::string& svg, const std::string& caption, const std::string& problem = {});

  std::string html() const;

 private:
  std::string title_, subtitle_, lead_, body_, contents_;
  int figures_ = 0, headings_ = 0;
};

}  // namespace faithful
