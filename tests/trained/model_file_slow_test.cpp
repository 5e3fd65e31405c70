#include <gtest/gtest.h>

#include "tests/trained/bit_flips.h"

namespace faithful::testing {

TEST(ModelFileSlow, SingleBitFlips) {
  expect_flips_are_noticed(10'000);
}

}  // namespace faithful::testing
