#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "faithful/ranks/watch_internal.h"

namespace faithful::ranks {

namespace {

constexpr std::size_t kTextBytes = 1000;

std::string text_of(const char (&field)[kTextBytes]) {
  return {field, ::strnlen(field, kTextBytes)};
}

template <std::size_t kBytes>
void put(const std::string& text, char (&field)[kBytes]) {
  std::memset(field, 0, kBytes);
  std::memcpy(field, text.data(), std::min(text.size(), kBytes - 1));
}

}  // namespace

struct Watch::Sign {
  enum Kind : int { kAlive, kFailed, kBye };
  int kind = kAlive, code = 0;
  char host[64] = {};
  char text[kTextBytes] = {};
};

Watch::Watch(Ranks& ranks, WatchOptions options) : ranks_(ranks), options_(std::move(options)) {
  const std::chrono::duration<double> seconds(std::min(1.0, options_.time_out / 10));
  interval_ = std::chrono::duration_cast<Clock::duration>(seconds);
  const std::size_t count = ranks.is_first() ? ranks.size() - 1 : 1;
  for (std::size_t i = 0; i < count; ++i) {
    Peer peer;
    peer.rank = ranks.is_first() ? i + 1 : 0;
    peer.sent = std::make_unique<Sign>();
    peer.received = std::make_unique<Sign>();
    peer.last_heard = Clock::now();
    peers_.push_back(std::move(peer));
  }
  thread_ = std::thread([this] { run(); });
}

Watch::~Watch() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
  // After a failure signs may still be on their way into their places: these must stay.
  static std::mutex one_at_a_time;
  static auto* const kept = new std::vector<std::unique_ptr<Sign>>();
  const std::lock_guard lock(one_at_a_time);
  for (Peer& peer : peers_) {
    if (peer.sending != 0) kept->push_back(std::move(peer.sent));
    if (peer.receiving != 0) kept->push_back(std::move(peer.received));
  }
}

void Watch::fail(const std::string& line, int code) {
  if (ranks_.is_first()) {
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return;
      ended_ = true;  // nothing more is reported
    }
    options_.report(line);
    options_.abort(code);
    return;
  }
  std::unique_lock lock(mutex_);
  own_ = {fmt::format("rank {} on {}: {}", ranks_.rank(), options_.host, line), code};
  state_ = State::kFailed;
  changed_.notify_all();
  // Rank 0 hears it, waits for its grace, and ends us. Where it does not, it has gone.
  const std::chrono::duration<double> patience(options_.grace + std::min(10.0, options_.time_out));
  if (changed_.wait_for(lock, patience, [&] { return ended_; })) return;
  ended_ = true;
  lock.unlock();
  options_.report(own_.line);
  options_.abort(code);
}

void Watch::finish() {
  std::unique_lock lock(mutex_);
  state_ = State::kFinishing;
  changed_.notify_all();
  changed_.wait(lock, [&] { return ended_; });
}

void Watch::end(const std::string& line, int code) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    ended_ = true;
  }
  options_.report(line);
  options_.abort(code);
  changed_.notify_all();
}

void Watch::listen(Peer& peer) {
  if (peer.heard_bye) return;
  if (peer.receiving == 0)
    peer.receiving =
        ranks_.start_receive(std::as_writable_bytes(std::span(peer.received.get(), 1)), peer.rank, RankChannel::kWatch);
  if (!ranks_.is_done(peer.receiving)) return;
  peer.last_heard = Clock::now();
  peer.host = {peer.received->host, ::strnlen(peer.received->host, sizeof(peer.received->host))};
  if (peer.received->kind == Sign::kBye) peer.heard_bye = true;
  if (peer.received->kind == Sign::kFailed && !heard_)
    heard_ = Failure{text_of(peer.received->text), peer.received->code, peer.last_heard};
}

void Watch::tell(Peer& peer, State state) {
  if (peer.said_bye || (peer.sending != 0 && !ranks_.is_done(peer.sending))) return;
  const Clock::time_point time = Clock::now();
  if (state == State::kWatching && time - peer.last_sent < interval_) return;
  Sign& sign = *peer.sent;
  put(options_.host, sign.host);
  sign.kind = state == State::kFinishing ? Sign::kBye : state == State::kFailed ? Sign::kFailed : Sign::kAlive;
  if (state == State::kFailed) {
    const std::lock_guard lock(mutex_);
    sign.code = own_.code;
    put(own_.line, sign.text);
  }
  peer.said_bye = state == State::kFinishing;
  peer.last_sent = time;
  peer.sending = ranks_.start_send(std::as_bytes(std::span(&sign, 1)), peer.rank, RankChannel::kWatch);
}

void Watch::check(const Peer& peer, State state) {
  const std::chrono::duration<double> silent = Clock::now() - peer.last_heard;
  if (peer.heard_bye || silent.count() < options_.time_out) return;
  const std::string host = peer.host.empty() ? "" : " on " + peer.host;
  const std::string why = state == State::kFailed ? own_.line + "; also, " : "";
  end(fmt::format("{}no sign of life from rank {}{} for {:.0f} s: its host or the network has failed; what was saved "
                  "is kept",
                  why, peer.rank, host, options_.time_out),
      1);
}

void Watch::run() try {
  for (;;) {
    State state;
    {
      std::unique_lock lock(mutex_);
      if (ended_) return;
      state = state_;
    }
    bool done = state == State::kFinishing;
    for (Peer& peer : peers_) {
      listen(peer);
      tell(peer, state);
      check(peer, state);
      done = done && peer.heard_bye && peer.said_bye && (peer.sending == 0 || ranks_.is_done(peer.sending));
    }
    const std::chrono::duration<double> grace(options_.grace);
    if (heard_ && Clock::now() - heard_->when > grace) end(heard_->line, heard_->code);
    std::unique_lock lock(mutex_);
    if (done) ended_ = true;
    if (ended_) {
      changed_.notify_all();
      return;
    }
    const auto pause = std::chrono::milliseconds(state == State::kWatching ? 50 : 1);
    changed_.wait_for(lock, std::min<Clock::duration>(interval_, pause), [&] { return ended_ || state_ != state; });
  }
} catch (const std::exception& error) {
  end(fmt::format("rank {} on {}: {}", ranks_.rank(), options_.host, error.what()), 1);
}

}  // namespace faithful::ranks
