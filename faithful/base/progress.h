#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>

#include "faithful/base/api.h"

namespace faithful {

// Where progress is shown and what time it is; the defaults are stderr and the steady clock. Tests pass their own.
struct ProgressSink {
  std::function<void(const std::string&)> write;  // empty: stderr
  std::function<double()> seconds;                // empty: a steady clock
  int columns = -1;                               // of the terminal; 0: no terminal, plain lines; -1: ask stderr
};

// Shows how far a job is and how long it will still take: one bar, redrawn in place, on a terminal; elsewhere a
// plain line at most every ten seconds. Quick jobs (below half a second) show nothing. Thread-safe.
class FAITHFUL_API Progress {
 public:
  Progress(const std::string& title, std::size_t total, ProgressSink sink = {});
  ~Progress();  // erases the bar; a job that was left by an exception leaves no trace on the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(std::size_t steps = 1);
  void set_note(const std::string& note);  // shown after the bar, such as "loss 0.31"

 private:
  void show(double now);

  std::mutex mutex_;
  std::string title_, note_;
  std::size_t total_, done_ = 0;
  ProgressSink sink_;
  double start_, last_shown_;
  bool drawn_ = false;
};

// 8 s, 3 min 20 s, 2 h 05 min, 3 d 04 h: a duration for people.
FAITHFUL_API std::string duration_text(double seconds);

}  // namespace faithful
