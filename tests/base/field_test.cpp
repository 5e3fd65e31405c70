#include "faithful/base/field.h"

#include <gtest/gtest.h>

#include "tests/allocations.h"
#include "tests/support.h"

namespace faithful {

namespace {

using testing::rejection;

enum class Side : std::uint8_t { kLeft, kRight };

struct Options {
  std::size_t count = 3;
  double share = 0.5;
  bool loud = false;
  Side side = Side::kLeft;
  std::string title = "none";
};

std::vector<Setting> settings(Options& options) {
  return {{{"count", "N", "how many", {.least = 1, .most = 9}}, &options.count},
          {{"share", "X", "how much", {.least = 0, .below = 1, .key = "portion"}}, &options.share},
          {{"loud", "", "says more"}, &options.loud},
          {{"side", "SIDE", "where", {.choices = {"left", "right"}}}, choice_of(options.side)},
          {{"title", "TEXT", "above it"}, &options.title}};
}

TEST(FieldValue, CopiesMayRunOutOfMemory) {
  const FieldValue value = std::string("a text that does not fit into the object");
  FieldValue target = true;
  EXPECT_EQ(testing::fail_each_allocation(1, [&] { target = FieldValue(value); }), 1U);
  EXPECT_EQ(target, value);
}

TEST(Field, IsSetByTextAndByValue) {
  Options options;
  const std::vector<Setting> all = settings(options);
  const char* texts[] = {"7", "0.25", "true", "right", "a b"};
  for (std::size_t i = 0; i < all.size(); ++i) {
    set_text(all[i], texts[i]);
    EXPECT_EQ(to_text(value_of(all[i])), texts[i]);
    set_value(all[i], value_of(all[i]));
    EXPECT_EQ(to_text(value_of(all[i])), texts[i]);
  }
  EXPECT_EQ(options.count, 7U);
  EXPECT_EQ(options.share, 0.25);
  EXPECT_TRUE(options.loud);
  EXPECT_EQ(options.side, Side::kRight);
  EXPECT_EQ(options.title, "a b");
}

TEST(Field, BadValuesAreRejectedByName) {
  Options options;
  const std::vector<Setting> all = settings(options);
  const auto said = [&](std::size_t i, const char* text) { return rejection([&] { set_text(all[i], text); }); };
  EXPECT_EQ(said(0, "0"), "count: expected a whole number from 1 to 9, found \"0\"");
  EXPECT_EQ(said(0, "two"), "count: expected a whole number from 1 to 9, found \"two\"");
  EXPECT_EQ(said(1, "1"), "share: expected a number from 0 to below 1, found \"1\"");
  EXPECT_EQ(said(1, "nan"), "share: expected a number from 0 to below 1, found \"nan\"");
  EXPECT_EQ(said(2, "maybe"), "loud: expected true or false, found \"maybe\"");
  EXPECT_EQ(said(3, "up"), "side: expected one of left, right, found \"up\"");
  EXPECT_EQ(rejection([&] { set_value(all[0], std::string("x")); }),
            "count: expected a whole number from 1 to 9, found \"x\"");
  EXPECT_EQ(rejection([&] { set_value(all[1], 2.0, "m.json: config"); }),
            "m.json: config.portion: expected a number from 0 to below 1, found 2");
  EXPECT_EQ(options.count, 3U);  // nothing was set
}

}  // namespace

}  // namespace faithful
