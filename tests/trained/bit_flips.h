#pragma once

#include <string>

#include <gtest/gtest.h>

#include "faithful/base/error.h"
#include "tests/trained/small_models.h"

namespace faithful::testing {

// Whatever bit is flipped: a complaint in one line, or a model that saves to the same bytes.
inline void expect_flips_are_noticed(int count) {
  const std::string bytes = model_bytes(small_model(small_config()));
  Random random(11);
  int working = 0;
  for (int i = 0; i < count; ++i) {
    std::string damaged = bytes;
    const std::uint64_t bit = random.below(8 * bytes.size());
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    try {
      EXPECT_EQ(model_bytes(parse_model(damaged, "m")), bytes);
      ++working;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
  EXPECT_LE(working, count / 100);  // such as the case of a digit in an escaped character
}

}  // namespace faithful::testing
