#pragma once

#include <chrono>
#include <thread>

namespace faithful {

// How to wait for a message: at first not at all, because large messages come in pieces, and who gives the processor away
// between them may get it back much later; then by giving it to whoever wants it; after a while asleep, because on a
// full machine the others need it to come up with the message.
class RankPatience {
 public:
  void pause() {
    if (pauses_ < kShort) ++pauses_;
    if (pauses_ < kAtOnce) return;
    if (pauses_ < kYields)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(pauses_ < kShort ? 50 : 1000));
  }

 private:
  static constexpr int kAtOnce = 200, kYields = 2000, kShort = 20000;  // about 0.1 ms, 1 ms, and 2 s
  int pauses_ = 0;
};

}  // namespace faithful
