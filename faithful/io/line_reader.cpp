#include "faithful/io/line_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "faithful/base/error.h"

namespace faithful {

LineReader::LineReader(int descriptor, std::string place, std::size_t most_bytes)
    : descriptor_(descriptor), place_(std::move(place)), most_bytes_(most_bytes) {}

bool LineReader::fill() {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  buffer_.erase(0, std::exchange(used_, 0));
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kPiece);
  ssize_t count = 0;
  do {
    count = ::read(descriptor_, buffer_.data() + before, kPiece);
  } while (count < 0 && errno == EINTR);
  const int error = errno;
  buffer_.resize(before + static_cast<std::size_t>(count < 0 ? 0 : count));
  if (count >= 0) return count > 0;
  if (error == EISDIR) reject({{place_}, "lines of text", "a folder"});
  if (error == EBADF) reject({{place_}, "lines of text", "nothing: it is closed"});
  throw Error(fmt::format("{}: cannot be read: {}", place_, std::strerror(error)));
}

bool LineReader::skip_rest() {
  while (inside_line_) {
    const std::size_t end = buffer_.find('\n', used_);
    inside_line_ = end == std::string::npos;
    used_ = inside_line_ ? buffer_.size() : end + 1;
    if (inside_line_ && !fill()) return false;
  }
  return true;
}

bool LineReader::next(std::string& line) {
  line.clear();
  if (!skip_rest()) return false;
  for (;;) {
    const std::size_t end = buffer_.find('\n', used_);
    const std::size_t length = std::min(end, buffer_.size()) - used_;
    if (line.size() + length > most_bytes_) {  // said at once: a line may have no end
      inside_line_ = true;
      reject({{place_, ++number_}, fmt::format("a line of at most {} bytes", most_bytes_), "a longer one"});
    }
    line.append(buffer_, used_, length);
    used_ += length;
    if (end != std::string::npos) {
      ++used_;
      break;
    }
    if (fill()) continue;
    if (line.empty()) return false;
    break;
  }
  ++number_;
  return true;
}

}  // namespace faithful
