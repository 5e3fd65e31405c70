#pragma once

#include <cstring>
#include <ctime>
#include <vector>

namespace faithful::engine {

// Processor seconds per operator, forwards and backwards: what others do on the machine does not count.
class Profile {
 public:
  struct Entry {
    const char* name;
    double forward = 0, backward = 0;
  };

  // Measures its own lifetime; does nothing without a profile.
  class Scope {
   public:
    Scope(Profile* profile, const char* name, bool backward) : profile_(profile), name_(name), backward_(backward) {
      if (profile_ != nullptr) start_ = now();
    }
    ~Scope() {
      if (profile_ == nullptr) return;
      const double seconds = now() - start_;
      Entry& entry = profile_->entry(name_);
      (backward_ ? entry.backward : entry.forward) += seconds;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    static double now() {
      timespec t{};
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
      return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    }
    Profile* profile_;
    const char* name_;
    bool backward_;
    double start_ = 0;
  };

  const std::vector<Entry>& entries() const { return entries_; }

 private:
  Entry& entry(const char* name) {
    for (Entry& each : entries_) {
      if (std::strcmp(each.name, name) == 0) return each;
    }
    return entries_.emplace_back(Entry{name});
  }
  std::vector<Entry> entries_;
};

}  // namespace faithful::engine
