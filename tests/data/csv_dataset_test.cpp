#include <filesystem>

#include <fmt/format.h>
#include <sys/stat.h>

#include "faithful/data/folders_internal.h"
#include "faithful/data/readers_internal.h"
#include "faithful/data/times.h"
#include "faithful/io/gzip.h"
#include "tests/data/data_support.h"

namespace faithful {
namespace {

using data::parse_csv;
using testing::kNan;
using testing::rejection;
using testing::table;
using testing::TemporaryFolder;
using testing::write_text;

TEST(Times, Iso) {
  EXPECT_EQ(parse_time("1970-01-01"), 0);
  EXPECT_EQ(parse_time("1970-01-01T00:00:01Z"), 1'000'000'000);
  EXPECT_EQ(parse_time("2024-02-29 12:30:00.25"), 1709209800'250'000'000);
  EXPECT_EQ(parse_time("2024-02-29T14:30:00.25+02:00"), 1709209800'250'000'000);
  EXPECT_EQ(parse_time("2024-02-29T10:00-0230"), parse_time("2024-02-29T12:30Z"));
  EXPECT_EQ(parse_time("1969-12-31T23:59:59.999999999Z"), -1);
  for (const char* bad : {"", "x", "2023-02-29", "2024-13-01", "2024-01-01T24:00", "2024-01-01T00:00:00.0000000001",
                          "2024-01-01T", "2024-1-1", "2024-01-01T00:00Zx", "9999-01-01", "1600-01-01"}) {
    EXPECT_EQ(parse_time(bad), std::nullopt) << bad;
  }
}

TEST(Times, Epoch) {
  EXPECT_EQ(parse_time("1709209800.25"), 1709209800'250'000'000);
  EXPECT_EQ(parse_time("1709209800250", "ms"), 1709209800'250'000'000);
  EXPECT_EQ(parse_time("-1.5"), -1'500'000'000);
  EXPECT_EQ(parse_time("7", "ns"), 7);
  EXPECT_EQ(parse_time("7.5", "ns"), std::nullopt);
  EXPECT_EQ(parse_time("1709209800250"), std::nullopt) << "ms taken for s are beyond int64";
  EXPECT_EQ(parse_time("9223372036854775807", "ns"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_time("9223372036854775808", "ns"), std::nullopt);
}

TEST(Times, RoundTrip) {
  for (const std::int64_t ns : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}, std::int64_t{0},
                                std::int64_t{1'500'000'000}, std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(parse_time(format_time(ns)), ns) << format_time(ns);
  }
  EXPECT_EQ(format_time(1709209800'250'000'000), "2024-02-29T12:30:00.25Z");
}

TEST(Times, InAStatedFormat) {
  const std::int64_t noon = *parse_time("2024-05-01T12:30:05Z");
  EXPECT_EQ(parse_time_as("01.05.2024 12:30:05", "%d.%m.%Y %H:%M:%S"), noon);
  EXPECT_EQ(parse_time_as(" 1/5/24   12:30:05 ", "%d/%m/%y %T"), noon);
  EXPECT_EQ(parse_time_as("May 1, 2024 00:30:05 PM", "%b %d, %Y %I:%M:%S %p"), std::nullopt);
  EXPECT_EQ(parse_time_as("May 1, 2024 12:30:05 pm", "%b %d, %Y %I:%M:%S %p"), noon);
  EXPECT_EQ(parse_time_as("12 AM on 2 january 1970", "%I %p on %d %B %Y"), 86'400'000'000'000);
  EXPECT_EQ(parse_time_as("2024-05-01 14:30:05.25+02:00", "%F %T.%f%z"), noon + 250'000'000);
  EXPECT_EQ(parse_time_as("100% 2024-05-01", "100%% %F"), parse_time("2024-05-01"));
  EXPECT_EQ(parse_time_as("31/12/68", "%d/%m/%y"), parse_time("2068-12-31"));
  for (const char* bad : {"2024-05-01", "32.01.2024", "30.02.2024", "1.5.24", "", "01.05.2024x"})
    EXPECT_EQ(parse_time_as(bad, "%d.%m.%Y"), std::nullopt) << bad;
  for (const char* none : {"", "%H:%M", "%d.%m.%Q", "%Y-%m-%d %", "%Y %j"}) {
    EXPECT_EQ(rejection([&] { parse_time_as("1", none); }),
              "time_format: expected a date with %d %m %Y and a time with %H %M %S, found " + quote(none));
  }
}

TEST(CsvDataset, FindsTheColumnOfTimes) {
  const auto times = [](const std::string& text, const ReadOptions& options = {}) {
    return parse_csv(text, "x.csv", options).series[0].times;
  };
  const std::vector<std::int64_t> seconds = {1'000'000'000, 2'000'000'000};
  for (const char* name : {"time", "Time", "DATETIME", "timestamp", "Date", " date"})
    EXPECT_EQ(times(std::string("a,") + name + "\n5,1\n6,2\n"), seconds) << name;
  const std::string dated = "when,a\n1970-01-01 00:00:01,5\n1970-01-01 00:00:02,6\n";
  EXPECT_EQ(times(dated), seconds);
  EXPECT_EQ(times(dated.substr(7), {.header = Header::kNo}), seconds);
  EXPECT_EQ(times("a,time,when\n5,1,1970-01-01\n6,2,1970-01-02\n", {.ignore = {"when"}}), seconds) << "by name first";
  const std::vector<std::string> notes = parse_csv(dated, "x.csv", {}).notes;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(spelled(notes[0]),
            "column \"when\" is taken as the time (another column: time = COLUMN; none: time = none)");
  // Not where it has another role, or is all there is, or is not wanted.
  EXPECT_EQ(times("a,time\n5,1\n6,2\n", {.time = "none"}), std::vector<std::int64_t>{});
  EXPECT_EQ(times("a,b,time\n5,1,1\n6,2,0\n", {.label = "time"}), std::vector<std::int64_t>{});
  EXPECT_EQ(times("time\n1\n2\n"), std::vector<std::int64_t>{});
  EXPECT_EQ(times("timeout,a\n1,2\n2,3\n"), std::vector<std::int64_t>{});
  EXPECT_EQ(rejection([&] { times("a,b,c\n1,2"); }), "x.csv:2:3: expected 3 columns, found 2");
  EXPECT_EQ(
      rejection([&] { times("time,a\n2,5\n1,6\n"); }),
      "x.csv:3:1: expected times that never decrease, found \"1\" (sort the rows by time; where clocks were set back, "
      "add the offset from UTC; no time: time = none)");
  EXPECT_EQ(
      rejection([&] { times("date,a\n31/12/2024,5\n"); }),
      "x.csv:2:1: expected a time (ISO 8601, or a number of s), found \"31/12/2024\" (other units: time_unit = ms; "
      "other formats: time_format = \"%d.%m.%Y\"; no time: time = none)");
  EXPECT_EQ(times("date,a\n31/12/1969,5\n1/1/1970,6\n", {.time_format = "%d/%m/%Y"}),
            (std::vector<std::int64_t>{-86'400'000'000'000, 0}));
}

TEST(CsvDataset, PlainTable) {
  const Dataset data = parse_csv("a,b\n1,2\n3,4.5\n", "pump.csv", {});
  EXPECT_EQ(data.name, "pump");
  EXPECT_EQ(data.channels, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(data.series.size(), 1u);
  EXPECT_EQ(data.series[0].values, table(2, 2, {1, 2, 3, 4.5f}));
  EXPECT_FALSE(data.has_point_labels());
  EXPECT_EQ(parse_csv("1;2\r\n3;4\r\n", "x.csv", {}).channels, (std::vector<std::string>{"channel_1", "channel_2"}));
}

TEST(CsvDataset, EverythingAtOnce) {
  const std::string text =
      "\xEF\xBB\xBFtime;\"temp; in\";note;p;unit;state\r\n"
      "2024-01-01T00:00:00Z;1,5;x;2;A;ok\r\n"
      "2024-01-01T00:00:01Z;;\"y\";3;A;broken\r\n"
      "2024-01-01T00:00:00Z;7;z;8;B;ok\r\n"
      "2024-01-01T00:00:02Z;2,5;x;4;A;ok\r\n";
  const Dataset data = parse_csv(text, "x.csv",
                                 {.missing = Missing::kInterpolate,
                                  .label = "state",
                                  .positive = "broken",
                                  .time = "time",
                                  .series = "unit",
                                  .ignore = {"note"},
                                  .decimal = ','});
  EXPECT_EQ(data.channels, (std::vector<std::string>{"temp; in", "p"}));
  EXPECT_EQ(data.classes, (std::vector<std::string>{"normal", "anomalous"}));
  ASSERT_EQ(data.series.size(), 2u);
  EXPECT_EQ(data.series[0].name, "A");
  EXPECT_EQ(data.series[0].values, table(3, 2, {1.5f, 2, 2, 3, 2.5f, 4}));
  EXPECT_EQ(data.series[0].labels, (std::vector<std::uint8_t>{0, 1, 0}));
  EXPECT_EQ(data.series[0].times[2] - data.series[0].times[0], 2'000'000'000);
  EXPECT_EQ(data.series[1].values, table(1, 2, {7, 8}));
}

TEST(CsvDataset, LabelsOfSeries) {
  const ReadOptions options{.label = "c", .label_of = LabelOf::kSeries, .series = "s", .part_column = "p"};
  const Dataset data = parse_csv("s,p,v,c\na,train,1,10\na,train,2,10\nb,train,3,9\na,test,4,9\n", "x.csv", options);
  EXPECT_EQ(data.classes, (std::vector<std::string>{"9", "10"})) << "numbers by value";
  ASSERT_EQ(data.series.size(), 3u);
  EXPECT_EQ(data.series[0].label, 1);
  EXPECT_EQ(data.series[2].part, DataPart::kTest);
  EXPECT_EQ(
      rejection([&] { parse_csv("s,p,v,c\na,train,1,10\na,train,2,9\n", "x.csv", options); }),
      "x.csv:3:4: expected the label \"10\" of the whole series, found \"9\" (labels of points, one against all others: label_of = point and positive = VALUE)");
  EXPECT_EQ(rejection([&] { parse_csv("s,p,v,c\na,train,1,x\nb,test,2,y\n", "x.csv", options); }),
            "x.csv: expected every class of the test part in the training part, found class \"y\" in test only (series "
            "\"b\")");
}

TEST(CsvDataset, Missing) {
  const std::string text = "a,b\n,1\n2,nan\nNA,3\n";
  EXPECT_EQ(rejection([&] { parse_csv(text, "x.csv", {}); }),
            "x.csv:2:1: expected a number, found an empty cell (missing values: missing = interpolate)");
  const auto values = [&](Missing missing) { return parse_csv(text, "x.csv", {.missing = missing}).series[0].values; };
  EXPECT_EQ(values(Missing::kZero), table(3, 2, {0, 1, 2, 0, 0, 3}));
  EXPECT_EQ(values(Missing::kInterpolate), table(3, 2, {2, 1, 2, 2, 2, 3}));
  Series kept{.values = values(Missing::kKeep)};
  EXPECT_EQ(kept, (Series{.values = table(3, 2, {kNan, 1, 2, kNan, kNan, 3})}));
  EXPECT_EQ(rejection([] { parse_csv("a,b\n,1\n,2\n", "x.csv", {.missing = Missing::kInterpolate}); }),
            "x.csv: expected a number in channel \"a\" of series \"x\", found only missing values (leave the column "
            "out with ignore, or fill it with missing = zero)");
}

TEST(CsvDataset, InterpolatesInTime) {
  const Dataset data = parse_csv("t,v\n0,0\n1,\n4,8\n", "x.csv", {.missing = Missing::kInterpolate, .time = "t"});
  EXPECT_EQ(data.series[0].values, table(3, 1, {0, 2, 8}));
}

TEST(CsvDataset, BadInput) {
  const auto bad = [](const std::string& text, const ReadOptions& options = {}) {
    return rejection([&] { parse_csv(text, "x.csv", options); });
  };
  EXPECT_EQ(bad(""), "x.csv: expected a table, found an empty file");
  EXPECT_EQ(bad("a,b\n"), "x.csv: expected rows of data, found none");
  EXPECT_EQ(bad("a,b\n1,2\n3\n"), "x.csv:3:2: expected 2 columns, found 1");
  EXPECT_EQ(bad("a,b\n1,2\n3,4,5\n"), "x.csv:3:3: expected 2 columns, found 3");
  EXPECT_EQ(
      bad("a,b\n1,2\n3,x\n"),
      "x.csv:3:2: expected a number, found \"x\" (to leave out a column of words: ignore = COLUMN; if it has the labels: label = COLUMN)");
  EXPECT_EQ(bad("a,b\n1,2\n", {.label = "c"}).substr(0, 47), "x.csv: expected the name of a column, found \"c\"");
  EXPECT_EQ(
      bad("a,b\n1,2\n", {.label = "b"}),
      "x.csv:2:2: expected a label, 0 or 1, found \"2\" (one fault among other labels: positive = VALUE; one label for each whole series: label_of = series)");
  EXPECT_EQ(bad("a,b\n1,2\n", {.label = "b", .time = "b"}), "time: expected a column with no other role, found \"b\"");
  EXPECT_EQ(bad("a,b\n1,ok\n", {.label = "b", .positive = "bad"}),
            "positive: expected a label that x.csv has, found \"bad\"");
  EXPECT_EQ(
      bad("t,b\nnoon,1\n", {.time = "t"}),
      "x.csv:2:1: expected a time (ISO 8601, or a number of s), found \"noon\" (other units: time_unit = ms; other "
      "formats: time_format = \"%d.%m.%Y\")");
  EXPECT_EQ(
      bad("t,b\n2,1\n1,1\n", {.time = "t"}),
      "x.csv:3:1: expected times that never decrease, found \"1\" (sort the rows by time; where clocks were set back, "
      "add the offset from UTC)");
  EXPECT_EQ(bad("b\n1\n", {.ignore = {"b"}}),
            "x.csv: expected a column of numbers, found none besides those with another role");
}

TEST(CsvDataset, TruncatedGzip) {
  const TemporaryFolder folder;
  const std::string whole = deflate_gzip("a,b\n1,2\n3,4\n");
  write_text(folder / "x.csv.gz", whole);
  EXPECT_EQ(load_dataset(folder / "x.csv.gz").series[0].values, table(2, 2, {1, 2, 3, 4}));
  write_text(folder / "x.csv.gz", whole.substr(0, whole.size() - 9));
  EXPECT_EQ(rejection([&] { load_dataset(folder / "x.csv.gz"); }),
            (folder / "x.csv.gz") + ": expected whole gzip data, found a truncated file");
}

TEST(CsvDataset, Folder) {
  const TemporaryFolder folder;
  write_text(folder / "m/unit-10.csv", "a,l\n1,0\n");
  write_text(folder / "m/unit-9.csv", "a,l\n2,1\n3,0\n");
  write_text(folder / "m/README.md", "not data");
  const Dataset data = load_dataset(folder / "m", {.label = "l"});
  ASSERT_EQ(data.series.size(), 2u);
  EXPECT_EQ(data.name, "m");
  EXPECT_EQ(data.series[0].name, "unit-9") << "in natural order";
  EXPECT_EQ(data.series[0].labels, (std::vector<std::uint8_t>{1, 0}));
  write_text(folder / "m/unit-11.csv", "b,l\n1,0\n");
  EXPECT_EQ(rejection([&] { load_dataset(folder / "m", {.label = "l"}); }),
            (folder / "m/unit-11.csv") + ":1: expected the 1 channels of the folder's first file, found channel \"b\"");
}

TEST(CsvDataset, FoldersInFolders) {
  const TemporaryFolder folder;
  write_text(folder / "set/b/2.csv", "a,b\n3,4\n");
  write_text(folder / "set/b/1.csv", "a,b\n1,2\n");
  write_text(folder / "set/a/deep/1.csv", "a,b\n5,6\n");
  write_text(folder / "set/top.csv", "a,b\n7,8\n");
  write_text(folder / "set/.hidden/1.csv", "other\n7\n");
  const Dataset data = load_dataset(folder / "set");
  std::vector<std::string> names;
  for (const Series& series : data.series) names.push_back(series.name);
  EXPECT_EQ(names, (std::vector<std::string>{"top", "a/deep/1", "b/1", "b/2"}));
  EXPECT_EQ(data.series[2].values, table(1, 2, {1, 2}));
  // Links lead back, and to the same folder: each table is read once. No folder is too deep.
  std::filesystem::create_directory_symlink("..", folder / "set/b/up");
  std::filesystem::create_directory_symlink("../b", folder / "set/a/twin");
  EXPECT_EQ(load_dataset(folder / "set").series.size(), 4U);
  write_text(folder / "set/1/2/3/4/5/6/7/8/9/10/deep.csv", "a,b\n7,8\n");
  EXPECT_EQ(load_dataset(folder / "set").series.size(), 5U);
}

TEST(CsvDataset, DaysAreNoSeconds) {
  const auto first = [](const std::string& cell, const ReadOptions& options) {
    return parse_csv("date,a\n" + cell + ",1\n", "x.csv", options).series[0].times[0];
  };
  EXPECT_EQ(rejection([&] { first("20240131", {}); }),
            "x.csv:2:1: expected a number of seconds, found \"20240131\", which looks like a date (a date: time_format "
            "= %Y%m%d; seconds: time_unit = s)");
  EXPECT_EQ(first("20240131", {.time_format = "%Y%m%d"}), parse_time("2024-01-31"));
  EXPECT_EQ(first("20240131", {.time_unit = "s"}), 20240131 * std::int64_t{1'000'000'000});
  EXPECT_EQ(first("20241331", {}), 20241331 * std::int64_t{1'000'000'000});
}

TEST(CsvDataset, DaysOfASpreadsheet) {
  const auto times = [](const std::string& first, const std::string& second, const ReadOptions& options = {}) {
    return parse_csv("time,a\n" + first + ",1\n" + second + ",2\n", "x.csv", options).series[0].times;
  };
  EXPECT_EQ(rejection([&] { times("45123.5", "45123.50011574"); }),
            "x.csv:2:1: expected a number of seconds, found \"45123.5\" and steps of 0.000116 on average, which look "
            "like days of a spreadsheet (days: time_unit = days; seconds: time_unit = s)");
  EXPECT_EQ(times("45123.5", "45123.50011574", {.time_unit = "days"}),
            (std::vector<std::int64_t>{*parse_time("2023-07-16T12:00:00Z"), *parse_time("2023-07-16T12:00:10Z")}));
  EXPECT_EQ(times("45123.5", "45123.6", {.time_unit = "s"})[0], 45'123'500'000'000);
  EXPECT_EQ(
      rejection([&] { times("45123", "45124"); }),
      "x.csv:2:1: expected a number of seconds, found \"45123\" and steps of 1 on average, which look like days of a "
      "spreadsheet (days: time_unit = days; seconds: time_unit = s)");
  EXPECT_EQ(times("45123", "45124", {.time_unit = "s"})[0], 45'123'000'000'000);
  EXPECT_EQ(times("15123", "15124")[0], 15'123'000'000'000) << "seconds: no such day of this century";
  EXPECT_EQ(times("0.5", "0.6")[0], 500'000'000) << "seconds";
  EXPECT_FALSE(parse_time("-1", "days"));
}

TEST(CsvDataset, AFolderHasOnlyFiles) {
  const TemporaryFolder folder;
  write_text(folder / "runs/1.csv", "a,b\n1,2\n");
  std::filesystem::create_symlink("nowhere.csv", folder / "runs/2.csv");
  const auto load = [&] { load_dataset(folder / "runs"); };
  EXPECT_EQ(rejection(load), (folder / "runs/2.csv") + ": expected a file, found a link to nothing");
  std::filesystem::remove(folder / "runs/2.csv");
  ASSERT_EQ(::mkfifo((folder / "runs/2.csv").c_str(), 0600), 0);
  EXPECT_EQ(rejection(load),
            (folder / "runs/2.csv") + ": expected a file, found a pipe or a device (in a folder, only files are read)");
}

TEST(CsvDataset, LabelsBesideThePositiveOne) {
  const auto notes = [](const std::string& text, LabelOf of = LabelOf::kPoint) {
    return parse_csv("a,series,y\n" + text, "x.csv",
                     {.label = "y", .label_of = of, .positive = "leak", .series = "series"})
        .notes;
  };
  EXPECT_EQ(notes("1,s,ok\n2,s,leak\n"), std::vector<std::string>{});
  const std::vector<std::string> two = {"labels other than \"leak\" count as normal: \"ok\", \"wear\""};
  EXPECT_EQ(notes("1,s,ok\n2,s,leak\n3,s,wear\n4,s, ok \n"), two);
  EXPECT_EQ(notes("1,s,ok\n2,t,leak\n3,u,wear\n", LabelOf::kSeries), two);
  EXPECT_EQ(notes("1,s,\n2,s,a\n3,s,leak\n4,s,b\n5,s,c\n6,s,d\n7,s,e\n8,s,f\n"),
            std::vector<std::string>{
                "labels other than \"leak\" count as normal: an empty cell, \"a\", \"b\", \"c\", \"d\", .."});
  EXPECT_EQ(rejection([&] { notes("1,s,ok\n2,s,leak\n3,s,Leak\n"); }),
            "x.csv:4:3: expected \"leak\", as positive has it, found \"Leak\" (spell a label the same everywhere)");
  EXPECT_EQ(rejection([&] { notes("1,s,leak\n2,t,LEAK\n", LabelOf::kSeries); }),
            "x.csv: expected \"leak\", as positive has it, found \"LEAK\" (spell a label the same everywhere)");
  // All files of a folder.
  const TemporaryFolder folder;
  write_text(folder / "runs/1.csv", "a,y\n1,ok\n2,leak\n");
  write_text(folder / "runs/2.csv", "a,y\n1,ok\n2,wear\n");
  EXPECT_EQ(load_dataset(folder / "runs", {.label = "y", .positive = "leak"}).notes, two);
}

TEST(CsvDataset, SpansBesideTheTables) {
  const TemporaryFolder folder;
  const std::string head = "timestamp,value\n";
  const auto row = [](int day) { return fmt::format("2024-01-0{} 00:00:00,{}\n", day, day); };
  write_text(folder / "nab/data/kind/pump.csv", head + row(1) + row(2) + row(3) + row(4));
  write_text(folder / "nab/data/fan.csv", head + row(1) + row(2));
  write_text(folder / "nab/data/other.csv", head + row(1));
  const std::string json = folder / "nab/labels/combined_windows.json";
  write_text(json,
             R"({"kind/pump.csv": [["2024-01-02 00:00:00.000000", "2024-01-03 12:00:00"], ["2023-01-01", "2023-01-02"]],
                       "fan.csv": ["2024-01-02 00:00:00"]})");
  const Dataset data = load_dataset(folder / "nab/data");
  ASSERT_EQ(data.series.size(), 3U);
  EXPECT_EQ(data.series[0].labels, (std::vector<std::uint8_t>{0, 1}));
  EXPECT_EQ(data.series[1].labels, std::vector<std::uint8_t>{}) << "without an entry";
  EXPECT_EQ(data.series[2].labels, (std::vector<std::uint8_t>{0, 1, 1, 0}));
  EXPECT_EQ(data.classes, (std::vector<std::string>{"normal", "anomalous"}));
  EXPECT_EQ(load_dataset(folder / "nab/data/kind/pump.csv", {.label = json}).series[0].labels,
            (std::vector<std::uint8_t>{0, 1, 1, 0}));
  EXPECT_EQ(rejection([&] { load_dataset(folder / "nab/data/other.csv", {.label = json}); }),
            json + ": expected an entry of \"other.csv\", found none");
  // A name that two entries have: the nearest entry counts, and a guess is refused.
  write_text(json, R"({"pump.csv": ["2024-01-01"], "other/pump.csv": [], "kind/pump.csv": ["2024-01-04"]})");
  for (const std::string& path : {folder / "nab/data", folder / "nab/data/kind/pump.csv"})
    EXPECT_EQ(load_dataset(path, {.label = json}).series.back().labels, (std::vector<std::uint8_t>{0, 0, 0, 1}));
  write_text(json, R"({"x/fan.csv": ["2024-01-01"], "y/fan.csv": []})");
  EXPECT_EQ(rejection([&] { load_dataset(folder / "nab/data", {.label = json}); }),
            json +
                ": expected one entry for \"fan.csv\", found \"x/fan.csv\" and \"y/fan.csv\" "
                "(give the path with its folder, as the entries have it)");
}

TEST(CsvDataset, SpansThatMatchNothingAreSaid) {
  const TemporaryFolder folder;
  const std::string rows = "timestamp,value\n2024-01-01,1\n2024-01-02,2\n2024-01-03,3\n";
  write_text(folder / "nab/data/fan.csv", rows);
  write_text(folder / "nab/data/pump.csv", rows);
  const std::string json = folder / "nab/data/combined_windows.json";
  const auto notes = [&](const std::string& label) {
    return load_dataset(folder / "nab/data", {.label = label, .time = "timestamp"}).notes;
  };
  const auto one = [&] { load_dataset(folder / "nab/data/fan.csv", {.label = json}); };
  const auto all = [&] { load_dataset(folder / "nab/data", {.label = json}); };
  // Some spans match no row: between two of them, and outside of the table.
  write_text(json, R"({"fan.csv": ["2024-01-02", "2024-01-02 12:00"], "pump.csv": ["2024-01-01", "2025-01-01"]})");
  EXPECT_EQ(notes(json), std::vector<std::string>{"2 of the spans in " + json +
                                                  " match no row: 2024-01-02T12:00:00Z to 2024-01-02T12:00:00Z of "
                                                  "\"fan.csv\", .."});
  // None of a table: a mistake where the file is asked for, a note where it was found.
  write_text(json, R"({"fan.csv": [["2023-01-02", "2023-01-03 12:00"]], "pump.csv": ["2024-01-01"]})");
  const std::string expected =
      ": expected spans within the times of the table, 2024-01-01T00:00:00Z to 2024-01-03T00:00:00Z, "
      "found 2023-01-02T00:00:00Z to 2023-01-03T12:00:00Z (times without a zone are UTC)";
  EXPECT_EQ(rejection(all), json + ": \"fan.csv\"" + expected);
  EXPECT_EQ(rejection(one), json + ": \"" + (folder / "nab/data/fan.csv") + "\"" + expected);
  EXPECT_EQ(notes(""), (std::vector<std::string>{"labels of " + json,
                                                 "1 of the spans in " + json +
                                                     " matches no row: 2023-01-02T00:00:00Z to 2023-01-03T12:00:00Z of "
                                                     "\"fan.csv\""}));
  // Tables without an entry.
  write_text(json, R"({"pump.csv": ["2024-01-01"]})");
  EXPECT_EQ(notes(json),
            std::vector<std::string>{"1 of 2 tables have no entry in " + json + ", and no labels: \"fan.csv\""});
  write_text(json, R"({"pumps.csv": ["2024-01-01"]})");
  EXPECT_EQ(rejection(all), json + ": expected an entry of \"fan.csv\", found none");
  // A table that is known to have no anomaly.
  write_text(json, R"({"fan.csv": [], "pump.csv": []})");
  EXPECT_EQ(notes(json), std::vector<std::string>{});
}

TEST(CsvDataset, DamagedSpans) {
  const auto bad = [](const std::string& text) { return rejection([&] { data::parse_spans(text, "w.json"); }); };
  EXPECT_EQ(bad(R"({"a.csv": [["2024-01-01"]]})"),
            "w.json: \"a.csv\": expected a time, or two: [first, last], found 1");
  EXPECT_EQ(bad(R"({"a.csv": ["noon"]})"), "w.json: \"a.csv\": expected a time (ISO 8601), found \"noon\"");
  EXPECT_EQ(bad(R"({"a.csv": [["2024-01-02", "2024-01-01"]]})"),
            "w.json: \"a.csv\": expected a span that ends after it begins, found \"2024-01-01\"");
  EXPECT_EQ(bad("[]"), "w.json: expected an object, found an array");
}

TEST(CsvDataset, ChoiceOfReader) {
  const TemporaryFolder folder;
  write_text(folder / "x.dat", "1,2\n");
  EXPECT_EQ(load_dataset(folder / "x.dat", {.format = "csv"}).rows(), 1u);
  EXPECT_EQ(
      rejection([&] { load_dataset(folder / "x.dat"); }),
      (folder / "x.dat") +
          ": expected a name that ends in .csv .tsv .txt .npy .npz .ts .arff .h5, found \".dat\" (for other names set format)");
  EXPECT_EQ(rejection([&] { load_dataset(folder / "none.csv"); }).substr(0, (folder / "none.csv").size() + 2),
            (folder / "none.csv") + ": ");
  EXPECT_EQ(rejection([&] { load_dataset(folder / "x.dat", {.format = "smdd"}); }),
            "format: expected a known format, found \"smdd\" (did you mean smd?)");
  EXPECT_EQ(find_data("x.dat", folder.path().string()), folder / "x.dat");
}

}  // namespace
}  // namespace faithful
