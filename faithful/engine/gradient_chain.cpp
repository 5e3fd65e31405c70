#include "faithful/engine/gradient_chain.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstring>

#include "faithful/engine/denormals.h"
#include "faithful/engine/kernels.h"
#include "faithful/ranks/patience.h"

namespace faithful::engine {

template <class T>
GradientChain<T>::GradientChain(Ranks& ranks, const Parameters<T>& parameters, std::size_t most_shards,
                                std::size_t bucket_numbers)
    : ranks_(ranks), partial_(kHead + parameters.size()), total_(is_last() ? 0 : kHead + parameters.size()) {
  static_assert(sizeof(Tail) <= kHead * sizeof(T));
  for (std::size_t end = partial_.size(); end > 0;) {
    Bucket bucket;
    bucket.begin = end < kHead + bucket_numbers ? 0 : end - bucket_numbers;
    bucket.count = end - bucket.begin;
    for (std::size_t e = 0; e < parameters.entries().size(); ++e) {
      const ParameterEntry& entry = parameters.entries()[e];
      const std::size_t first = kHead + entry.offset;
      if (first < end && first + entry.shape.count() > bucket.begin)
        bucket.entries.push_back(static_cast<std::uint32_t>(e));
    }
    end = bucket.begin;
    buckets_.push_back(std::move(bucket));
  }
  gradients_.reserve(most_shards);
  for (std::size_t i = 0; i < most_shards; ++i) watches_.push_back(std::make_unique<Watch>(*this));
}

// After a failure messages may still be on their way into the buffers: these must stay.
template <class T>
GradientChain<T>::~GradientChain() {
  if (!is_under_way_) return;
  static std::mutex one_at_a_time;
  static auto* const kept = new std::vector<std::vector<T>>();
  const std::lock_guard lock(one_at_a_time);
  kept->push_back(std::move(partial_));
  kept->push_back(std::move(total_));
}

template <class T>
bool GradientChain<T>::is_quiet() {
  return std::ranges::all_of(buckets_, [&](Bucket& bucket) {
    return ranks_.is_done(bucket.from_before) && ranks_.is_done(bucket.to_after) && ranks_.is_done(bucket.from_after) &&
           ranks_.is_done(bucket.to_before);
  });
}

template <class T>
void GradientChain<T>::begin(std::span<const T* const> gradients) {
  assert(gradients.size() <= watches_.size() && (ranks_.rank() > 0 || !gradients.empty()));
  const std::lock_guard lock(mutex_);
  gradients_.assign(gradients.begin(), gradients.end());
  for (const auto& watch : watches_) watch->ready = 0;
  up_ = down_ = 0;
  has_tail_ = false;
  is_under_way_ = true;
  for (Bucket& bucket : buckets_) {
    const std::size_t rank = ranks_.rank();
    if (rank > 0)
      bucket.from_before =
          ranks_.start_receive(std::as_writable_bytes(std::span(partial_).subspan(bucket.begin, bucket.count)),
                               rank - 1, RankChannel::kPartialSums);
    if (!is_last())
      bucket.from_after = ranks_.start_receive(
          std::as_writable_bytes(std::span(total_).subspan(bucket.begin, bucket.count)), rank + 1, RankChannel::kSums);
  }
}

template <class T>
void GradientChain<T>::Watch::after_step(std::size_t step, std::span<const std::uint32_t> first_uses) {
  std::size_t now = ready;
  const std::vector<Bucket>& buckets = chain_.buckets_;
  const auto is_complete = [&](std::uint32_t entry) {
    return first_uses[entry] != kNotUsed && first_uses[entry] >= step;
  };
  while (now < buckets.size() && std::ranges::all_of(buckets[now].entries, is_complete)) ++now;
  ready = now;
  chain_.poll();
}

template <class T>
void GradientChain<T>::Watch::after_all() {
  ready = chain_.buckets_.size();
  chain_.poll();
}

template <class T>
bool GradientChain<T>::is_ready(std::size_t bucket) const {
  if (bucket + 1 == buckets_.size() && !has_tail_) return false;
  for (std::size_t shard = 0; shard < gradients_.size(); ++shard)
    if (watches_[shard]->ready <= bucket) return false;
  return true;
}

template <class T>
void GradientChain<T>::add_own(const Bucket& bucket) {
  const std::size_t first = std::max(bucket.begin, kHead), count = bucket.begin + bucket.count - first;
  T* sum = partial_.data() + first;
  for (std::size_t shard = 0; shard < gradients_.size(); ++shard) {
    const T* own = gradients_[shard] + (first - kHead);
    if (ranks_.rank() == 0 && shard == 0)
      std::copy_n(own, count, sum);
    else
      add(own, count, sum);
  }
  if (bucket.begin == 0) add_tail();
}

template <class T>
void GradientChain<T>::add_tail() {
  Tail tail;
  if (ranks_.rank() > 0) std::memcpy(static_cast<void*>(&tail), partial_.data(), sizeof(tail));
  for (const double loss : losses_) tail.loss += loss;
  if (flag_) tail.flag = 1;
  std::memcpy(partial_.data(), static_cast<const void*>(&tail), sizeof(tail));
}

template <class T>
void GradientChain<T>::advance() {
  const std::size_t rank = ranks_.rank();
  const auto bytes = [](const std::vector<T>& all, const Bucket& bucket) {
    return std::as_bytes(std::span(all).subspan(bucket.begin, bucket.count));
  };
  for (; up_ < buckets_.size(); ++up_) {
    Bucket& bucket = buckets_[up_];
    if (!is_ready(up_) || !ranks_.is_done(bucket.from_before)) break;
    add_own(bucket);
    if (!is_last())
      bucket.to_after = ranks_.start_send(bytes(partial_, bucket), rank + 1, RankChannel::kPartialSums);
    else if (rank > 0)
      bucket.to_before = ranks_.start_send(bytes(partial_, bucket), rank - 1, RankChannel::kSums);
  }
  if (is_last()) down_ = up_;
  for (; down_ < up_; ++down_) {
    Bucket& bucket = buckets_[down_];
    if (!ranks_.is_done(bucket.from_after)) break;
    if (rank > 0) bucket.to_before = ranks_.start_send(bytes(total_, bucket), rank - 1, RankChannel::kSums);
  }
}

template <class T>
void GradientChain<T>::poll() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) advance();
}

template <class T>
typename GradientChain<T>::Tail GradientChain<T>::finish(std::span<const double> losses, bool flag) {
  const auto start = std::chrono::steady_clock::now();
  const FlushDenormals flush;
  const std::lock_guard lock(mutex_);
  losses_ = losses;
  flag_ = flag;
  has_tail_ = true;
  RankPatience patience;
  for (advance(); down_ < buckets_.size() || !is_quiet(); advance()) patience.pause();
  is_under_way_ = false;
  wait_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Tail tail;
  std::memcpy(static_cast<void*>(&tail), (is_last() ? partial_ : total_).data(), sizeof(tail));
  return tail;
}

template class GradientChain<float>;
template class GradientChain<double>;

}  // namespace faithful::engine
