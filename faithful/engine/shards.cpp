#include "faithful/engine/shards.h"

#include <cassert>
#include <cmath>

#include "faithful/engine/kernels.h"

namespace faithful::engine {

namespace {

constexpr std::size_t kPieceNumbers =
    8192;  // per task of the update: small enough to balance, large enough to be worth it

}  // namespace

template <class T>
Shards<T>::Shards(Parameters<T>& parameters, ThreadPool& pool, ShardOptions options)
    : parameters_(parameters), pool_(pool), options_(options), first_(parameters.size()), second_(parameters.size()) {
  assert(options.shards >= 1 && options.shards <= kMostShards);
  const std::size_t ranks = options.ranks == nullptr ? 1 : options.ranks->size();
  assert(ranks <= options.shards);
  const std::size_t most = (options.shards + ranks - 1) / ranks;  // of one rank
  gradients_.assign(most, std::vector<T>(parameters.size()));
  losses_.resize(most);
  if (ranks > 1) chain_ = std::make_unique<GradientChain<T>>(*options.ranks, parameters, most, options.bucket);
  for (std::size_t i = 0; i < pool.size(); ++i) tapes_.push_back(std::make_unique<Tape<T>>());
  for (std::size_t e = 0; e < parameters.entries().size(); ++e) {
    const ParameterEntry& entry = parameters.entries()[e];
    if (entry.statistic) options_.at_once = 0;  // statistics of part of a shard would not be those of the shard
    for (std::size_t at = 0; at < entry.shape.count(); at += kPieceNumbers) {
      pieces_.push_back({e, entry.offset + at, std::min(kPieceNumbers, entry.shape.count() - at)});
    }
  }
  squares_.resize(pieces_.size());
  parameters_.pack(pool_);
}

// Rank 0 has one at least: with it the sum begins.
template <class T>
std::size_t Shards<T>::first_of_rank(std::size_t rank) const {
  const std::size_t ranks = chain_ ? options_.ranks->size() : 1;
  return (active_ * rank + ranks - 1) / ranks;
}

template <class T>
typename Shards<T>::Stretch Shards<T>::own_samples(std::size_t batch) const {
  if (!chain_) return {0, batch};
  const std::size_t shards = std::min(options_.shards, batch), ranks = options_.ranks->size();
  const auto first = [&](std::size_t rank) { return batch * ((shards * rank + ranks - 1) / ranks) / shards; };
  return {first(options_.ranks->rank()), first(options_.ranks->rank() + 1)};
}

template <class T>
void Shards<T>::begin_chain() {
  const std::size_t rank = options_.ranks->rank();
  const T* own[kMostShards];
  const std::size_t count = first_of_rank(rank + 1) - first_of_rank(rank);
  for (std::size_t shard = 0; shard < count; ++shard) own[shard] = gradients_[shard].data();
  chain_->begin({own, count});
}

template <class T>
void Shards<T>::level_tapes() {
  for (const auto& tape : tapes_) {
    for (const auto& other : tapes_) {
      if (tape != other) tape->reserve_like(*other);
    }
  }
}

template <class T>
void Shards<T>::update_piece(const Piece& piece, const AdamWStep<T>& decaying, const AdamWStep<T>& plain, T factor,
                             T* all_values) {
  const ParameterEntry& entry = parameters_.entries()[piece.entry];
  const T* gradients[kMostShards];
  for (std::size_t i = 0; i < summands(); ++i) gradients[i] = summand(i) + piece.offset;
  T* values = all_values + piece.offset;
  if (!entry.statistic) {
    adamw(gradients, summands(), factor, piece.count, entry.decays ? decaying : plain, values,
          first_.data() + piece.offset, second_.data() + piece.offset);
    return;
  }
  for (std::size_t i = 0; i < piece.count; ++i) {
    T seen = 0;
    for (std::size_t k = 0; k < summands(); ++k) seen += gradients[k][i];
    values[i] += static_cast<T>(entry.momentum) * (seen / static_cast<T>(active_) - values[i]);
  }
}

template <class T>
void Shards<T>::update(const AdamWOptions& options, double factor) {
  ++step_;
  const AdamWStep<T> decaying(options, step_, true), plain(options, step_, false);
  T* values = parameters_.mutable_values().data();  // once: it marks the packed forms as stale
  pool_.run(pieces_.size(), [&](std::size_t i) {
    const FlushDenormals flush;
    update_piece(pieces_[i], decaying, plain, static_cast<T>(factor), values);
  });
  parameters_.pack(pool_);
}

template <class T>
std::vector<T> Shards<T>::summed_gradients() const {
  std::vector<T> sum(parameters_.size(), T(0));
  for (const ParameterEntry& entry : parameters_.entries()) {
    for (std::size_t i = 0; i < summands(); ++i) {
      add(summand(i) + entry.offset, entry.shape.count(), sum.data() + entry.offset);
    }
  }
  return sum;
}

template <class T>
double Shards<T>::squared_gradient(const Piece& piece) const {
  const T* gradients[kMostShards];
  for (std::size_t k = 0; k < summands(); ++k) gradients[k] = summand(k) + piece.offset;
  return squared_sum(gradients, summands(), piece.count);
}

template <class T>
double Shards<T>::gradient_norm() {
  pool_.run(pieces_.size(), [&](std::size_t i) {
    const FlushDenormals flush;  // as in the update and in the sum over ranks
    squares_[i] = parameters_.entries()[pieces_[i].entry].statistic ? 0 : squared_gradient(pieces_[i]);
  });
  double square = 0;
  for (const double of_piece : squares_) square += of_piece;
  return std::sqrt(square);
}

template <class T>
std::size_t Shards<T>::peak_bytes() const {
  std::size_t all = 0;
  for (const auto& tape : tapes_) all += tape->arena().peak_bytes() + tape->scratch().peak_bytes();
  return all;
}

template class Shards<float>;
template class Shards<double>;

}  // namespace faithful::engine
