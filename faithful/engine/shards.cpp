#include "faithful/engine/shards.h"

#include <cassert>
#include <cmath>

#include "faithful/engine/kernels.h"

namespace faithful::engine {

namespace {

constexpr std::size_t kMostShards = 256;
constexpr std::size_t kPieceNumbers =
    8192;  // per task of the update: small enough to balance, large enough to be worth it

}  // namespace

template <class T>
Shards<T>::Shards(Parameters<T>& parameters, ThreadPool& pool, ShardOptions options)
    : parameters_(parameters),
      pool_(pool),
      options_(options),
      gradients_(options.shards, std::vector<T>(parameters.size())),
      losses_(options.shards),
      first_(parameters.size()),
      second_(parameters.size()) {
  assert(options.shards >= 1 && options.shards <= kMostShards);
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
  for (std::size_t shard = 0; shard < active_; ++shard) gradients[shard] = gradients_[shard].data() + piece.offset;
  T* values = all_values + piece.offset;
  if (!entry.statistic) {
    adamw(gradients, active_, factor, piece.count, entry.decays ? decaying : plain, values,
          first_.data() + piece.offset, second_.data() + piece.offset);
    return;
  }
  for (std::size_t i = 0; i < piece.count; ++i) {
    T seen = 0;
    for (std::size_t shard = 0; shard < active_; ++shard) seen += gradients[shard][i];
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
    for (std::size_t shard = 0; shard < active_; ++shard) {
      add(gradients_[shard].data() + entry.offset, entry.shape.count(), sum.data() + entry.offset);
    }
  }
  return sum;
}

template <class T>
double Shards<T>::squared_gradient(const Piece& piece) const {
  const T* gradients[kMostShards];
  for (std::size_t shard = 0; shard < active_; ++shard) gradients[shard] = gradients_[shard].data() + piece.offset;
  return squared_sum(gradients, active_, piece.count);
}

template <class T>
double Shards<T>::gradient_norm() {
  pool_.run(pieces_.size(), [&](std::size_t i) {
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
