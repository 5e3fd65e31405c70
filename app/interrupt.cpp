#include "app/interrupt.h"

#include <atomic>
#include <csignal>

namespace faithful::app {

namespace {

std::atomic<bool> interrupted{false};

// Ctrl-C, the end of a session or a job (Slurm, systemd), and a terminal that is closed.
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

// A signal that is ignored (nohup) stays so.
void set_handler(void (*handler)(int)) {
  for (const int signal : kSignals)
    if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);
}

}  // namespace

StopOnInterrupt::StopOnInterrupt() {
  set_handler([](int) {
    interrupted = true;
    set_handler(SIG_DFL);
  });
}

StopOnInterrupt::~StopOnInterrupt() {
  set_handler(SIG_DFL);
}

bool StopOnInterrupt::asked() {
  return interrupted;
}

}  // namespace faithful::app
