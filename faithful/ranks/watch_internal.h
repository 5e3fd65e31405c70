#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "faithful/ranks/ranks.h"

namespace faithful::ranks {

struct WatchOptions {
  double time_out = 60;   // seconds without a sign of life
  double grace = 3;       // seconds that rank 0 has for a line of its own about the same failure
  std::string host = {};  // of this rank
  std::function<void(const std::string& line)> report = {};  // to the user
  std::function<void(int code)> abort = {};                  // ends all ranks; may return where it takes a while
};

// Sees that all ranks live: each sends rank 0 a sign of life every second or more often, and rank 0 sends them one. A
// rank that is silent for too long, or that says it has failed, ends the job. It has a thread of its own, so a rank may
// compute for hours, or wait for a message that never comes.
class Watch {
 public:
  Watch(Ranks& ranks, WatchOptions options);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Rank 0 reports and aborts; another rank tells rank 0, which does, unless it fails by itself: then that line counts.
  // Returns if nothing has ended this process in a while.
  void fail(const std::string& line, int code);
  // All ranks come here. Afterwards no message is on its way.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  struct Sign;  // of life, of failure, or the last one
  struct Peer {
    std::size_t rank = 0;
    std::string host = {};
    std::unique_ptr<Sign> sent, received;
    Transfer sending = 0, receiving = 0;
    Clock::time_point last_sent = {}, last_heard = {};
    bool said_bye = false, heard_bye = false;
  };
  struct Failure {
    std::string line;
    int code = 1;
    Clock::time_point when = {};
  };
  enum class State { kWatching, kFailed, kFinishing };

  void run();
  void listen(Peer& peer);
  void tell(Peer& peer, State state);
  void check(const Peer& peer, State state);
  void end(const std::string& line, int code);

  Ranks& ranks_;
  WatchOptions options_;
  Clock::duration interval_;
  std::vector<Peer> peers_;  // of the thread
  std::optional<Failure> heard_;
  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::kWatching;  // these two by mutex_
  Failure own_ = {};
  bool ended_ = false;  // the job, by rank 0's word: one line is enough
  std::thread thread_;
};

}  // namespace faithful::ranks
