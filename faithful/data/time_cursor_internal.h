#pragma once

// What the readers of times share.

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace faithful {

inline constexpr std::int64_t kNanoseconds = 1'000'000'000;  // of a second

// Takes pieces from the front of the text.
class TimeCursor {
 public:
  explicit TimeCursor(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // Exactly `count` digits.
  std::optional<int> digits(std::size_t count) {
    if (rest_.size() < count) return std::nullopt;
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (rest_[i] < '0' || rest_[i] > '9') return std::nullopt;
      value = 10 * value + (rest_[i] - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }
  // One digit up to `most`.
  std::optional<int> up_to_digits(std::size_t most) {
    std::size_t n = 0;
    while (n < most && n < rest_.size() && rest_[n] >= '0' && rest_[n] <= '9') ++n;
    return n == 0 ? std::nullopt : digits(n);
  }
  std::string_view letters() {
    std::size_t n = 0;
    while (n < rest_.size() && std::isalpha(static_cast<unsigned char>(rest_[n])) != 0) ++n;
    const std::string_view run = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return run;
  }
  void skip_spaces() {
    while (take(' ') || take('\t')) {
    }
  }
  // One digit or more; all of them.
  std::string_view digit_run() {
    std::size_t n = 0;
    while (n < rest_.size() && rest_[n] >= '0' && rest_[n] <= '9') ++n;
    const std::string_view run = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return run;
  }

 private:
  std::string_view rest_;
};

// 0.FRACTION times `scale`, as a whole number; nothing where digits other than zero are below one.
std::optional<std::int64_t> scaled_fraction(std::string_view digits, std::int64_t scale);

// whole * scale + rest for times before 1970 too, whose `whole` times scale alone may be below int64.
std::optional<std::int64_t> combine(std::int64_t whole, std::int64_t scale, std::int64_t rest);

// Seconds east of Greenwich: Z, +02, +0200, +02:00, or nothing for UTC.
std::optional<std::int64_t> take_zone(TimeCursor& cursor);

}  // namespace faithful
