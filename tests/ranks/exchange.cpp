// Run by tests/app/test_mpi.py: mpirun -n N ranks_exchange [MODE]. What ranks say to each other must arrive, and ranks
// that fail or fall silent must end the job.
//   exchange  messages of all sizes between all ranks
//   fail      the last rank fails while the others wait for it
//   all-fail  all of them fail
//   stop      the last rank stands still (SIGSTOP)

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <thread>

#include "faithful/base/error.h"
#include "faithful/ranks/start.h"

namespace {

using faithful::Ranks;

void expect(bool holds, const char* what) {
  if (!holds) throw faithful::Error(std::string("expected ") + what);
}

std::string text_of(std::size_t rank, std::size_t bytes) {
  std::string text(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>(rank * 31 + i * 7);
  return text;
}

void exchange(Ranks& ranks) {
  for (const std::size_t bytes : {0UL, 1UL, 1000UL, 100'000UL, 5'000'000UL}) {
    expect(ranks.broadcast(ranks.is_first() ? text_of(0, bytes) : "") == text_of(0, bytes), "the bytes of rank 0");
    const std::vector<std::string> all = ranks.gather(text_of(ranks.rank(), bytes));
    expect(all.size() == (ranks.is_first() ? ranks.size() : 0), "as many texts as ranks");
    for (std::size_t rank = 0; rank < all.size(); ++rank) expect(all[rank] == text_of(rank, bytes), "rank order");
    // From everyone to rank 0, as they come, and back.
    if (ranks.is_first()) {
      for (std::size_t i = 1; i < ranks.size(); ++i) {
        const faithful::RankMessage message = ranks.receive();
        expect(message.bytes == text_of(message.from, bytes), "the bytes of a rank");
        ranks.send(message.from, message.bytes);
      }
    } else {
      ranks.send(0, text_of(ranks.rank(), bytes));
      expect(ranks.receive_from(0) == text_of(ranks.rank(), bytes), "its own bytes back");
    }
    ranks.barrier();
  }
  expect(ranks.any(ranks.rank() + 1 == ranks.size()), "the last one's word");
  expect(!ranks.any(false), "nobody's word");
}

void run(Ranks& ranks, const std::string& mode) {
  const bool last = ranks.rank() + 1 == ranks.size();
  if (mode == "exchange") exchange(ranks);
  if (mode == "all-fail" || (mode == "fail" && last)) throw faithful::InputError("it is all wrong");
  if (mode == "stop" && last) ::raise(SIGSTOP);
  if (mode == "fail" || mode == "stop") ranks.barrier();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "exchange";
  const double time_out = argc > 2 ? std::atof(argv[2]) : 60;
  const auto report = [](const std::string& line) { std::fprintf(stderr, "said: %s\n", line.c_str()); };
  std::unique_ptr<Ranks> ranks;
  try {
    ranks = faithful::start_ranks({.time_out = time_out, .report = report});
    run(*ranks, mode);
    if (ranks->is_first()) std::printf("%s of %zu ranks: done\n", mode.c_str(), ranks->size());
    ranks->finish();
  } catch (const faithful::Error& error) {
    if (ranks == nullptr)
      report(error.what());
    else
      ranks->fail(error.what(), 2);
    return 2;
  }
}
