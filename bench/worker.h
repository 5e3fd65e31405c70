#pragma once

// What the workers of bench/engine_peers.py share: they answer each line of standard input with a line of JSON.

#include <cstdio>
#include <fstream>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/clock.h"
#include "faithful/engine/parameters.h"
#include "faithful/engine/profile.h"

namespace faithful::bench {

inline constexpr double kTurn = 0.25;  // seconds of work per request

// Seconds per call, over about a turn.
template <class Work>
double timed(const Work& work) {
  work();
  std::size_t count = 0;
  double spent = 0;
  while (spent < kTurn) {
    spent += seconds(work);
    ++count;
  }
  return spent / static_cast<double>(count);
}

// {"operators": [[name, forward %, backward %], ...]} of step(profile), called some times.
template <class Step>
std::string profile_of(const Step& step) {
  for (int i = 0; i < 3; ++i) step(nullptr);
  engine::Profile profile;
  const double whole = cpu_seconds([&] {
    for (int i = 0; i < 30; ++i) step(&profile);
  });
  std::vector<std::string> rows;
  double rest = 100;
  const auto add_row = [&](const char* name, double forward, double backward) {
    rows.push_back(fmt::format(R"(["{}", {:.2f}, {:.2f}])", name, forward, backward));
    rest -= forward + backward;
  };
  for (const engine::Profile::Entry& entry : profile.entries()) {
    add_row(entry.name, 100 * entry.forward / whole, 100 * entry.backward / whole);
  }
  add_row("norm, update, packing, ..", 0, rest);
  return fmt::format(R"({{"operators": [{}]}})", fmt::join(rows, ", "));
}

// A file of raw float32, and the names and sizes of its tensors for the answer: what a peer must compute the same with.
class TensorFile {
 public:
  explicit TensorFile(const std::string& path) : file_(path, std::ios::binary) {}

  void write(const std::string& name, std::span<const float> numbers, const std::vector<std::size_t>& sizes) {
    file_.write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(numbers.size_bytes()));
    rows_.push_back(fmt::format(R"(["{}", [{}]])", name, fmt::join(sizes, ", ")));
  }
  void write(const engine::Parameters<float>& parameters) {
    for (const engine::ParameterEntry& entry : parameters.entries()) {
      std::vector<std::size_t> sizes;
      for (std::size_t i = 0; i < entry.shape.rank(); ++i) sizes.push_back(entry.shape[i]);
      write(entry.name, parameters.values().subspan(entry.offset, entry.shape.count()), sizes);
    }
  }
  std::string answer() const { return fmt::format(R"({{"tensors": [{}]}})", fmt::join(rows_, ", ")); }

 private:
  std::ofstream file_;
  std::vector<std::string> rows_;
};

// Says its name, and then answers until standard input ends.
template <class Answer>
void serve(const std::string& name, const Answer& answer) {
  fmt::print("{{\"name\": \"{}\"}}\n", name);
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    fmt::print("{}\n", answer(line));
    std::fflush(stdout);
  }
}

}  // namespace faithful::bench
