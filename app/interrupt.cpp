#include "app/interrupt.h"

#include <atomic>
#include <csignal>

namespace faithful::app {

namespace {

std::atomic<bool> interrupted{false};

}  // namespace

StopOnInterrupt::StopOnInterrupt() {
  std::signal(SIGINT, [](int) {
    interrupted = true;
    std::signal(SIGINT, SIG_DFL);
  });
}

StopOnInterrupt::~StopOnInterrupt() {
  std::signal(SIGINT, SIG_DFL);
}

bool StopOnInterrupt::asked() {
  return interrupted;
}

}  // namespace faithful::app
