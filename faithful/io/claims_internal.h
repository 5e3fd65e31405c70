#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "faithful/base/api.h"

namespace faithful::io {

class Claims;

// A name that this process works on. Given up at the end of the scope.
class FAITHFUL_API Claim {
 public:
  Claim(Claims& claims, std::string path, int descriptor);
  Claim(Claim&& other) noexcept;
  Claim& operator=(Claim&&) = delete;
  ~Claim();
  int descriptor() const { return descriptor_; }

 private:
  Claims* claims_;
  std::string path_;
  int descriptor_;  // locked; -1: moved away
};

// Claims on names, by files NAME.claim-1, -2, .. in a folder that processes share, also on several machines. They need
// no locks of the file system: a claim is a file that only one process can have made (O_EXCL, which NFS has too), and
// whose time its process renews. The claim of a dead process is not removed: the next one has the next number, which
// again only one process can make. A process is dead where its claim is not renewed for the time-out, by the clock of
// the process that watches; on the same machine at once, when the lock on the claim is gone.
//
// Claims only save work: where one goes to two processes all the same, both do the work.
class FAITHFUL_API Claims {
 public:
  Claims(std::string folder, std::string owner, double time_out);  // `owner`: text in the files, for people
  ~Claims();
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;

  // None where a living process has it. `number`: of its latest claim in the folder; 0: none.
  std::optional<Claim> take(const std::string& name, std::size_t number);

  // Those of dead processes, up to this number.
  void remove_dead(const std::string& name, std::size_t number);

 private:
  friend class Claim;
  using Clock = std::chrono::steady_clock;
  struct Sight {  // of another's claim, as it last changed
    long long seconds = 0, nanoseconds = 0;
    unsigned long long file = 0;
    Clock::time_point since = {};
  };

  std::string path_of(const std::string& name, std::size_t number) const;
  bool is_dead(const std::string& path);
  void renew();

  std::string folder_, owner_, kernel_;
  std::chrono::duration<double> time_out_;
  std::map<std::string, Sight> sights_;
  std::mutex mutex_;  // of what follows
  std::set<int> held_;
  bool ending_ = false;
  std::condition_variable changed_;
  std::thread renewer_;
};

}  // namespace faithful::io
