#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/engine/parameters.h"
#include "faithful/engine/tape.h"
#include "faithful/ranks/ranks.h"

namespace faithful::engine {

// Large enough that the cost of a message is small beside its bytes, small enough that a chain of many ranks is busy on
// all its links.
inline constexpr std::size_t kBucketNumbers = 1 << 16;

// Adds the gradients of all shards of all ranks in the order of the shards: the same bits as one process that adds them
// alone. Rank r gets the sum of the shards before its own from rank r - 1, adds its own one after the other, and passes
// the sum on; the last rank sends the whole sum back the same way. The parameters go in buckets, those of the last
// layers first, each as soon as the backward passes of this rank's shards are through with it: most of the sum is made
// while earlier layers still compute. A rank sends each gradient twice at most, however many ranks there are.
template <class T>
class FAITHFUL_API GradientChain {
 public:
  // most_shards: of this rank; bucket: numbers of a message.
  GradientChain(Ranks& ranks, const Parameters<T>& parameters, std::size_t most_shards, std::size_t bucket);
  ~GradientChain();
  GradientChain(const GradientChain&) = delete;
  GradientChain& operator=(const GradientChain&) = delete;

  // Before a batch: the gradients [parameters] of this rank's shards, in their order. There may be none, but not at
  // rank 0.
  void begin(std::span<const T* const> gradients);

  // To be told of the last backward pass of this rank's shard `shard`, from 0.
  BackwardWatch* watch(std::size_t shard) { return watches_[shard].get(); }

  // What goes with the sum: the loss, added up in the order of the shards, and whether any rank raised its flag.
  struct Tail {
    double loss = 0;
    std::uint64_t flag = 0;
  };

  // After the shards: waits for the whole sum.
  Tail finish(std::span<const double> losses, bool flag);
  const T* sum() const { return (is_last() ? partial_ : total_).data() + kHead; }  // [parameters]

  double wait_seconds() const { return wait_seconds_; }  // in finish(), all steps: what no computation hid
  std::size_t buckets() const { return buckets_.size(); }

 private:
  static constexpr std::size_t kHead = 16;  // numbers before the first parameter, which hold the tail
  struct Bucket {
    std::size_t begin = 0, count = 0;         // of the buffers with their head
    std::vector<std::uint32_t> entries = {};  // that lie in it
    Transfer from_before = 0, to_after = 0, from_after = 0, to_before = 0;
  };
  class Watch final : public BackwardWatch {
   public:
    explicit Watch(GradientChain& chain) : chain_(chain) {}
    void after_step(std::size_t step, std::span<const std::uint32_t> first_uses) override;
    void after_all() override;

    std::atomic<std::size_t> ready{0};  // buckets, from the first, whose gradients are complete

   private:
    GradientChain& chain_;
  };

  bool is_last() const { return ranks_.rank() + 1 == ranks_.size(); }
  bool is_ready(std::size_t bucket) const;
  void poll();     // from any thread
  void advance();  // by mutex_: passes on what has arrived and is complete
  void add_own(const Bucket& bucket);
  void add_tail();
  bool is_quiet();  // nothing is on its way

  Ranks& ranks_;
  std::vector<Bucket> buckets_;
  std::vector<T> partial_, total_;   // [kHead + parameters]: of the shards up to here; of all
  std::vector<const T*> gradients_;  // [shards of this rank]
  std::vector<std::unique_ptr<Watch>> watches_;
  std::mutex mutex_;
  std::size_t up_ = 0, down_ = 0;  // buckets that were passed on, in each direction
  bool has_tail_ = false;          // of this rank
  bool is_under_way_ = false;      // between begin() and the end of finish()
  std::span<const double> losses_ = {};
  bool flag_ = false;
  double wait_seconds_ = 0;
};

extern template class GradientChain<float>;
extern template class GradientChain<double>;

}  // namespace faithful::engine
