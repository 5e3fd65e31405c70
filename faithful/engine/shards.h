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
#include "faithful/engine/tape.h"

namespace faithful::engine {

struct ShardOptions {
  std::size_t shards = 8;   // parts of a batch, for any number of threads; the result depends on it, as on the seed
  std::size_t at_once = 0;  // samples of a shard that are passed together; 0: all. With statistics always all
  std::uint64_t seed = 0;   // of dropout
};

// A good `at_once` for a Transformer: few samples, so that what a pass records is still in the caches on its way back;
// but enough that the gradients of the weights, which every pass goes through, are few beside it. A layer has about 12
// width² weights, and records about 30 width numbers for every position; the factor 3 was measured.
inline std::size_t samples_at_once(std::size_t width, std::size_t positions) {
  return std::max<std::size_t>(1, (3 * width + positions / 2) / positions);
}

// Training on the threads of a pool with the same result, bit for bit, for any number of them. A batch is cut into a
// fixed number of shards; each is passed forwards and backwards, some samples at once, on one thread's tape into
// gradients of its own, and the update adds these up in the order of the shards, in the same sweep as AdamW.
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
  // Any thread may take any shard. All threads get the same memory, so that none has to allocate later.
  void level_tapes();
  double squared_gradient(const Piece& piece) const;
  void update_piece(const Piece& piece, const AdamWStep<T>& decaying, const AdamWStep<T>& plain, T factor,
                    T* all_values);  // all_values: [parameters]

  Parameters<T>& parameters_;
  ThreadPool& pool_;
  ShardOptions options_;
  std::vector<std::unique_ptr<Tape<T>>> tapes_;  // one per thread
  std::vector<std::vector<T>> gradients_;        // [shards][parameters.size()]
  std::vector<double> losses_;                   // [shards]
  std::vector<T> first_, second_;                // AdamW's moments
  std::vector<Piece> pieces_;
  std::vector<double> squares_;  // [pieces], of gradient_norm()
  std::size_t active_ = 0;       // shards of the last batch
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
  for_each_shard(active_, [&](std::size_t shard, Tape<T>& tape) {
    const std::size_t first = batch * shard / active_, count = batch * (shard + 1) / active_ - first;
    const std::size_t passes = options_.at_once == 0 ? 1 : (count + options_.at_once - 1) / options_.at_once;
    losses_[shard] = 0;
    for (std::size_t pass = 0; pass < passes; ++pass) {
      const std::size_t begin = first + count * pass / passes, end = first + count * (pass + 1) / passes;
      tape.begin(parameters_, {.record = true,
                               .training = true,
                               .gradients = gradients_[shard],
                               .add_gradients = pass > 0,
                               .draws = {options_.seed, step_, static_cast<std::uint32_t>(begin)},
                               .profile = profile});  // with a profile, on one thread only
      const Tensor<T> loss = forward(tape, begin, end);
      losses_[shard] += static_cast<double>(*loss.data);
      tape.backward(loss);
    }
  });
  double loss = 0;
  for (std::size_t shard = 0; shard < active_; ++shard) loss += losses_[shard];
  return loss;
}

extern template class Shards<float>;
extern template class Shards<double>;

}  // namespace faithful::engine
