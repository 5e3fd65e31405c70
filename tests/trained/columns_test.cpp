#include <fmt/format.h>
#include <gtest/gtest.h>

#include "faithful/io/file.h"
#include "faithful/trained/match.h"
#include "tests/support.h"
#include "tests/trained/small_models.h"

namespace faithful {
namespace {

using testing::rejection;
using testing::small_config;
using testing::small_model;
using testing::TemporaryFolder;

// A model of the channels a, b, c whose training table was read so.
TrainedModel model_of(const TableColumns& table) {
  TrainedModel model = small_model(small_config());
  model.channels = {"a", "b", "c"};
  model.classes = {"normal", "anomalous"};
  model.seen = {};
  model.record.set("data", Json::Object{{"columns", table_json(table)}});
  return model;
}

const TableColumns kPump{.count = 6,
                         .named = true,
                         .time = "when",
                         .time_format = "%d.%m.%Y %H:%M",
                         .time_unit = "s",
                         .label = "state",
                         .positive = "leak",
                         .normal = {"idle", "ok"},
                         .ignored = {"crew"},
                         .decimal = ','};

std::string rows(const std::string& header, const std::string& row) {
  std::string text = header + "\n";
  for (int i = 0; i < 8; ++i) text += row + "\n";
  return text;
}

TEST(Columns, RoundTrip) {
  const TableColumns found = recorded_table(model_of(kPump));
  EXPECT_EQ(dump_json(table_json(found)), dump_json(table_json(kPump)));
  EXPECT_EQ(found.label, "state");
  EXPECT_EQ(found.decimal, ',');
  EXPECT_EQ(recorded_table(small_model(small_config())).count, 0U) << "an older file";
}

TEST(Columns, AreReadAsInTraining) {
  TemporaryFolder folder;
  write_file(folder / "x.csv", rows("crew;c;when;state;b;a", "Eve;3,5;01.05.2024 12:00;leak;2;1"));
  const TrainedModel model = model_of(kPump);
  const Dataset read = load_for_model(folder / "x.csv", model);
  EXPECT_EQ(read.channels, model.channels);
  EXPECT_EQ(read.series[0].values(0, 2), 3.5F);
  EXPECT_EQ(read.series[0].times.size(), 8U);
  EXPECT_EQ(read.series[0].labels, std::vector<std::uint8_t>(8, 1));
  EXPECT_TRUE(read.notes.empty());
  const Dataset unlabelled = load_for_model(folder / "x.csv", model, {}, false);
  EXPECT_TRUE(unlabelled.series[0].labels.empty());
  EXPECT_EQ(unlabelled.series[0].values.values, read.series[0].values.values);
}

TEST(Columns, WhatIsNotThereIsNoError) {
  TemporaryFolder folder;
  write_file(folder / "x.csv", rows("a;b;c;shift", "1;2;3;night"));
  const Dataset read = load_for_model(folder / "x.csv", model_of(kPump));
  EXPECT_TRUE(read.series[0].labels.empty() && read.series[0].times.empty());
  EXPECT_EQ(read.notes,
            (std::vector<std::string>{"columns that the model does not know are ignored: \"shift\" (where one of them "
                                      "tells series apart: " +
                                      field_text("series", "COLUMN") + ")"}));
  write_file(folder / "y.csv", rows("a;c;state", "1;3;ok"));
  EXPECT_TRUE(
      rejection([&] { load_for_model(folder / "y.csv", model_of(kPump)); })
          .ends_with("y.csv: expected channel \"b\", found only \"a\", \"c\" (columns are matched by name, in any "
                     "order)"));
}

TEST(Columns, FlagsWin) {
  TemporaryFolder folder;
  write_file(folder / "x.csv", rows("a;b;c;when;start;state;other", "1.5;2;3;x;60;?;1"));
  const Dataset read = load_for_model(folder / "x.csv", model_of(kPump),
                                      {.label = "other", .positive = "1", .time = "start", .decimal = '.'});
  EXPECT_EQ(read.series[0].labels, std::vector<std::uint8_t>(8, 1));
  EXPECT_EQ(read.series[0].values(0, 0), 1.5F);
  EXPECT_EQ(read.table.time, "start");
}

// A column of another name: the format of the training holds where its first cell has it, the unit for numbers.
TEST(Columns, FormOfTimesUnderAnotherName) {
  TemporaryFolder folder;
  const auto first_time = [&](const std::string& cell, const std::string& name, const ReadOptions& options) {
    TableColumns table = kPump;
    table.time_unit = "ms";
    write_file(folder / "x.csv", rows("a;b;c;" + name, "1;2;3;" + cell));
    return load_for_model(folder / "x.csv", model_of(table), options).series[0].times.at(0);
  };
  constexpr std::int64_t kSecond = 1'000'000'000, kNoon = 1'714'564'800 * kSecond;  // 2024-05-01 12:00
  EXPECT_EQ(first_time("01.05.2024 12:00", "began", {.time = "began"}), kNoon);
  EXPECT_EQ(first_time("01.05.2024 12:00", "date", {}), kNoon) << "found by its name";
  EXPECT_EQ(first_time("2024-05-01 12:00", "began", {.time = "began"}), kNoon);
  EXPECT_EQ(first_time("60000", "began", {.time = "began"}), 60 * kSecond);
  EXPECT_EQ(first_time("60", "began", {.time = "began", .time_unit = "s"}), 60 * kSecond) << "flags win";
  EXPECT_EQ(first_time("05/01/2024", "began", {.time = "began", .time_format = "%m/%d/%Y"}), kNoon - 43200 * kSecond);
}

TEST(Columns, SeriesShorterThanInTrainingAreSaid) {
  TemporaryFolder folder;
  write_file(folder / "x.csv", "a;b;c\n1;2;3\n1;2;3\n");
  TrainedModel model = model_of(kPump);
  model.window.length = 0;
  model.shortest_window = 2;
  EXPECT_TRUE(load_for_model(folder / "x.csv", model).notes.empty());
  model.shortest_window = 3;
  EXPECT_EQ(load_for_model(folder / "x.csv", model).notes,
            std::vector<std::string>{fmt::format("1 of 1 series are shorter than any in training, such as \"x\": 2 "
                                                 "samples; training saw 3 to {}",
                                                 model.shape().length)});
}

TEST(Columns, OfAFolder) {
  TemporaryFolder folder;
  for (const char* name : {"1.csv", "2.csv"})
    write_file(folder / name, rows("a;b;c;when;state;extra", "1,5;2;3;01.05.2024 12:00;ok;word"));
  const Dataset read = load_for_model(folder.path().string(), model_of(kPump), {.positive = ""});
  EXPECT_EQ(read.series.size(), 2U);
  EXPECT_EQ(read.series[1].labels, std::vector<std::uint8_t>(8, 0));
  EXPECT_EQ(read.notes.size(), 1U);
}

TEST(Columns, WithoutNamesByTheirNumbers) {
  TrainedModel model = model_of({.count = 5, .time = "1", .time_unit = "s", .label = "5"});
  model.channels = numbered_channels(3);
  TemporaryFolder folder;
  write_file(folder / "x.csv", rows("10,1,2,3,0", "20,1,2,3,1"));
  EXPECT_EQ(load_for_model(folder / "x.csv", model).series[0].labels[1], 1);
  EXPECT_TRUE(load_for_model(folder / "x.csv", model, {}, false).series[0].labels.empty());
  write_file(folder / "y.csv", rows("1,2,3", "1,2,3"));
  EXPECT_EQ(load_for_model(folder / "y.csv", model).series[0].values(0, 2), 3);
}

}  // namespace
}  // namespace faithful
