#include "faithful/encoding/catalog.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/support.h"

namespace faithful {
namespace {

using testing::rejection;

TEST(Catalog, UnderstandsFormerNames) {
  EXPECT_EQ(catalog_entry("haar").name, "rotation");
  EXPECT_EQ(current_name("haar"), "rotation");
  EXPECT_EQ(current_name("rotation"), "rotation");
  EXPECT_EQ(current_name("dft"), "dft");
  EXPECT_EQ(current_name(""), "");
  EXPECT_EQ(key_name("rotation"), "haar");
  EXPECT_EQ(key_name("haar"), "haar");
  EXPECT_EQ(key_name("dft"), "dft");
  EXPECT_EQ(make_encoding("haar", {.length = 2, .dim = 2}).name, "rotation");
}

TEST(Catalog, KnowsEveryEncodingOnce) {
  const std::set<std::string> expected{"none",   "sinusoidal", "dft",       "learned", "learned-frequency",
                                       "mtan",   "time2vec",   "tape",      "rope",    "shaw",
                                       "t5",     "tupe",       "alibi",     "kerple",  "erpe",
                                       "onehot", "rotation",   "tape+erpe", "t-pe",    "cpe",
                                       "spe",    "dywpe"};
  std::set<std::string> names;
  for (const CatalogEntry& entry : encoding_catalog()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.description.empty() || entry.enters.empty()) << entry.name;
    EXPECT_LE(entry.description.size(), 70u) << entry.name << ": one line of a table";
    EXPECT_EQ(entry.learned(), !entry.start.empty()) << entry.name;
  }
  EXPECT_TRUE(std::ranges::includes(names, expected));
}

TEST(Catalog, MakersGiveTheShapeOfTheirKind) {
  for (const CatalogEntry& entry : encoding_catalog()) {
    if (!entry.has_table() && entry.kind != EncodingKind::kNone) continue;
    for (const std::size_t length : {1, 2, 7}) {
      const Encoding encoding = make_encoding(entry.name, {.length = length, .dim = 16});
      std::size_t values = encoding.shape.empty() ? 0 : 1;
      for (const std::size_t size : encoding.shape) values *= size;
      EXPECT_EQ(encoding.values.size(), values) << entry.name;
      EXPECT_EQ(encoding.name, entry.name);
      EXPECT_EQ(encoding.kind, entry.kind);
    }
  }
}

TEST(Catalog, RowsDependOnTheLengthWhereItSaysSo) {
  for (const CatalogEntry& entry : encoding_catalog()) {
    if (entry.kind != EncodingKind::kAdditive && entry.kind != EncodingKind::kConcatenated) continue;
    if (entry.name == "rotation") continue;  // only where S > d
    const std::vector<double> shorter = make_encoding(entry.name, {.length = 5, .dim = 16}).values;
    const std::vector<double> longer = make_encoding(entry.name, {.length = 9, .dim = 16}).values;
    EXPECT_EQ(!std::equal(shorter.begin(), shorter.end(), longer.begin()), entry.rows_depend_on_length) << entry.name;
  }
}

TEST(Catalog, StartParametersAreWhatMakersStartFrom) {
  for (const CatalogEntry& entry : encoding_catalog()) {
    EncodingOptions options{.length = 6, .dim = 16};
    if (!entry.has_table() && entry.kind != EncodingKind::kNone) {
      EXPECT_FALSE(start_parameters(entry.name, options).empty()) << entry.name;
      continue;
    }
    const Encoding plain = make_encoding(entry.name, options);
    const std::vector<double> start = start_parameters(entry.name, options);
    EXPECT_EQ(start.empty(), !entry.learned()) << entry.name;
    options.parameters = start;
    EXPECT_EQ(make_encoding(entry.name, options).values, plain.values) << entry.name;
  }
}

TEST(Catalog, EncodingsOfTheSignalHaveNoTable) {
  for (const CatalogEntry& entry : encoding_catalog()) {
    const bool without = entry.kind == EncodingKind::kFromSignal || entry.kind == EncodingKind::kStochastic;
    EXPECT_EQ(entry.has_table(), entry.kind != EncodingKind::kNone && !without) << entry.name;
    if (entry.kind != EncodingKind::kFromSignal) continue;
    EXPECT_EQ(rejection([&] { make_encoding(entry.name, {.length = 4, .dim = 8}); }),
              entry.name + " has no table: a model computes its codes from the steps of each window");
    check_encoding(entry.name, {.length = 4, .dim = 8});
  }
  EXPECT_EQ(rejection([] {
              check_encoding("cpe", {.length = 4, .dim = 8, .own = {{"cpe_kernel", 4}}});
            }),
            "cpe_kernel: expected an odd number, found 4");
  EXPECT_EQ(rejection([] { make_encoding("spe", {.length = 4, .dim = 8}); }),
            "spe has no table: a model multiplies queries and keys by random numbers");
  EXPECT_EQ(rejection([] { check_encoding("spe", {.length = 4, .dim = 12}); }),
            "heads: expected a divisor of dim 12, found 8");
}

TEST(Catalog, RejectsUnknownNames) {
  EXPECT_EQ(rejection([] { make_encoding("sinusoid", {}); }),
            "encoding: expected the name of an encoding, found \"sinusoid\" (did you mean sinusoidal?)");
  EXPECT_NE(rejection([] { catalog_entry(""); }).find("known: sinusoidal, dft"), std::string::npos);
}

TEST(Catalog, RejectsSizesThatMakeNoTable) {
  const auto made = [](const char* name, EncodingOptions options) {
    return rejection([&] { make_encoding(name, options); });
  };
  EXPECT_EQ(made("dft", {.length = 8, .dim = 0}), "dim: expected at least 1, found none");
  EXPECT_EQ(made("sinusoidal", {.length = 0, .dim = 8}), "length: expected at least 1, found none");
  EXPECT_EQ(made("mtan", {.length = 4, .own = {{"time_dim", 0}}}),
            "time_dim: expected a whole number of at least 1, found 0");
  EXPECT_EQ(made("alibi", {.length = 4, .heads = 0}), "heads: expected at least 1, found none");
  EXPECT_EQ(made("rope", {.length = 4, .dim = 12}), "heads: expected a divisor of dim 12, found 8");
  EXPECT_EQ(made("shaw", {.length = 4, .dim = 12, .heads = 0}), "heads: expected a divisor of dim 12, found 0");
  EXPECT_EQ(made("tupe", {.length = 4, .dim = 12}), "heads: expected a divisor of dim 12, found 8");
  EXPECT_EQ(made("tupe", {.length = 4, .dim = 0}), "dim: expected at least 1, found none");
  EXPECT_EQ(made("rope", {.length = 4, .dim = 24}),
            "dim: expected an even head width for rope (dim / heads 8), found 3");
  EXPECT_EQ(made("sinusoidal", {.length = 4, .dim = 4, .own = {{"rho", 0}}}),
            "rho: expected a number above 0, found 0");
}

TEST(Catalog, BoundsTablesBeforeTakingMemory) {
  const auto made = [](const char* name, EncodingOptions options) {
    return rejection([&] { make_encoding(name, options); });
  };
  const std::size_t huge = std::size_t{1} << 40;
  EXPECT_EQ(made("sinusoidal", {.length = huge, .dim = huge}),
            "length: expected a table of at most 2^31 values, found 1099511627776 x 1099511627776");
  EXPECT_EQ(made("alibi", {.length = 65536}),
            "length: expected a table of at most 2^31 values, found 8 x 65536 x 65536");
  EXPECT_EQ(made("tupe", {.length = 2, .dim = 65536}),
            "dim: expected a table of at most 2^31 values, found 2 x 65536 x 65536");
  EXPECT_EQ(made("shaw", {.dim = 8, .own = {{"clip", huge}}}),
            "clip: expected a whole number from 0 to 2147483648, found 1099511627776");
  EXPECT_EQ(made("dft", {.length = 4, .dim = 4, .own = {{"period", huge}}}),
            "period: expected a table of at most 2^31 values, found 2 x 1099511627776");
}

TEST(Catalog, StartValuesOfABiasNeedNoTable) {
  const EncodingOptions options{.length = 65536, .dim = 16, .heads = 8};
  EXPECT_EQ(start_parameters("t5", options).size(), 32U * 8U);
  EXPECT_EQ(start_parameters("erpe", options).size(), (2U * 65536U - 1U) * 8U);
  EXPECT_EQ(rejection([] { start_parameters("erpe", {.length = std::size_t{1} << 40, .heads = 8}); }),
            "length: expected a table of at most 2^31 values, found 8 x 2 x 1099511627776");
}

TEST(Catalog, RejectsOptionsThatWouldDoNothing) {
  EXPECT_EQ(rejection([] {
              make_encoding("tape", {.length = 4, .dim = 4, .own = {{"period", 8}}});
            }),
            "period applies only to dft, spectral, spectral-learned, not to tape");
  EXPECT_EQ(rejection([] { make_encoding("alibi", {.length = 4, .scale = parse_scale("unit")}); }),
            "scale applies only to additive encodings, not to alibi");
  EXPECT_EQ(rejection([] { make_encoding("learned", {.length = 1, .dim = 4, .positions = {0.5}}); }),
            "positions does not apply to learned: it has whole positions only");
  EXPECT_EQ(rejection([] { make_encoding("sinusoidal", {.length = 3, .dim = 4, .positions = {0.5}}); }),
            "positions: expected 3 positions (length), found 1");
  EXPECT_EQ(rejection([] {
              make_encoding("sinusoidal", {.length = 2, .dim = 4, .positions = {0.5, NAN}});
            }),
            "positions:2: expected a finite number, found nan");
}

}  // namespace
}  // namespace faithful
