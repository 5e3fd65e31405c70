#pragma once

#include <chrono>
#include <cstring>
#include <vector>

namespace faithful::engine {

// Seconds per operator, forwards and backwards.
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
      if (profile_ != nullptr) start_ = Clock::now();
    }
    ~Scope() {
      if (profile_ == nullptr) return;
      const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
      Entry& entry = profile_->entry(name_);
      (backward_ ? entry.backward : entry.forward) += seconds;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    using Clock = std::chrono::steady_clock;
    Profile* profile_;
    const char* name_;
    bool backward_;
    Clock::time_point start_;
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
