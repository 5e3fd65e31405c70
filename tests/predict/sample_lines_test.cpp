#include "faithful/predict/sample_lines.h"

#include <gtest/gtest.h>

#include "tests/support.h"

namespace faithful {
namespace {

using testing::rejection;

std::vector<float> values_of(const SampleLines& samples) {
  return {samples.values().begin(), samples.values().end()};
}

TEST(SampleLines, AfterABadFirstLineTheNextOneIsTheFirst) {
  SampleLines samples({"a", "b"}, {}, "stream");
  EXPECT_EQ(rejection([&] { samples.take("c;d"); }).find("stream:1"), 0U);
  EXPECT_FALSE(samples.begun());
  EXPECT_FALSE(samples.take("b,a"));  // a header, with another separator
  EXPECT_TRUE(samples.begun());
  EXPECT_TRUE(samples.take("1,2"));
  EXPECT_EQ(values_of(samples), (std::vector<float>{2, 1}));
}

TEST(SampleLines, ABadLineLeavesTheNextOneAsItIs) {
  SampleLines samples({"a", "b"}, {}, "stream");
  EXPECT_TRUE(samples.take("1,2"));
  EXPECT_EQ(rejection([&] { samples.take("1"); }), "stream:2: expected 2 fields, found 1");
  EXPECT_EQ(rejection([&] { samples.take("1,\"2"); }).find("stream:3:2"), 0U);
  EXPECT_TRUE(samples.take("3,4\r"));
  EXPECT_EQ(values_of(samples), (std::vector<float>{3, 4}));
}

// As in a file: one carriage return belongs to the line end, another one is a character.
TEST(SampleLines, CarriageReturns) {
  SampleLines samples({"a"}, {.header = Header::kNo}, "stream");
  EXPECT_TRUE(samples.take("1"));
  EXPECT_FALSE(samples.take("\r"));
  EXPECT_EQ(rejection([&] { samples.take("\r\r"); }).find("stream:3:1"), 0U);
}

TEST(SampleLines, NoneIsNoColumnOfTimes) {
  SampleLines samples({"a"}, {.time = "none"}, "stream");
  EXPECT_FALSE(samples.has_times());
  EXPECT_TRUE(samples.take("1"));
}

}  // namespace
}  // namespace faithful
