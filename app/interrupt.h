#pragma once

namespace faithful::app {

// While it lives, Ctrl-C, SIGTERM and SIGHUP ask to stop instead of ending the program: the work ends after its step,
// and what is done is kept. A second one ends the program at once.
class StopOnInterrupt {
 public:
  StopOnInterrupt();
  ~StopOnInterrupt();
  StopOnInterrupt(const StopOnInterrupt&) = delete;
  StopOnInterrupt& operator=(const StopOnInterrupt&) = delete;

  static bool asked();  // from any thread
};

}  // namespace faithful::app
