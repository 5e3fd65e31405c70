#include "faithful/base/progress.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "faithful/base/utf8.h"

namespace faithful {

namespace {

constexpr double kQuiet = 0.5;           // seconds before the first sign
constexpr double kRedraw = 0.1;          // between two states of the bar
constexpr double kPlainInterval = 10.0;  // between two plain lines
constexpr int kBarWidth = 24;

int terminal_columns() {
  if (isatty(STDERR_FILENO) == 0) return 0;
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "?";
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto s = static_cast<long long>(std::min(seconds + 0.5, 1e15));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  if (s < 86400) return fmt::format("{} h {:02} min", s / 3600, s / 60 % 60);
  return fmt::format("{} d {:02} h", s / 86400, s / 3600 % 24);
}

Progress::Progress(const std::string& title, std::size_t total, ProgressSink sink)
    : title_(printable(title)), total_(total), sink_(std::move(sink)) {
  if (!sink_.write) sink_.write = [](const std::string& text) { std::fputs(text.c_str(), stderr); };
  if (!sink_.seconds) sink_.seconds = steady_seconds;
  if (sink_.columns < 0) sink_.columns = terminal_columns();
  start_ = last_shown_ = sink_.seconds();
}

Progress::~Progress() {
  if (drawn_) sink_.write("\r\x1b[K");
}

void Progress::advance(std::size_t steps) {
  const std::lock_guard lock(mutex_);
  done_ = std::min(total_, done_ + steps);
  const double now = sink_.seconds();
  const bool on_terminal = sink_.columns > 0;
  if (now - start_ < kQuiet) return;
  if (now - last_shown_ < (on_terminal ? kRedraw : kPlainInterval) && done_ < total_) return;
  if (done_ == total_ && !on_terminal && last_shown_ == start_) return;  // ended before the first plain line
  show(now);
  last_shown_ = now;
}

void Progress::set_note(const std::string& note) {
  const std::lock_guard lock(mutex_);
  note_ = printable(note);
}

void Progress::show(double now) {
  const double share = total_ == 0 ? 1.0 : static_cast<double>(done_) / static_cast<double>(total_);
  const double left = share > 0 ? (now - start_) * (1 - share) / share : INFINITY;
  const std::string note = note_.empty() ? "" : "  " + note_;
  if (sink_.columns == 0) {
    sink_.write(fmt::format("{}: {}/{}, {} left{}\n", title_, done_, total_, duration_text(left), note));
    return;
  }
  const int filled = static_cast<int>(share * kBarWidth);
  std::string line = fmt::format("{} [{:#<{}}{:.<{}}] {:3.0f} %  {} left{}", title_, "", filled, "", kBarWidth - filled,
                                 100 * share, duration_text(left), note);
  line.resize(std::min(line.size(), static_cast<std::size_t>(sink_.columns - 1)));
  sink_.write("\r\x1b[K" + line);
  drawn_ = true;
}

}  // namespace faithful
