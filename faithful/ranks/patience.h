#pragma once

#include <chrono>
#include <thread>

namespace faithful {

// How to wait for a message: at first by giving the processor to whoever wants it, so that an answer is taken at once;
// after a while asleep, because on a full machine the others need the processor to come up with it.
class RankPatience {
 public:
  void pause() {
    if (pauses_ < kShort) ++pauses_;
    if (pauses_ < kYields)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(pauses_ < kShort ? 50 : 1000));
  }

 private:
  static constexpr int kYields = 2000, kShort = 20000;  // about 1 ms, then 2 s
  int pauses_ = 0;
};

}  // namespace faithful
