// Operators that work on one head after the other.

#include <algorithm>

#include "faithful/encoding/operators_internal.h"
#include "faithful/engine/gemm.h"

namespace faithful {

using engine::Form;
using engine::View;

template <class T>
Tensor<T> heads_first(Tape<T>& tape, Tensor<T> x, std::size_t heads, bool reversed) {
  const auto timing = tape.time("heads_first");
  const std::size_t entries = x.rows(), width = x.width() / heads;
  const Tensor<T> y = tape.make({heads, entries, width});
  const auto source = [=](std::size_t e) { return reversed ? entries - 1 - e : e; };
  for (std::size_t h = 0; h < heads; ++h) {
    for (std::size_t e = 0; e < entries; ++e) {
      std::copy_n(x.row(source(e)) + h * width, width, y.row(h * entries + e));
    }
  }
  tape.record("heads_first", y, [&tape, x, y, heads, entries, width, source] {
    if (!tape.wants(x)) return;
    const T* dy = tape.gradient_of(y);
    const engine::Gradient<T> to = tape.gradient(x);
    for (std::size_t h = 0; h < heads; ++h) {
      for (std::size_t e = 0; e < entries; ++e) {
        T* row = to.row(source(e)) + h * width;
        const T* from = dy + (h * entries + e) * width;
        for (std::size_t c = 0; c < width; ++c) row[c] = to.add ? row[c] + from[c] : from[c];
      }
    }
  });
  return y;
}

template <class T>
Tensor<T> products_with(Tape<T>& tape, Tensor<T> x, Tensor<T> u, Tensor<T> v, double factor) {
  const auto timing = tape.time("products_with");
  const std::size_t heads = x.shape[0], entries = x.shape[1], width = x.width();
  const Tensor<T> y = tape.make({heads, entries});
  const T by = static_cast<T>(factor);
  for (std::size_t r = 0; r < x.rows(); ++r) {
    const std::size_t first = r / entries * width;
    T sum = 0;
    for (std::size_t c = 0; c < width; ++c) sum += (v.data[first + c] - u.data[first + c]) * x.row(r)[c];
    y.data[r] = by * sum;
  }
  tape.record("products_with", y, [&tape, x, u, v, y, by, entries, width] {
    const T* dy = tape.gradient_of(y);
    T* dx = tape.wants(x) ? tape.gradient_to_add(x) : nullptr;
    T* du = tape.wants(u) ? tape.gradient_to_add(u) : nullptr;
    T* dv = tape.wants(v) ? tape.gradient_to_add(v) : nullptr;
    for (std::size_t r = 0; r < x.rows(); ++r) {
      const std::size_t first = r / entries * width;
      const T d = by * dy[r];
      for (std::size_t c = 0; c < width; ++c) {
        if (dx != nullptr) dx[r * width + c] += d * (v.data[first + c] - u.data[first + c]);
        if (du != nullptr) du[first + c] -= d * x.row(r)[c];
        if (dv != nullptr) dv[first + c] += d * x.row(r)[c];
      }
    }
  });
  return y;
}

namespace {

// to = from times b of form `form`, packed in scratch memory.
template <class T>
void multiply_into(Tape<T>& tape, View<const T> from, Form from_form, View<const T> b, Form form, View<T> to,
                   bool add) {
  const engine::ScratchScope scratch(tape.scratch());
  const std::size_t k = form == Form::kPlain ? b.rows : b.columns, n = form == Form::kPlain ? b.columns : b.rows;
  T* packed = tape.scratch().template take<T>(engine::packed_size<T>(k, n));
  engine::pack<T>(b, form, packed);
  engine::gemm_packed<T>(from, from_form, packed, to, {.add = add});
}

}  // namespace

template <class T>
Tensor<T> project_heads(Tape<T>& tape, Tensor<T> x, Tensor<T> weight, std::size_t heads) {
  const auto timing = tape.time("project_heads");
  const std::size_t rows = x.rows(), in = x.width() / heads, out = weight.width();
  const Tensor<T> y = tape.make(x.shape.with_width(heads * out));
  const auto columns = [rows](T* data, std::size_t stride, std::size_t head, std::size_t width) {
    return View<T>{data + head * width, rows, width, stride};
  };
  for (std::size_t h = 0; h < heads; ++h) {
    const View<T> w{weight.row(h * in), in, out, out};
    multiply_into<T>(tape, columns(x.data, x.stride, h, in), Form::kPlain, w, Form::kPlain,
                     columns(y.data, y.stride, h, out), false);
  }
  tape.record("project_heads", y, [&tape, x, weight, y, heads, in, out, columns] {
    T* dy = tape.gradient_of(y);
    if (tape.wants(weight)) {
      T* dw = tape.gradient_to_add(weight);
      for (std::size_t h = 0; h < heads; ++h) {
        multiply_into<T>(tape, columns(x.data, x.stride, h, in), Form::kTransposed, columns(dy, y.width(), h, out),
                         Form::kPlain, {dw + h * in * out, in, out, out}, true);
      }
    }
    if (!tape.wants(x)) return;
    const engine::Gradient<T> to = tape.gradient(x);
    for (std::size_t h = 0; h < heads; ++h) {
      const View<T> w{weight.row(h * in), in, out, out};
      multiply_into<T>(tape, columns(dy, y.width(), h, out), Form::kPlain, w, Form::kTransposed,
                       columns(to.data, to.stride, h, in), to.add);
    }
  });
  return y;
}

template Tensor<float> heads_first(Tape<float>&, Tensor<float>, std::size_t, bool);
template Tensor<double> heads_first(Tape<double>&, Tensor<double>, std::size_t, bool);
template Tensor<float> products_with(Tape<float>&, Tensor<float>, Tensor<float>, Tensor<float>, double);
template Tensor<double> products_with(Tape<double>&, Tensor<double>, Tensor<double>, Tensor<double>, double);
template Tensor<float> project_heads(Tape<float>&, Tensor<float>, Tensor<float>, std::size_t);
template Tensor<double> project_heads(Tape<double>&, Tensor<double>, Tensor<double>, std::size_t);

}  // namespace faithful
