// Attention, one sample and head after the other, in tiles of some query rows against all keys. A tile's scores are one
// product, its softmax runs over whole rows, its output is a second product. Backwards a tile's softmax is either still
// there or computed again. reference_attention.h says the same in the plainest way.

#include "faithful/engine/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "faithful/engine/attention_terms_internal.h"
#include "faithful/engine/kernels.h"

namespace faithful::engine {

namespace {

constexpr std::size_t kTileNumbers =
    65536;                              // in a tile of scores: 256 KiB of float, half of a usual second-level cache
constexpr std::size_t kFewestRows = 6;  // of a tile, as of the matrix kernel

// The sizes of one call.
template <class T>
struct Sizes {
  explicit Sizes(const AttentionInputs<T>& in)
      : heads(in.heads),
        positions(in.query.shape[in.query.shape.rank() - 2]),
        batch(in.query.rows() / positions),
        key_width(in.query.width() / heads),
        value_width(in.value.width() / heads),
        tile_rows(std::min(positions, std::max(kFewestRows, kTileNumbers / positions))),
        // Rows of scores are an odd number of cache lines apart: even ones would crowd few sets of the cache.
        stride(((positions + 15) / 16 | 1) * 16),
        // A product that fills rows of scores writes whole panels where the stride has room: no edge to care for.
        padded(std::min(packed_size<T>(1, positions), stride)),
        scale(static_cast<T>(in.scale != 0 ? in.scale : 1 / std::sqrt(static_cast<double>(key_width)))) {}

  std::size_t heads, positions, batch, key_width, value_width, tile_rows, stride, padded;
  T scale;
};

// What one sample and head works on.
template <class T>
struct Head {
  std::size_t sample, head;
  View<const T> query, key;  // [S, Dk], rotated where there are angles
  View<const T> value;       // [S, Dv]
  const std::uint8_t* valid;
  const T* times;       // [S], or null
  View<T> by_key = {};  // [S, 2C + 1]: scale times the products of keys and relative queries

  Seen<T> seen_from(std::size_t at) const { return {at, key.rows, times}; }
};

template <class T>
class Attention {
 public:
  Attention(Tape<T>& tape, const AttentionInputs<T>& in, T* kept) : tape_(tape), in_(in), size_(in), kept_(kept) {}

  void forward(Tensor<T> out);
  void backward(Tensor<T> out);

 private:
  T* take(std::size_t count) { return tape_.scratch().template take<T>(count); }
  // A column range of one sample: rows of a tensor that belong to head `head`.
  View<T> part(Tensor<T> x, std::size_t sample, std::size_t head, std::size_t width) const {
    return {x.row(sample * size_.positions) + head * width, size_.positions, width, x.stride};
  }
  View<T> part(const Gradient<T>& x, std::size_t sample, std::size_t head, std::size_t width) const {
    return {x.row(sample * size_.positions) + head * width, size_.positions, width, x.stride};
  }
  T* kept_tile(const Head<T>& h, std::size_t first) const {
    return kept_ + ((h.sample * size_.heads + h.head) * size_.positions + first) * size_.stride;
  }
  T* pack_scaled(View<const T> b, Form form, T factor);
  // The relative vectors of a head: [2C + 1, D] of its own, or the ones for all.
  View<T> vectors(Tensor<T> x, std::size_t head, T* data) const {
    const std::size_t entries = x.shape[x.shape.rank() - 2];
    return {data + (x.shape.rank() == 3 ? head * entries * x.width() : 0), entries, x.width(), x.width()};
  }
  View<T> vectors(Tensor<T> x, std::size_t head) const { return vectors(x, head, x.data); }
  View<T> gradient_of_vectors(Tensor<T> x, std::size_t head) { return vectors(x, head, tape_.gradient_to_add(x)); }
  std::span<const T> offsets_from(const Head<T>& h, std::size_t query, T* to) const {  // t_j - t_query
    for (std::size_t j = 0; j < size_.positions; ++j) to[j] = h.times[j] - h.times[query];
    return {to, size_.positions};
  }
  Head<T> open_head(std::size_t sample, std::size_t head);
  void make_softmax(const Head<T>& h, const T* keys, std::size_t first, View<T> p);
  View<T> make_weights(const Head<T>& h, std::size_t first, View<T> p, T* spare);
  void backward_head(const Head<T>& h, View<const T> dout, View<T> dq, View<T> dk, View<T> dv, bool add_q, bool add_k,
                     bool add_v);
  void backward_tile(const Head<T>& h, std::size_t first, View<T> p, View<T> d, View<const T> dout, View<T> dv,
                     bool add_v);

  Tape<T>& tape_;
  const AttentionInputs<T>& in_;
  Sizes<T> size_;
  T* kept_;            // [B, H, S, stride]: the softmax, or null
  Rotation<T> turns_;  // of every position, where there are angles
};

// Factors of the scores carry the scale in their packed form, which is smaller than the scores.
template <class T>
T* Attention<T>::pack_scaled(View<const T> b, Form form, T factor) {
  const std::size_t k = form == Form::kPlain ? b.rows : b.columns, n = form == Form::kPlain ? b.columns : b.rows;
  const std::size_t count = packed_size<T>(k, n);
  T* packed = take(count);
  pack<T>(b, form, packed);
  if (factor != 1) rescale(factor, count, packed);
  return packed;
}

template <class T>
Head<T> Attention<T>::open_head(std::size_t sample, std::size_t head) {
  Head<T> h{sample,
            head,
            part(in_.query, sample, head, size_.key_width),
            part(in_.key, sample, head, size_.key_width),
            part(in_.value, sample, head, size_.value_width),
            nullptr,
            in_.times.empty() ? nullptr : in_.times.data() + sample * size_.positions};
  if (!in_.valid.empty()) {
    const std::size_t groups = size_.batch / (in_.valid.size() / size_.positions);
    h.valid = in_.valid.data() + sample / groups * size_.positions;
  }
  if (in_.angles) {
    for (View<const T>* x : {&h.query, &h.key}) {
      const View<T> turned{take(x->rows * x->columns), x->rows, x->columns, x->columns};
      turns_.turn(*x, turned);
      *x = turned;
    }
  }
  if (in_.relative_queries) {
    const View<T> of = vectors(in_.relative_queries, head);
    h.by_key = {take(size_.positions * of.rows), size_.positions, of.rows, of.rows};
    gemm_packed<T>(h.key, Form::kPlain, pack_scaled(of, Form::kTransposed, size_.scale), h.by_key);
  }
  return h;
}

// p [rows, S] = softmax of the scores of query rows first, first + 1, ...
template <class T>
void Attention<T>::make_softmax(const Head<T>& h, const T* keys, std::size_t first, View<T> p) {
  const View<const T> query{&h.query(first, 0), p.rows, h.query.columns, h.query.stride};
  gemm_packed<T>(query, Form::kPlain, keys, {p.data, p.rows, size_.padded, p.stride});
  if (in_.relative_keys) {
    const ScratchScope scratch(tape_.scratch());
    const View<T> of = vectors(in_.relative_keys, h.head);
    const View<T> by_offset{take(p.rows * of.rows), p.rows, of.rows, of.rows};
    gemm_packed<T>(query, Form::kPlain, pack_scaled(of, Form::kTransposed, size_.scale), by_offset);
    for (std::size_t i = 0; i < p.rows; ++i) spread_offsets(by_offset, i, h.seen_from(first + i), p);
  }
  if (in_.relative_queries) {
    for (std::size_t i = 0; i < p.rows; ++i) {
      for_each_offset(h.seen_from(first + i), h.by_key.columns,
                      [&](std::size_t j, std::size_t entry, T share) { p(i, j) += share * h.by_key(j, entry); });
    }
  }
  if (in_.offset_function) {
    const ScratchScope scratch(tape_.scratch());
    T* offsets = take(p.columns);
    for (std::size_t i = 0; i < p.rows; ++i) {
      in_.offset_function.add(in_.offset_function, tape_, h.head, offsets_from(h, first + i, offsets), &p(i, 0));
    }
  }
  for (std::size_t i = 0; i < p.rows; ++i) {
    T* row = &p(i, 0);
    if (in_.offset_bias && h.times != nullptr) {
      const T* entries = in_.offset_bias.row(h.head);
      for_each_offset(h.seen_from(first + i), in_.offset_bias.width(),
                      [&](std::size_t j, std::size_t entry, T share) { row[j] += share * entries[entry]; });
    } else if (in_.offset_bias) {
      add(static_cast<const T*>(offsets_of(in_.offset_bias, h.head, first + i)), p.columns, row);
    }
    if (h.valid != nullptr) {
      for (std::size_t j = 0; j < p.columns; ++j) {
        if (h.valid[j] == 0) row[j] = -std::numeric_limits<T>::infinity();
      }
    }
  }
  softmax_rows(p.data, p.rows, p.columns, p.stride);
}

// The weights: the softmax itself, or with offset_weights added, in `spare`.
template <class T>
View<T> Attention<T>::make_weights(const Head<T>& h, std::size_t first, View<T> p, T* spare) {
  if (!in_.offset_weights) return p;
  const View<T> weights{spare, p.rows, p.columns, p.stride};
  for (std::size_t i = 0; i < p.rows; ++i) {
    if (h.times != nullptr) {
      const T* entries = in_.offset_weights.row(h.head);
      std::copy_n(&p(i, 0), p.columns, &weights(i, 0));
      for_each_offset(h.seen_from(first + i), in_.offset_weights.width(), [&](std::size_t j, std::size_t e, T share) {
        if (h.valid == nullptr || h.valid[j] != 0) weights(i, j) += share * entries[e];
      });
      continue;
    }
    const T* table = offsets_of(in_.offset_weights, h.head, first + i);
    for (std::size_t j = 0; j < p.columns; ++j) {
      weights(i, j) = p(i, j) + (h.valid == nullptr || h.valid[j] != 0 ? table[j] : T(0));
    }
  }
  return weights;
}

template <class T>
void Attention<T>::forward(Tensor<T> out) {
  const std::size_t positions = size_.positions;
  const ScratchScope all(tape_.scratch());
  if (in_.angles) turns_ = Rotation<T>(tape_.scratch(), in_.angles, in_.pairing);
  T* tile = kept_ != nullptr ? nullptr : take(size_.tile_rows * size_.stride);
  T* spare = in_.offset_weights ? take(size_.tile_rows * size_.stride) : nullptr;
  for (std::size_t unit = 0; unit < size_.batch * size_.heads; ++unit) {
    const ScratchScope scratch(tape_.scratch());
    const Head<T> h = open_head(unit / size_.heads, unit % size_.heads);
    const T* keys = pack_scaled(h.key, Form::kTransposed, size_.scale);
    const T* values = pack_scaled(h.value, Form::kPlain, 1);
    const View<T> result = part(out, h.sample, h.head, size_.value_width);
    for (std::size_t first = 0; first < positions; first += size_.tile_rows) {
      const std::size_t rows = std::min(size_.tile_rows, positions - first);
      const View<T> p{kept_ != nullptr ? kept_tile(h, first) : tile, rows, positions, size_.stride};
      make_softmax(h, keys, first, p);
      const View<T> weights = make_weights(h, first, p, spare);
      const View<T> result_rows{&result(first, 0), rows, result.columns, result.stride};
      gemm_packed<T>(weights, Form::kPlain, values, result_rows);
      if (in_.relative_values) {
        const ScratchScope inner(tape_.scratch());
        const View<T> of = vectors(in_.relative_values, h.head);
        const View<T> by_offset = gather_tile(tape_.scratch(), weights, h.seen_from(first), of.rows);
        gemm_packed<T>(by_offset, Form::kPlain, pack_scaled(of, Form::kPlain, 1), result_rows, {.add = true});
      }
      if (!in_.maps.empty()) {
        for (std::size_t i = 0; i < rows; ++i) {
          std::copy_n(&weights(i, 0), positions, in_.maps.data() + (unit * positions + first + i) * positions);
        }
      }
    }
  }
}

// One tile: from the gradient of its output rows to that of its scores, left in d [rows, S]; values and the tables that
// come after the softmax get their gradients on the way.
template <class T>
void Attention<T>::backward_tile(const Head<T>& h, std::size_t first, View<T> p, View<T> d, View<const T> dout,
                                 View<T> dv, bool add_v) {
  const ScratchScope scratch(tape_.scratch());
  const View<T> weights = make_weights(h, first, p, in_.offset_weights ? take(p.rows * p.stride) : nullptr);
  T* packed = take(packed_size<T>(p.rows, dout.columns));
  pack<T>(dout, Form::kPlain, packed);
  gemm_packed<T>(weights, Form::kTransposed, packed, dv, {.add = add_v});
  if (in_.relative_values) {
    const View<T> of = vectors(in_.relative_values, h.head);
    const View<T> by_offset = gather_tile(tape_.scratch(), weights, h.seen_from(first), of.rows);
    if (tape_.wants(in_.relative_values)) {  // `packed` still holds dout
      gemm_packed<T>(by_offset, Form::kTransposed, packed, gradient_of_vectors(in_.relative_values, h.head),
                     {.add = true});
    }
    gemm_packed<T>(dout, Form::kPlain, pack_scaled(of, Form::kTransposed, 1), by_offset);
    for (std::size_t i = 0; i < p.rows; ++i) spread_offsets(by_offset, i, h.seen_from(first + i), d);
  }
  if (in_.offset_weights && tape_.wants(in_.offset_weights)) {
    T* table = tape_.gradient_to_add(in_.offset_weights);
    for (std::size_t i = 0; i < p.rows; ++i) {
      if (h.times != nullptr) {
        T* entries = table + h.head * in_.offset_weights.width();
        for_each_offset(h.seen_from(first + i), in_.offset_weights.width(), [&](std::size_t j, std::size_t e, T share) {
          if (h.valid == nullptr || h.valid[j] != 0) entries[e] += share * d(i, j);
        });
        continue;
      }
      T* to = offsets_of(table, p.columns, h.head, first + i);
      for (std::size_t j = 0; j < p.columns; ++j) to[j] += h.valid == nullptr || h.valid[j] != 0 ? d(i, j) : T(0);
    }
  }
  // Padded columns are zero in both, and cost less than an edge.
  softmax_backward(static_cast<const T*>(p.data), p.rows, size_.padded, p.stride, d.data);
  if (in_.offset_bias && tape_.wants(in_.offset_bias)) {
    T* table = tape_.gradient_to_add(in_.offset_bias);
    for (std::size_t i = 0; i < p.rows; ++i) {
      if (h.times != nullptr) {
        T* entries = table + h.head * in_.offset_bias.width();
        for_each_offset(h.seen_from(first + i), in_.offset_bias.width(),
                        [&](std::size_t j, std::size_t entry, T share) { entries[entry] += share * d(i, j); });
        continue;
      }
      add(static_cast<const T*>(&d(i, 0)), p.columns, offsets_of(table, p.columns, h.head, first + i));
    }
  }
  if (in_.offset_function.add_gradient != nullptr) {
    T* offsets = take(p.columns);
    for (std::size_t i = 0; i < p.rows; ++i) {
      in_.offset_function.add_gradient(in_.offset_function, tape_, h.head, offsets_from(h, first + i, offsets),
                                       &d(i, 0));
    }
  }
}

template <class T>
void Attention<T>::backward_head(const Head<T>& h, View<const T> dout, View<T> dq, View<T> dk, View<T> dv, bool add_q,
                                 bool add_k, bool add_v) {
  const T* values = pack_scaled(h.value, Form::kTransposed, 1);
  const T* keys = pack_scaled(h.key, Form::kPlain, size_.scale);
  const T* keys_again = kept_ != nullptr ? nullptr : pack_scaled(h.key, Form::kTransposed, size_.scale);
  T* tile = kept_ != nullptr ? nullptr : take(size_.tile_rows * size_.stride);
  T* d_tile = take(size_.tile_rows * size_.stride);
  View<T> d_by_key = h.by_key;
  if (in_.relative_queries) {
    d_by_key.data = take(h.by_key.rows * h.by_key.columns);
    std::fill_n(d_by_key.data, h.by_key.rows * h.by_key.columns, T(0));
  }
  for (std::size_t first = 0; first < size_.positions; first += size_.tile_rows) {
    const ScratchScope scratch(tape_.scratch());
    const std::size_t rows = std::min(size_.tile_rows, size_.positions - first);
    const auto rows_of = [&](auto all) { return decltype(all){&all(first, 0), rows, all.columns, all.stride}; };
    const View<T> p{kept_ != nullptr ? kept_tile(h, first) : tile, rows, size_.positions, size_.stride};
    const View<T> d{d_tile, rows, size_.positions, size_.stride};
    if (kept_ == nullptr) make_softmax(h, keys_again, first, p);
    gemm_packed<T>(rows_of(dout), Form::kPlain, values, {d.data, rows, size_.padded, d.stride});
    backward_tile(h, first, p, d, rows_of(dout), dv, add_v || first > 0);

    gemm_packed<T>(d, Form::kPlain, keys, rows_of(dq), {.add = add_q});
    const T* query = pack_scaled(rows_of(h.query), Form::kPlain, size_.scale);
    gemm_packed<T>(d, Form::kTransposed, query, dk, {.add = add_k || first > 0});
    if (in_.relative_keys) {
      const View<T> of = vectors(in_.relative_keys, h.head);
      const View<T> by_offset = gather_tile(tape_.scratch(), d, h.seen_from(first), of.rows);
      gemm_packed<T>(by_offset, Form::kPlain, pack_scaled(of, Form::kPlain, size_.scale), rows_of(dq), {.add = true});
      if (tape_.wants(in_.relative_keys)) {
        gemm_packed<T>(by_offset, Form::kTransposed, query, gradient_of_vectors(in_.relative_keys, h.head),
                       {.add = true});
      }
    }
    if (!in_.relative_queries) continue;
    for (std::size_t i = 0; i < rows; ++i) {
      for_each_offset(h.seen_from(first + i), d_by_key.columns,
                      [&](std::size_t j, std::size_t entry, T share) { d_by_key(j, entry) += share * d(i, j); });
    }
  }
  if (!in_.relative_queries) return;
  const View<T> of = vectors(in_.relative_queries, h.head);
  gemm_packed<T>(d_by_key, Form::kPlain, pack_scaled(of, Form::kPlain, size_.scale), dk, {.add = true});
  if (!tape_.wants(in_.relative_queries)) return;
  gemm_packed<T>(d_by_key, Form::kTransposed, pack_scaled(h.key, Form::kPlain, size_.scale),
                 gradient_of_vectors(in_.relative_queries, h.head), {.add = true});
}

template <class T>
void Attention<T>::backward(Tensor<T> out) {
  const std::size_t positions = size_.positions, key_width = size_.key_width;
  const Gradient<T> dout{tape_.gradient_of(out), out.stride, false};
  // Queries, keys and values that nobody asks a gradient of still pass through the same code, into spare memory. Where
  // one tensor is several of the three, all add.
  const ScratchScope all(tape_.scratch());
  const bool one = in_.query.slot == in_.key.slot || in_.query.slot == in_.value.slot || in_.key.slot == in_.value.slot;
  const auto target = [&](Tensor<T> x) {
    if (!tape_.wants(x)) return Gradient<T>{take(x.shape.count()), x.width(), false};
    Gradient<T> to = tape_.gradient(x);
    if (!one || to.add) return to;
    for (std::size_t r = 0; r < x.rows(); ++r) std::fill_n(to.row(r), x.width(), T(0));
    to.add = true;
    return to;
  };
  const Gradient<T> dq = target(in_.query), dk = target(in_.key), dv = target(in_.value);
  T* dangles = in_.angles && tape_.wants(in_.angles) ? tape_.gradient_to_add(in_.angles) : nullptr;
  if (in_.angles) turns_ = Rotation<T>(tape_.scratch(), in_.angles, in_.pairing);
  for (std::size_t unit = 0; unit < size_.batch * size_.heads; ++unit) {
    const ScratchScope scratch(tape_.scratch());
    const Head<T> h = open_head(unit / size_.heads, unit % size_.heads);
    const View<T> to_q = part(dq, h.sample, h.head, key_width), to_k = part(dk, h.sample, h.head, key_width);
    const View<T> to_v = part(dv, h.sample, h.head, size_.value_width);
    const View<const T> from = part(dout, h.sample, h.head, size_.value_width);
    if (!in_.angles) {
      backward_head(h, from, to_q, to_k, to_v, dq.add, dk.add, dv.add);
      continue;
    }
    const View<T> turned_q{take(positions * key_width), positions, key_width, key_width};
    const View<T> turned_k{take(positions * key_width), positions, key_width, key_width};
    backward_head(h, from, turned_q, turned_k, to_v, false, false, dv.add);
    turns_.turn_back(turned_q, h.query, to_q, dq.add, dangles);
    turns_.turn_back(turned_k, h.key, to_k, dk.add, dangles);
  }
}

}  // namespace

template <class T>
Tensor<T> attention(Tape<T>& tape, const AttentionInputs<T>& inputs) {
  const auto timing = tape.time("attention");
  const Sizes<T> size(inputs);
  assert(inputs.query.shape == inputs.key.shape && inputs.query.width() == size.heads * size.key_width);
  assert(inputs.value.rows() == inputs.query.rows() && inputs.value.width() == size.heads * size.value_width);
  assert(inputs.times.empty() ? !inputs.offset_function : inputs.times.size() == inputs.query.rows());
  const Tensor<T> out = tape.make(inputs.value.shape);
  const bool keeps = tape.recording() && size.positions <= inputs.keep_up_to;
  T* kept = keeps ? tape.arena().template take<T>(size.batch * size.heads * size.positions * size.stride) : nullptr;
  Attention<T>(tape, inputs, kept).forward(out);
  tape.record("attention", out, [&tape, inputs, kept, out] { Attention<T>(tape, inputs, kept).backward(out); });
  return out;
}

template Tensor<float> attention(Tape<float>&, const AttentionInputs<float>&);
template Tensor<double> attention(Tape<double>&, const AttentionInputs<double>&);

}  // namespace faithful::engine
