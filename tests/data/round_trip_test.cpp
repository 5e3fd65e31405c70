#include <bit>
#include <filesystem>

#include <rapidcheck.h>

#include "faithful/base/random.h"
#include "faithful/data/read.h"
#include "faithful/data/write.h"
#include "faithful/io/file.h"
#include "tests/data/data_support.h"

namespace faithful {
namespace {

using testing::rejection;
using testing::TemporaryFolder;

float any_float(Random& random, bool may_miss) {
  if (may_miss && random.below(20) == 0) return testing::kNan;
  while (true) {  // any bits that are a finite number: very small and very large ones, too
    const auto value = std::bit_cast<float>(random.bits32());
    if (std::isfinite(value)) return value;
  }
}

std::string any_name(Random& random, std::size_t number) {
  const std::vector<std::string> odd = {"", " x", "a,b", "\"q\"", "two words", "line\nend", "\xC3\xA4", ";", "#1", "'"};
  return odd[random.below(odd.size())] + std::to_string(number);
}

struct Shape {
  bool points = false, classes = false, times = false, parts = false, spans = false, names = false, missing = false,
       equal = false;
};

Dataset any_dataset(Random& random, const Shape& shape) {
  Dataset data{.name = "set"};
  const std::size_t channels = 1 + random.below(4), count = 1 + random.below(5);
  data.channels = numbered_channels(channels);
  if (shape.names)
    for (std::size_t c = 0; c < channels; ++c) data.channels[c] = any_name(random, c);
  if (shape.points) data.classes = {"normal", "anomalous"};
  if (shape.classes)
    data.classes =
        random.below(2) == 0 ? std::vector<std::string>{"9", "10"} : std::vector<std::string>{"normal", "anomalous"};
  const std::size_t usual = 1 + random.below(9);
  for (std::size_t n = 0; n < count; ++n) {
    Series series{.name = shape.names ? any_name(random, n) : std::to_string(n + 1)};
    const std::size_t length = shape.equal ? usual : 1 + random.below(9);
    series.values = Matrix<float>(length, channels);
    for (float& value : series.values.values) value = any_float(random, shape.missing);
    if (shape.points)
      for (std::size_t t = 0; t < length; ++t) series.labels.push_back(static_cast<std::uint8_t>(random.below(2)));
    // Both classes are there, in train too, and each is named.
    if (shape.classes) series.label = static_cast<std::int32_t>(n < 2 ? n : random.below(2));
    if (shape.parts) series.part = n < 2 || random.below(2) == 0 ? DataPart::kTrain : DataPart::kTest;
    auto time = static_cast<std::int64_t>(random.bits64() >> 2);
    if (shape.times)
      for (std::size_t t = 0; t < length; ++t)
        series.times.push_back(time += static_cast<std::int64_t>(random.below(5'000'000'000)));
    if (shape.spans && random.below(2) == 0) series.spans = {{{0, length}, {random.below(channels)}, "worn"}};
    data.series.push_back(std::move(series));
  }
  if (shape.classes && count == 1) data.classes.resize(1);
  return data;
}

void expect_back(const Dataset& data, const std::string& path, const ReadOptions& options) {
  save_dataset(data, path);
  const std::string bytes = read_file(path, 1 << 20);
  Dataset back = load_dataset(path, options);
  back.name = data.name;  // .csv and .h5 have that of the file
  RC_ASSERT(back == data);
  save_dataset(back, path);
  RC_ASSERT(read_file(path, 1 << 20) == bytes);
}

TEST(RoundTrip, Npz) {
  const TemporaryFolder folder;
  EXPECT_TRUE(rc::check([&](std::uint64_t seed) {
    Random random(seed);
    const auto flip = [&] { return random.below(2) == 0; };
    Dataset data = any_dataset(random, {flip(), flip(), flip(), flip(), flip(), true, true, flip()});
    data.rate = random.uniform();
    if (flip()) data.series[0].labels.clear();
    if (flip()) data.series[0].times.clear();
    expect_back(data, folder / "x.npz", {.missing = Missing::kKeep});
  }));
}

TEST(RoundTrip, Csv) {
  const TemporaryFolder folder;
  EXPECT_TRUE(rc::check([&](std::uint64_t seed) {
    Random random(seed);
    const auto flip = [&] { return random.below(2) == 0; };
    const bool points = flip();
    const Shape shape{points, !points && flip(), flip(), flip(), false, true, true, flip()};
    const Dataset data = any_dataset(random, shape);
    ReadOptions options{.missing = Missing::kKeep, .series = "series", .header = Header::kYes};
    if (points || shape.classes) options.label = "label";
    if (shape.classes) options.label_of = LabelOf::kSeries;
    if (shape.times) options.time = "time";
    if (shape.parts) options.part_column = "part";
    expect_back(data, folder / (flip() ? "x.csv" : "x.csv.gz"), options);
  }));
}

TEST(RoundTrip, Ts) {
  const TemporaryFolder folder;
  EXPECT_TRUE(rc::check([&](std::uint64_t seed) {
    Random random(seed);
    const auto flip = [&] { return random.below(2) == 0; };
    const Dataset data = any_dataset(random, {.classes = flip(), .times = flip(), .missing = true, .equal = flip()});
    expect_back(data, folder / "x.ts", {.missing = Missing::kKeep});
  }));
}

TEST(RoundTrip, NotKept) {
  const TemporaryFolder folder;
  Random random(1);
  const Dataset data = any_dataset(random, {.classes = true, .parts = true, .spans = true, .names = true});
  EXPECT_EQ(
      save_dataset(part_of(data, DataPart::kTrain), folder / "x.ts"),
      (std::vector<std::string>{"not kept in .ts: names of channels, names of series, the part, labelled spans"}));
  Dataset points = any_dataset(random, {.points = true});
  EXPECT_EQ(
      rejection([&] { save_dataset(points, folder / "x.ts"); }),
      (folder / "x.ts") + ": expected one label a series, as .ts has, found point labels (.npz and .csv hold them)");
  points.series.push_back({.name = "bare", .values = points.series[0].values});
  EXPECT_NE(
      rejection([&] { save_dataset(points, folder / "x.csv"); }).find("expected point labels in all series or in none"),
      std::string::npos);
}

TEST(RoundTrip, NotKeptInCsv) {
  const TemporaryFolder folder;
  Random random(1);
  Dataset points = any_dataset(random, {.points = true});
  points.classes = {"cold", "hot"};
  EXPECT_EQ(save_dataset(points, folder / "x.csv").back(), "not kept in .csv: the names of the classes");
  points.series = {points.series[0], points.series[0]};
  points.series[0].name = points.series[1].name = "pump";
  EXPECT_EQ(rejection([&] { save_dataset(points, folder / "y.csv"); }),
            (folder / "y.csv") + ": expected series of different names, found \"pump\" twice");
  EXPECT_FALSE(std::filesystem::exists(folder / "y.csv"));
  points.series[1].part = DataPart::kTest;
  points.series[0].part = DataPart::kTrain;
  EXPECT_NO_THROW(save_dataset(points, folder / "y.csv"));
}

}  // namespace
}  // namespace faithful
