#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/threads.h"
#include "faithful/engine/adamw.h"
#include "faithful/engine/denormals.h"
#include "faithful/engine/gradient_chain.h"
#include "faithful/engine/tape.h"
#include "faithful/ranks/ranks.h"

namespace faithful::engine {

struct ShardOptions {
  std::size_t shards = 8;   // parts of a batch, for any number of threads; the result depends on it, as on the seed
  std::size_t at_once = 0;  // samples of a shard that are passed together; 0: all. With statistics always all
  std::uint64_t seed = 0;   // of dropout
  Ranks* ranks = nullptr;   // shards are dealt to these; at most as many as shards. None: this process has them all
  std::size_t bucket = kBucketNumbers;  // gradients that go from rank to rank in one message
};

// The most shards that a batch can be cut into.
inline constexpr std::size_t kMostShards = 1024;

// A good `at_once` for a Transformer: few samples, so that what a pass records is still in the caches on its way back;
// but enough that the gradients of the weights, which every pass goes through, are few beside it. A layer has about 12
// width² weights, and records about 30 width numbers for every position; the factor 3 was measured.
inline std::size_t samples_at_once(std::size_t width, std::size_t positions) {
  return std::max<std::size_t>(1, (3 * width + positions / 2) / positions);
}

// Training on the threads of a pool with the same result, bit for bit, for any number of them. A batch is cut into a
// fixed number of shards; each is passed forwards and backwards, some samples at once, on one thread's tape into
// gradients of its own, and the update adds these up in the order of the shards, in the same sweep as AdamW. With ranks
// each has a stretch of the shards; a GradientChain adds up over all of them, in the same order, and every rank then
// makes the same update.
template <class T>
class FAITHFUL_API Shards {
 public:
  Shards(Parameters<T>& parameters, ThreadPool& pool, ShardOptions options = {});

  // Passes a batch forwards and backwards. `forward(tape, begin, end)` builds the loss of samples begin .. end - 1 and
  // returns it, already scaled so that the sum over all calls is the loss of the batch; that sum is returned.
  template <class Forward>
  double accumulate(std::size_t batch, Forward&& forward, Profile* profile = nullptr);

  // One AdamW step with the gradients of the last accumulate(), times `factor` (for clipping).
  void update(const AdamWOptions& options, double factor = 1);

  double gradient_norm();                   // of the sum over shards, over all weights
  std::vector<T> summed_gradients() const;  // laid out as the parameters: for tests and inspection
  std::uint32_t step() const { return step_; }
  std::size_t peak_bytes() const;  // of activations, over all threads

  // The samples of a batch that this rank passes: begin .. end - 1.
  struct Stretch {
    std::size_t begin = 0, end = 0;
  };
  Stretch own_samples(std::size_t batch) const;

  // With ranks: what any of them raised before accumulate(), all know after it.
  void raise_flag(bool flag) { own_flag_ = flag; }
  bool is_flag_raised() const { return tail_.flag != 0; }
  double wait_seconds() const { return chain_ ? chain_->wait_seconds() : 0; }  // for other ranks, in all

  // What a checkpoint must hold besides the parameters.
  std::span<T> first_moments() { return first_; }
  std::span<T> second_moments() { return second_; }
  void set_step(std::uint32_t step) { step_ = step; }

 private:
  struct Piece {
    std::size_t entry, offset, count;  // of the parameter buffer: what one task of the update works on
  };
  // Calls body(shard, tape) for shards 0 .. count - 1, each on some thread with that thread's tape.
  template <class Body>
  void for_each_shard(std::size_t count, Body&& body);
  std::size_t first_of_rank(std::size_t rank) const;  // of the active shards
  std::size_t first_sample(std::size_t shard, std::size_t batch) const { return batch * shard / active_; }
  void begin_chain();
  // What the update adds up: the gradients of all shards, or the one sum of the chain.
  std::size_t summands() const { return chain_ ? 1 : active_; }
  const T* summand(std::size_t i) const { return chain_ ? chain_->sum() : gradients_[i].data(); }
  // Any thread may take any shard. All threads get the same memory, so that none has to allocate later.
  void level_tapes();
  double squared_gradient(const Piece& piece) const;
  void update_piece(const Piece& piece, const AdamWStep<T>& decaying, const AdamWStep<T>& plain, T factor,
                    T* all_values);  // all_values: [parameters]

  Parameters<T>& parameters_;
  ThreadPool& pool_;
  ShardOptions options_;
  std::vector<std::unique_ptr<Tape<T>>> tapes_;  // one per thread
  std::unique_ptr<GradientChain<T>> chain_;      // where there are other ranks
  std::vector<std::vector<T>> gradients_;        // [shards of this rank][parameters.size()]
  std::vector<double> losses_;                   // [shards of this rank]
  std::vector<T> first_, second_;                // AdamW's moments
  std::vector<Piece> pieces_;
  std::vector<double> squares_;  // [pieces], of gradient_norm()
  std::size_t active_ = 0;       // shards of the last batch, of all ranks
  bool own_flag_ = false;
  typename GradientChain<T>::Tail tail_;  // of the last batch
  std::uint32_t step_ = 0;
};

template <class T>
template <class Body>
void Shards<T>::for_each_shard(std::size_t count, Body&& body) {
  std::atomic<std::size_t> next{0};
  pool_.run(std::min(tapes_.size(), count), [&](std::size_t worker) {
    const FlushDenormals flush;
    for (std::size_t shard = next++; shard < count; shard = next++) body(shard, *tapes_[worker]);
  });
  level_tapes();
}

template <class T>
template <class Forward>
double Shards<T>::accumulate(std::size_t batch, Forward&& forward, Profile* profile) {
  active_ = std::min(options_.shards, batch);
  const std::size_t rank = chain_ ? options_.ranks->rank() : 0;
  const std::size_t first_own = first_of_rank(rank), own = first_of_rank(rank + 1) - first_own;
  if (chain_) begin_chain();
  for_each_shard(own, [&](std::size_t shard, Tape<T>& tape) {
    const std::size_t first = first_sample(first_own + shard, batch);
    const std::size_t count = first_sample(first_own + shard + 1, batch) - first;
    const std::size_t passes = options_.at_once == 0 ? 1 : (count + options_.at_once - 1) / options_.at_once;
    losses_[shard] = 0;
    for (std::size_t pass = 0; pass < passes; ++pass) {
      const std::size_t begin = first + count * pass / passes, end = first + count * (pass + 1) / passes;
      tape.begin(parameters_, {.record = true,
                               .training = true,
                               .gradients = gradients_[shard],
                               .add_gradients = pass > 0,
                               .draws = {options_.seed, step_, static_cast<std::uint32_t>(begin)},
                               .profile = profile,  // on one thread only
                               .watch = chain_ && pass + 1 == passes ? chain_->watch(shard) : nullptr});
      const Tensor<T> loss = forward(tape, begin, end);
      losses_[shard] += static_cast<double>(*loss.data);
      tape.backward(loss);
    }
  });
  if (chain_) {
    tail_ = chain_->finish(std::span(losses_).first(own), own_flag_);
    return tail_.loss;
  }
  double loss = 0;
  for (std::size_t shard = 0; shard < active_; ++shard) loss += losses_[shard];
  return loss;
}

extern template class Shards<float>;
extern template class Shards<double>;

}  // namespace faithful::engine
