#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faithful/base/api.h"

// Processes that work together, numbered from 0, on one host or on many. mpirun or Slurm starts them, an MPI plug-in
// carries their messages (start.h). One process alone is a job of size 1, for which nothing of MPI is loaded.

namespace faithful {

// Bytes that are on their way. 0: done.
using Transfer = std::uint64_t;

// Messages on one channel between two ranks arrive in the order in which they were sent.
enum class RankChannel : std::uint8_t {
  kWatch,        // signs of life (watch_internal.h)
  kCollective,   // broadcast, gather, barrier
  kMessage,      // send and receive
  kPartialSums,  // of gradients, on the way to the last rank
  kSums,         // on the way back
};

struct RankMessage {
  std::size_t from = 0;
  std::string bytes = {};
};

class FAITHFUL_API Ranks {
 public:
  virtual ~Ranks() = default;
  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;
  bool is_first() const { return rank() == 0; }
  bool is_alone() const { return size() == 1; }

  // --- Transfers of a size that both sides know. Nothing waits; the bytes must stay where they are until it is done.
  virtual Transfer start_send(std::span<const std::byte> bytes, std::size_t to, RankChannel channel) = 0;
  virtual Transfer start_receive(std::span<std::byte> bytes, std::size_t from, RankChannel channel) = 0;
  virtual bool is_done(Transfer& transfer) = 0;  // sets it to 0 when it is
  void wait(Transfer& transfer);

  // --- Messages of any size, from one thread of a rank. A receiver waits as long as it takes: that the others live is
  // watched elsewhere.
  void send(std::size_t to, std::string_view bytes) { send_on(RankChannel::kMessage, to, bytes); }
  RankMessage receive();  // from any rank, as they arrive
  std::optional<RankMessage> receive_if_any();
  std::string receive_from(std::size_t from) { return receive_on(RankChannel::kMessage, from).bytes; }

  // --- What all ranks call, in the same order.
  std::string broadcast(std::string_view bytes);            // those of rank 0, to all
  std::vector<std::string> gather(std::string_view bytes);  // [size] at rank 0, in rank order; elsewhere empty
  void barrier();                                           // returns when all have come to it
  bool any(bool own);                                       // does one of them say so?

  // Ends the job on all ranks after a failure of this one; one line says why. Returns only where there are no others.
  virtual void fail(const std::string& line, int code) = 0;
  // The orderly end, which all ranks come to.
  virtual void finish() = 0;

 protected:
  struct Arrived {
    std::size_t from = 0, bytes = 0;
  };
  virtual std::optional<Arrived> probe(std::optional<std::size_t> from, RankChannel channel) = 0;

 private:
  void send_on(RankChannel channel, std::size_t to, std::string_view bytes);
  RankMessage receive_on(RankChannel channel, std::optional<std::size_t> from);
  RankMessage take(RankChannel channel, const Arrived& arrived);
};

// This process alone.
FAITHFUL_API std::unique_ptr<Ranks> make_one_rank();

}  // namespace faithful
