#pragma once

#include <chrono>
#include <mutex>
#include <optional>

#include <pybind11/pybind11.h>

namespace faithful::python {

// Asks Python between steps whether Ctrl-C was pressed; every 50 ms, for the GIL may be in the hands of another thread.
// Threads that train side by side may ask at the same time.
class Interrupts {
 public:
  bool pending() {
    const auto now = std::chrono::steady_clock::now();
    {
      const std::lock_guard hold(mutex_);
      if (raised_) return true;
      if (now < next_) return false;
      next_ = now + std::chrono::milliseconds(50);
    }
    const pybind11::gil_scoped_acquire hold;
    if (PyErr_CheckSignals() == 0) return false;
    const std::lock_guard also(mutex_);
    raised_.emplace();
    return true;
  }
  void raise() {
    if (raised_) throw pybind11::error_already_set(*raised_);
  }

 private:
  std::mutex mutex_;
  std::chrono::steady_clock::time_point next_ = {};
  std::optional<pybind11::error_already_set> raised_ = {};
};

}  // namespace faithful::python
