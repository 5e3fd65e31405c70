#include <gtest/gtest.h>

#include "faithful/data/read.h"
#include "faithful/io/file.h"
#include "faithful/predict/predict.h"
#include "faithful/predict/sample_lines.h"
#include "faithful/trained/match.h"
#include "tests/support.h"
#include "tests/trained/small_models.h"

namespace faithful::testing {
namespace {

// A table of 3 KB a row (numbers with very many zeros behind them), so that few rows are more than one block of text.
std::string long_table(std::size_t rows) {
  const Dataset data = random_dataset({"flow", "pressure", "temperature"}, {rows});
  const std::string zeros(1000, '0');
  std::string text = "time,flow,pressure,temperature\n";
  for (std::size_t t = 0; t < rows; ++t) {
    text += std::to_string(1'700'000'000 + t);
    for (const float value : data.series[0].values.row(t)) text += "," + std::to_string(value) + zeros;
    text += "\n";
  }
  return text;
}

TEST(PredictTable, EqualsTheWholeAcrossBlocks) {
  TemporaryFolder folder;
  write_file(folder / "pump.csv", long_table(3600));
  const ReadOptions options{.time = "time"};
  ASSERT_TRUE(can_stream(folder / "pump.csv", options));
  Dataset whole = load_dataset(folder / "pump.csv", options);
  for (const std::size_t stride : {1U, 3U, 11U, 2500U}) {
    TrainedModel model = small_model(small_config());
    model.window.stride = stride;
    ThreadPool pool;
    fit_to_model(whole, model);
    const Predictions expected = predict(model, whole, pool);
    std::size_t at = 0, pieces = 0;
    std::vector<std::string> notes;
    predict_table(
        model, folder / "pump.csv", options, pool,
        [&](const TablePiece& piece) {
          ++pieces;
          for (std::size_t i = 0; i < piece.found.windows.size(); ++i, ++at) {
            const Window& window = piece.found.windows[i];
            ASSERT_EQ(piece.offset + window.begin, expected.windows[at].begin);
            EXPECT_EQ(piece.found.probabilities(i, 1), expected.probabilities(at, 1));
            EXPECT_EQ(piece.rows.series[0].times[window.begin], whole.series[0].times[expected.windows[at].begin]);
          }
        },
        [&](const std::string& note) { notes.push_back(note); });
    const Window& last = expected.windows[expected.windows.size() - 1];
    const std::string tail = tail_note(whole.rows() - last.begin - last.length, model);
    EXPECT_EQ(notes, tail.empty() ? std::vector<std::string>() : std::vector{tail}) << stride;
    EXPECT_EQ(at, expected.windows.size()) << stride;
    EXPECT_GE(pieces, stride < 1000 ? 2U : 1U);  // of 11 MB of text; both windows of stride 2500 are in the first
  }
}

TEST(PredictTable, ShortTables) {
  TemporaryFolder folder;
  write_file(folder / "pump.csv", "flow,pressure,temperature\n1,2,3\n4,5,6\n");
  const auto count_windows = [&](std::size_t shortest) {
    TrainedModel model = small_model(small_config());
    model.shortest_window = shortest;
    ThreadPool pool(1);
    std::size_t windows = 0;
    predict_table(
        model, folder / "pump.csv", {}, pool, [&](const TablePiece& piece) { windows += piece.found.windows.size(); },
        [](const std::string&) {});
    return windows;
  };
  EXPECT_EQ(count_windows(2), 1U);
  EXPECT_TRUE(rejection([&] {
                count_windows(3);
              }).ends_with("expected at least the 3 samples of the model's windows, found 2 samples"));
}

TEST(StreamDataset, TimesMustGoOnAcrossBlocks) {
  TemporaryFolder folder;
  std::string text = long_table(3000);
  text += "1699999999,1,2,3\n";
  write_file(folder / "pump.csv", text);
  EXPECT_TRUE(rejection([&] {
                stream_dataset(folder / "pump.csv", {.time = "time"}, [](Dataset&) {});
              }).find("times that never decrease") != std::string::npos);
}

TEST(StreamDataset, WhatItCannotRead) {
  TemporaryFolder folder;
  write_file(folder / "x.csv", "a,b\n1,2\n");
  write_file(folder / "x.ts", "");
  EXPECT_TRUE(can_stream(folder / "x.csv", {}));
  EXPECT_FALSE(can_stream(folder / "x.ts", {}));
  EXPECT_FALSE(can_stream(folder.path().string(), {}));
  EXPECT_FALSE(can_stream(folder / "x.csv", {.series = "a"}));
  EXPECT_FALSE(can_stream(folder / "x.csv", {.part_column = "a"}));
  EXPECT_FALSE(can_stream(folder / "x.csv", {.missing = Missing::kInterpolate}));
  write_file(folder / "none.csv", "a,b\n");
  EXPECT_TRUE(rejection([&] {
                stream_dataset(folder / "none.csv", {.header = Header::kYes}, [](Dataset&) {});
              }).ends_with("expected rows of data, found none"));
}

std::vector<float> sample(SampleLines& lines, const std::string& line) {
  EXPECT_TRUE(lines.take(line)) << line;
  return {lines.values().begin(), lines.values().end()};
}

TEST(SampleLines, WithNames) {
  SampleLines lines({"a", "b c"}, {.time = "when", .time_unit = "ms"}, "in");
  EXPECT_FALSE(lines.take("\xEF\xBB\xBF\"b c\";when;state;a\r"));
  EXPECT_EQ(lines.notes().size(), 1U);
  EXPECT_EQ(sample(lines, "1.5;1700000000000;ok;-2\r"), (std::vector<float>{-2, 1.5}));
  EXPECT_EQ(lines.time(), 1'700'000'000'000'000'000);
  EXPECT_FALSE(lines.take(""));
  EXPECT_EQ(sample(lines, "\"3\";1700000001000;\"o;k\"; 4 "), (std::vector<float>{4, 3}));
  EXPECT_EQ(rejection([&] { lines.take("1;1699999999999;ok;2"); }),
            "in:5:2: expected times that never decrease, found \"1699999999999\"");
  EXPECT_EQ(rejection([&] { lines.take("1;2023-11-14T22:13:22Z;ok;2"); }),
            "in:6:2: expected a number, as in the first row, found \"2023-11-14T22:13:22Z\" (write all times of a "
            "column in one form)");
}

TEST(SampleLines, ATimeThatCannotBeReadIsNotTheFirst) {
  SampleLines lines({"a"}, {.time = "when"}, "in");
  EXPECT_FALSE(lines.take("when,a"));
  EXPECT_EQ(rejection([&] { lines.take("n-a,1"); }),
            "in:2:1: expected a time (ISO 8601, or a number of s), found \"n-a\"");
  EXPECT_EQ(sample(lines, "1700000000,2"), (std::vector<float>{2}));
}

TEST(SampleLines, TwoLinesAgreeOnAnEarlierTime) {
  SampleLines lines({"a"}, {.time = "when"}, "in");
  EXPECT_FALSE(lines.take("when,a"));
  sample(lines, "4000000000,1");
  const auto refused = [&](const std::string& line) { return !rejection([&] { lines.take(line); }).empty(); };
  EXPECT_TRUE(refused("1700000009,2"));
  EXPECT_TRUE(refused("1700000005,3")) << "they do not agree";
  EXPECT_EQ(sample(lines, "1700000005,4"), (std::vector<float>{4}));
  EXPECT_TRUE(lines.begins_anew());
  EXPECT_EQ(lines.time(), 1'700'000'005'000'000'000);
  sample(lines, "1700000006,5");
  EXPECT_FALSE(lines.begins_anew());
  EXPECT_TRUE(refused("1,6"));
  sample(lines, "1700000007,7");
  EXPECT_TRUE(refused("2,8")) << "a good line between them: they are not in a row";
}

TEST(SampleLines, WithoutNames) {
  SampleLines lines({"a", "b"}, {.time = "2", .separator = ';', .decimal = ','}, "in");
  EXPECT_EQ(sample(lines, "1,5;2023-11-14T22:13:21Z;2"), (std::vector<float>{1.5, 2}));
  SampleLines plain({"a", "b"}, {.missing = Missing::kZero}, "in");
  EXPECT_EQ(sample(plain, "1,nan"), (std::vector<float>{1, 0}));
  SampleLines forced({"1", "2"}, {.header = Header::kYes}, "in");
  EXPECT_FALSE(forced.take("2,1"));
  EXPECT_EQ(sample(forced, "5,6"), (std::vector<float>{6, 5}));
}

TEST(SampleLines, RolesOfTheTraining) {
  const TableColumns known{.count = 5,
                           .named = true,
                           .time = "when",
                           .time_unit = "ms",
                           .label = "broken",
                           .ignored = {"crew"},
                           .decimal = ','};
  SampleLines lines({"a", "b"}, {}, "in", known);
  EXPECT_FALSE(lines.take("when;a;broken;crew;b"));
  EXPECT_TRUE(lines.notes().empty()) << "nothing there is unknown";
  EXPECT_TRUE(lines.has_times());
  EXPECT_EQ(sample(lines, "1700000000000;1,5;?;Eve;2"), (std::vector<float>{1.5, 2}));
  EXPECT_EQ(lines.time(), 1'700'000'000'000'000'000);

  SampleLines fewer({"a", "b"}, {.decimal = '.'}, "in", known);  // flags win
  EXPECT_FALSE(fewer.take("b;a;shift"));
  EXPECT_FALSE(fewer.has_times());
  EXPECT_EQ(fewer.notes(), (std::vector<std::string>{"columns that the model does not know are ignored: \"shift\""}));
  EXPECT_EQ(sample(fewer, "1.5;2;night"), (std::vector<float>{2, 1.5}));

  const TableColumns numbers{.count = 4, .time = "1", .label = "4"};
  SampleLines plain({"channel_1", "channel_2"}, {}, "in", numbers);
  EXPECT_EQ(sample(plain, "2023-11-14T22:13:21Z,1,2,0"), (std::vector<float>{1, 2}));
  EXPECT_TRUE(plain.has_times());
  SampleLines bare({"channel_1", "channel_2"}, {}, "in", numbers);  // another number of columns: by position
  EXPECT_EQ(sample(bare, "1,2"), (std::vector<float>{1, 2}));
}

TEST(SampleLines, FormOfTimesUnderAnotherName) {
  const TableColumns known{.count = 3, .named = true, .time = "when", .time_format = "%d.%m.%Y", .time_unit = "ms"};
  const auto time_of = [&](const std::string& cell, const ReadOptions& options) {
    SampleLines lines({"a", "b"}, options, "in", known);
    EXPECT_FALSE(lines.take("a,b,began"));
    EXPECT_EQ(sample(lines, "1,2," + cell), (std::vector<float>{1, 2}));
    return lines.time();
  };
  constexpr std::int64_t kSecond = 1'000'000'000;
  EXPECT_EQ(time_of("02.01.1970", {.time = "began"}), 86'400 * kSecond);
  EXPECT_EQ(time_of("1970-01-02", {.time = "began"}), 86'400 * kSecond);
  EXPECT_EQ(time_of("60000", {.time = "began"}), 60 * kSecond);
  EXPECT_EQ(time_of("60", {.time = "began", .time_unit = "s"}), 60 * kSecond) << "flags win";
}

TEST(SampleLines, Complaints) {
  const auto complaint = [](const ReadOptions& options, std::vector<std::string> text) {
    return rejection([&] {
      SampleLines lines({"a", "b"}, options, "in");
      for (const std::string& line : text) lines.take(line);
    });
  };
  EXPECT_EQ(complaint({}, {"a,c", "1,2"}),
            "in:1: expected channel \"b\", found only \"a\", \"c\" (columns are matched by name, in any order)");
  EXPECT_EQ(complaint({}, {"1,2,3"}),
            "in:1: expected 2 channels, found 3 (without names, channels are matched by position)");
  EXPECT_EQ(complaint({}, {"a,b", "1"}), "in:2: expected 2 fields, found 1");
  EXPECT_EQ(complaint({}, {"a,b", "1,2x"}), "in:2:2: expected a number, found \"2x\"");
  EXPECT_EQ(complaint({}, {"a,b", "1,1e99"}).substr(0, 24), "in:2:2: expected a numbe");
  EXPECT_EQ(complaint({}, {"a,b", "1,\"2"}).substr(0, 5), "in:2:");
  EXPECT_EQ(complaint({.missing = Missing::kInterpolate}, {}),
            "missing: expected error, zero or keep for a stream, found interpolate (the next value is not known yet)");
  EXPECT_EQ(complaint({.time = "clock"}, {"a,b"}),
            "time: expected the name or number of a column, found \"clock\" (known: a, b)");
}

}  // namespace
}  // namespace faithful::testing
