#pragma once

// A study while it runs, on standard error: a table that is redrawn in place on a terminal, a line for every finished
// run elsewhere.

#include <cstdio>
#include <string>
#include <vector>

#include "faithful/study/study.h"

namespace faithful::app {

class LiveStudy {
 public:
  LiveStudy(std::string data, std::vector<Arm> arms, std::size_t seeds);
  ~LiveStudy();  // takes the table off the screen
  LiveStudy(const LiveStudy&) = delete;
  LiveStudy& operator=(const LiveStudy&) = delete;

  void show(const StudyState& state);

 private:
  void erase();
  std::string table(const StudyState& state) const;
  std::string line(const StudyState& state) const;

  std::string data_;
  std::vector<Arm> arms_;
  std::size_t seeds_;
  bool terminal_;
  std::size_t drawn_ = 0;  // lines on the screen
};

}  // namespace faithful::app
