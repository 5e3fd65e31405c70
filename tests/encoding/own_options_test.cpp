#include "faithful/encoding/own_options.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "faithful/encoding/catalog.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::rejection;

TEST(OwnOptions, AreEachDeclaredOnce) {
  std::set<std::string> names;
  for (const OwnOption& option : own_options()) EXPECT_TRUE(names.insert(option.field.name).second);
  for (const CatalogEntry& entry : encoding_catalog()) {
    for (const OwnOption& option : entry.options) {  // those of several encodings mean the same
      const auto all =
          std::ranges::find(own_options(), option.field.name, [](const OwnOption& each) { return each.field.name; });
      ASSERT_NE(all, own_options().end());
      EXPECT_EQ(all->standard, option.standard) << option.field.name;
      EXPECT_EQ(all->field.help, option.field.help);
      EXPECT_NE(all->field.applies_to.find(entry.name), std::string::npos);
      EXPECT_NO_THROW(check_value(all->field, all->standard));
    }
  }
}

// The order of files and keys, which must not change; others come after these.
TEST(OwnOptions, BeginAsFilesDo) {
  std::vector<std::string> names;
  for (const OwnOption& option : own_options()) names.push_back(option.field.name);
  names.resize(8);
  EXPECT_EQ(names, (std::vector<std::string>{"period", "rho", "clip", "time_dim", "mtan", "tupe_relative", "pairing",
                                             "layout"}));
  EXPECT_TRUE(is_always_recorded("pairing"));
  EXPECT_FALSE(is_always_recorded("layout"));
}

TEST(OwnOptions, HaveAValueOfTheirKind) {
  OwnOptions own{{"rho", 100}, {"layout", "halves"}, {"tupe_relative", true}};
  EXPECT_EQ(own.real("rho"), 100);
  EXPECT_EQ(own.text("layout"), "halves");
  EXPECT_TRUE(own.flag("tupe_relative"));
  EXPECT_EQ(own.whole("clip"), 16U);
  EXPECT_FALSE(own == OwnOptions());
  own.set("clip", 3);
  EXPECT_EQ(own.whole("clip"), 3U);
  EXPECT_EQ(rejection([&] { own.set("clip", "many"); }),
            "clip: expected a whole number from 0 to 2147483648, found many");
  EXPECT_EQ(rejection([&] { own.set("clip", -1); }), "clip: expected a whole number from 0 to 2147483648, found -1");
  EXPECT_EQ(rejection([&] { own.set("perod", 1); }),
            "encoding: expected the name of an option, found \"perod\" (did you mean period?)");
}

}  // namespace
}  // namespace faithful
