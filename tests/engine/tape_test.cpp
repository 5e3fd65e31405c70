#include "faithful/engine/tape.h"

#include <cmath>
#include <cstdint>
#include <set>

#include <gtest/gtest.h>

#include "faithful/base/error.h"
#include "faithful/engine/operators.h"

namespace faithful::engine {
namespace {

TEST(Arena, HandsOutAlignedPiecesThatDoNotOverlap) {
  Arena arena;
  std::vector<std::pair<char*, std::size_t>> pieces;
  for (const std::size_t size : {1, 63, 64, 65, 1000, 3 << 20, 5}) {
    char* piece = arena.take<char>(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece) % 64, 0U);
    std::fill_n(piece, size, static_cast<char>(pieces.size()));
    pieces.emplace_back(piece, size);
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_EQ(pieces[i].first[0], static_cast<char>(i));
    EXPECT_EQ(pieces[i].first[pieces[i].second - 1], static_cast<char>(i));
  }
}

TEST(Arena, ReusesItsMemoryAfterReset) {
  Arena arena;
  for (int i = 0; i < 10; ++i) arena.take<char>(1 << 20);  // several blocks
  arena.reset();
  const char* first = arena.take<char>(1 << 20);
  for (int i = 1; i < 10; ++i) arena.take<char>(1 << 20);
  arena.reset();
  EXPECT_EQ(arena.take<char>(1 << 20), first);  // all in one block now, and it stays
  EXPECT_GE(arena.peak_bytes(), std::size_t{10} << 20);
}

TEST(Arena, ScopesGiveBack) {
  Arena arena;
  arena.take<char>(100);
  char* inside = nullptr;
  {
    const ScratchScope scope(arena);
    inside = arena.take<char>(100);
    arena.take<char>(8 << 20);  // a second block
    const ScratchScope nested(arena);
    arena.take<char>(8 << 20);
  }
  arena.reset();
  arena.take<char>(100);
  char* again = nullptr;
  {
    const ScratchScope scope(arena);
    again = arena.take<char>(100);
  }
  EXPECT_EQ(arena.take<char>(100), again);
  EXPECT_NE(inside, nullptr);
}

TEST(Parameters, SameNameAndShapeStartEqualInEveryModel) {
  Parameters<float> small, large;
  const Parameter a = small.declare("encoder.0.wq", {4, 3}, xavier_uniform());
  large.declare("other", {5}, normal(1));
  const Parameter b = large.declare("encoder.0.wq", {4, 3}, xavier_uniform());
  const Parameter c = large.declare("encoder.1.wq", {4, 3}, xavier_uniform());
  for (Parameters<float>* each : {&small, &large}) {
    each->allocate();
    each->initialize(7);
  }
  const auto numbers = [](auto span) { return std::vector<float>(span.begin(), span.end()); };
  EXPECT_EQ(numbers(small.values_of(a)), numbers(large.values_of(b)));
  EXPECT_NE(numbers(large.values_of(b)), numbers(large.values_of(c)));
  const std::vector<float> before = numbers(small.values_of(a));
  small.initialize(8);
  EXPECT_NE(numbers(small.values_of(a)), before);
  EXPECT_EQ(large.count(), 29U);
  EXPECT_EQ(large.find("encoder.1.wq"), &large.entries()[2]);
  EXPECT_EQ(large.find("nobody"), nullptr);
  Parameters<float> fresh;
  fresh.declare("twice", {1}, zeros());
  EXPECT_THROW(fresh.declare("twice", {1}, zeros()), Error);
}

TEST(Parameters, InitializersHaveTheirSpread) {
  Parameters<double> p;
  const Parameter xavier = p.declare("x", {300, 100}, xavier_uniform());
  const Parameter kaiming = p.declare("k", {300, 100}, kaiming_uniform(std::sqrt(2.0)));
  const Parameter gauss = p.declare("n", {300, 100}, normal(0.02));
  const Parameter one = p.declare("o", {3}, ones());
  p.allocate();
  p.initialize(1);
  const auto spread = [&](Parameter which) {
    double square = 0, most = 0;
    for (const double v : p.values_of(which)) {
      square += v * v;
      most = std::max(most, std::fabs(v));
    }
    return std::pair(std::sqrt(square / 30000), most);
  };
  const double bound = std::sqrt(6.0 / 400), he = std::sqrt(6.0 / 100);
  EXPECT_NEAR(spread(xavier).first, bound / std::sqrt(3.0), 0.01 * bound);
  EXPECT_NEAR(spread(xavier).second, bound, 0.001 * bound);
  EXPECT_NEAR(spread(kaiming).first, he / std::sqrt(3.0), 0.01 * he);
  EXPECT_LE(spread(kaiming).second, he);
  EXPECT_NEAR(spread(gauss).first, 0.02, 0.0002);
  for (const double v : p.values_of(one)) EXPECT_EQ(v, 1);
}

// Packed weights and weights packed on the way are the same product; a changed buffer makes the packed form stale.
TEST(Parameters, PackedWeightsChangeNoBit) {
  Parameters<float> p;
  const Parameter w = p.declare("w", {5, 19}, normal(1)), groups = p.declare("g", {2, 3, 7}, normal(1));
  p.allocate();
  p.initialize(3);
  const std::vector<float> x(4 * 19, 0.5F);
  const auto run = [&] {
    Tape<float> tape;
    tape.begin(p, {});
    const Tensor<float> y = linear(tape, tape.input(x.data(), {4, 19}), tape[w]);
    const Tensor<float> z = linear(tape, tape.input(x.data(), {2, 2, 1, 7}), tape[groups]);
    std::vector<float> all(y.data, y.data + 20);
    all.insert(all.end(), z.data, z.data + 12);
    return all;
  };
  const std::vector<float> plain = run();
  EXPECT_EQ(p.packed(w.index, Form::kPlain, 0), nullptr);
  ThreadPool pool(2);
  p.pack(pool);
  EXPECT_NE(p.packed(w.index, Form::kPlain, 0), nullptr);
  EXPECT_EQ(run(), plain);
  p.mutable_values_of(w)[0] += 1;
  EXPECT_EQ(p.packed(w.index, Form::kPlain, 0), nullptr);
  EXPECT_NE(run(), plain);
}

// A matrix whose input seldom wants a gradient has no packed form for it; that gradient is the same.
TEST(Parameters, WhatSeldomPassesBackIsPackedWhereItIsUsed) {
  std::vector<float> found[2];
  for (const bool passes_back : {false, true}) {
    Parameters<float> p;
    const Parameter w =
        p.declare({.name = "w", .shape = {5, 21}, .initializer = normal(1), .passes_back = passes_back});
    p.allocate();
    p.initialize(3);
    ThreadPool pool(1);
    p.pack(pool);
    EXPECT_EQ(p.packed(w.index, Form::kPlain, 0) != nullptr, passes_back);
    EXPECT_NE(p.packed(w.index, Form::kTransposed, 0), nullptr);
    std::vector<float> x(2 * 9 * 3, 0.5F), dx(x.size());
    Tape<float> tape;
    tape.begin(p, {.record = true});
    const Tensor<float> from = tape.variable(x.data(), {2, 1, 9, 3}, dx.data());
    const Tensor<float> as_group = tape.reshape(tape[w], {1, 5, 21});
    tape.backward(sum(tape, convolution(tape, from, as_group, {}, {.kernel = 7, .padding = 3})));
    found[passes_back ? 1 : 0] = dx;
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_NE(found[0][0], 0);
}

TEST(Tape, RecordingOffGivesTheSameNumbers) {
  Parameters<float> p;
  const Parameter w = p.declare("w", {5, 3}, normal(1)), unused = p.declare("unused", {2}, normal(1));
  p.allocate();
  p.initialize(3);
  const float x[] = {1, 2, 3, 4, 5, 6};
  std::vector<float> gradients(p.size(), 9);
  Tape<float> tape;
  const auto run = [&](bool record) {
    tape.begin(p, {.record = record, .gradients = record ? std::span(gradients) : std::span<float>()});
    return sum(tape, linear(tape, tape.input(x, {2, 3}), tape[w], {}, Activation::kGelu));
  };
  const float off = *run(false).data;
  const Tensor<float> loss = run(true);
  EXPECT_EQ(*loss.data, off);
  tape.backward(loss);
  const auto& entry = p.entries()[unused.index];
  EXPECT_EQ(gradients[entry.offset], 0);  // a parameter that took no part has gradient zero
  EXPECT_NE(gradients[0], 9);
}

TEST(Tape, ProfileCountsOperators) {
  Parameters<float> p;
  const Parameter w = p.declare("w", {5, 3}, normal(1));
  p.allocate();
  const float x[] = {1, 2, 3};
  std::vector<float> gradients(p.size());
  Profile profile;
  Tape<float> tape;
  tape.begin(p, {.record = true, .gradients = gradients, .profile = &profile});
  tape.backward(sum(tape, linear(tape, tape.input(x, {1, 3}), tape[w])));
  std::set<std::string> names;
  for (const Profile::Entry& entry : profile.entries()) {
    names.insert(entry.name);
    EXPECT_GT(entry.forward, 0);
    EXPECT_GT(entry.backward, 0);
  }
  EXPECT_EQ(names, (std::set<std::string>{"linear", "sum"}));
}

}  // namespace
}  // namespace faithful::engine
