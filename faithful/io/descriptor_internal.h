#pragma once

#include <utility>

#include <unistd.h>

namespace faithful {

// Closes an open file at the end of the scope.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }  // the caller closes it
  bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

}  // namespace faithful
