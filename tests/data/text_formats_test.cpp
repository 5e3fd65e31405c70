#include <fmt/format.h>

#include "faithful/data/folders_internal.h"
#include "faithful/data/readers_internal.h"
#include "tests/data/data_support.h"

namespace faithful {
namespace {

using data::parse_arff;
using data::parse_ts;
using testing::rejection;
using testing::table;
using testing::TemporaryFolder;
using testing::write_text;

const std::string kHead =
    "#about\n@problemName Pump\n@timeStamps false\n@univariate false\n@classLabel true ok broken\n@data\n";

TEST(Ts, Multivariate) {
  const Dataset data = parse_ts(kHead + "1,2,3:4,5,6:ok\n7,8:9,10:broken\n", "x.ts", {});
  EXPECT_EQ(data.name, "Pump");
  EXPECT_EQ(data.channels.size(), 2u);
  EXPECT_EQ(data.classes, (std::vector<std::string>{"ok", "broken"})) << "what is usual comes first";
  ASSERT_EQ(data.series.size(), 2u);
  EXPECT_EQ(data.series[0].values, table(3, 2, {1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(data.series[0].label, 0);
  EXPECT_EQ(data.series[1].values, table(2, 2, {7, 9, 8, 10})) << "unequal length";
  EXPECT_EQ(data.series[1].name, "2");
}

TEST(Ts, CommentsOfBothKinds) {
  const Dataset data =
      parse_ts("% of the archive\n#and\n@classLabel true a b\n%\n@data\n% first\n1,2:a\n# second\n3,4:b\n", "x.ts", {});
  ASSERT_EQ(data.series.size(), 2U);
  EXPECT_EQ(data.series[1].values, table(2, 1, {3, 4}));
}

TEST(Ts, Timestamps) {
  const std::string head = "@timestamps true\n@classLabel false\n@data\n";
  const Dataset data = parse_ts(
      head + "(2024-01-01 00:00:00,1),(2024-01-01 00:00:01.5,?):(2024-01-01T00:00:00,3),(2024-01-01T00:00:01.5,4)\n",
      "x.ts", {.missing = Missing::kZero});
  EXPECT_EQ(data.series[0].values, table(2, 2, {1, 3, 0, 4}));
  EXPECT_EQ(data.series[0].times[1] - data.series[0].times[0], 1'500'000'000);
  EXPECT_EQ(data.series[0].label, kNoLabel);
  EXPECT_EQ(rejection([&] { parse_ts(head + "(0,1):(1,2)\n", "x.ts", {}); }),
            "x.ts:4:2: expected the times of the first dimension, found \"1\" (all channels must share their times)");
}

TEST(Ts, BadInput) {
  const auto bad = [](const std::string& text) { return rejection([&] { parse_ts(text, "x.ts", {}); }); };
  EXPECT_EQ(bad(""), "x.ts: expected a line @data, found the end of the file");
  EXPECT_EQ(bad(kHead), "x.ts: expected cases after @data, found none");
  EXPECT_EQ(bad(kHead.substr(0, 43)), "x.ts: expected a line @data, found the end of the file");
  EXPECT_EQ(bad(kHead + "1,2:3,4:ok\n1,2:3:ok\n"), "x.ts:8:2: expected 2 values, as in the first dimension, found 1");
  EXPECT_EQ(bad(kHead + "1,2:3,4:ok\n1,2:ok\n"), "x.ts:8: expected 2 dimensions, as in the first case, found 1");
  EXPECT_EQ(bad(kHead + "1,x:3,4:ok\n"), "x.ts:7:1: expected a number, found \"x\"");
  EXPECT_EQ(bad(kHead + "1,?:3,4:ok\n"),
            "x.ts:7:1: expected a number, found \"?\" (missing values: missing = interpolate)");
  EXPECT_EQ(bad(kHead + "1,2:3,4:odd\n"), "x.ts:7:3: expected one of the classes of @classLabel, found \"odd\"");
  EXPECT_EQ(bad(kHead + "ok\n"),
            "x.ts:7: expected dimensions and a class, with colons between them, found only a class");
  EXPECT_EQ(bad("@dimensions 3\n@data\n1:2\n"), "x.ts:3: expected 3 dimensions, found 2");
  EXPECT_EQ(bad("@seriesLength 3\n@data\n1,2\n"), "x.ts:3: expected 3 values (@seriesLength), found 2");
  EXPECT_EQ(bad("@seriesLength 10000000000\n@data\n1,2\n"),
            "x.ts:3: expected 10000000000 values (@seriesLength), found 2");
  EXPECT_EQ(bad("@wrong 3\n@data\n1,2\n"), "x.ts:1: expected a known @ line or @data, found \"@wrong\"");
  EXPECT_EQ(bad("@targetLabel true\n@data\n1:2\n"),
            "x.ts:1: expected classes (@classLabel), found numbers to predict (@targetLabel)");
  EXPECT_EQ(bad("1,2\n"), "x.ts:1: expected an @ line or @data, found \"1,2\"");
}

TEST(Ts, FirstComplaintOfManyLines) {
  std::string text = "@data\n";
  for (int i = 0; i < 200; ++i) text += i == 50 || i == 150 ? "x\n" : "1,2,3\n";
  EXPECT_EQ(rejection([&] { parse_ts(text, "x.ts", {}); }), "x.ts:52:1: expected a number, found \"x\"");
}

const std::string kRelational =
    "%about\n@relation 'Pump'\n@attribute r relational\n@attribute t1 numeric\n@attribute t2 numeric\n@end r\n"
    "@attribute state {'is ok',broken}\n@data\n";

TEST(Arff, Relational) {
  const Dataset data = parse_arff(kRelational + "'1,2\\n3,4',broken\n\"5,6\\n7,8\",'is ok'\n", "x.arff", {});
  EXPECT_EQ(data.name, "Pump");
  EXPECT_EQ(data.classes, (std::vector<std::string>{"broken", "is ok"}));
  EXPECT_EQ(data.series[0].values, table(2, 2, {1, 3, 2, 4}));
  EXPECT_EQ(data.series[1].label, 1);
}

TEST(Arff, Plain) {
  const Dataset data =
      parse_arff("@relation p\n@attribute a real\n@ATTRIBUTE 'b c' numeric\n@attribute k {1,2}\n@data\n1,2,1\n3,4,2\n",
                 "x.arff", {});
  EXPECT_EQ(data.channels.size(), 1u);
  EXPECT_EQ(data.series[1].values, table(2, 1, {3, 4}));
  EXPECT_EQ(data.series[1].label, 1);
}

TEST(Arff, BadInput) {
  const auto bad = [](const std::string& text) { return rejection([&] { parse_arff(text, "x.arff", {}); }); };
  EXPECT_EQ(bad(""), "x.arff: expected a line @data, found the end of the file");
  EXPECT_EQ(bad(kRelational), "x.arff: expected cases after @data, found none");
  EXPECT_EQ(bad(kRelational + "'1,2\\n3',broken\n"),
            "x.arff:9:1: expected 2 values a channel, as there are attributes, found 1");
  EXPECT_EQ(bad(kRelational + "'1,2\\n3,4'\n"), "x.arff:9:2: expected 2 cells, found 1");
  EXPECT_EQ(bad(kRelational + "'1,2\\n3,4,broken\n"),
            "x.arff:9:1: expected a closing quote, found the end of the line");
  EXPECT_EQ(bad(kRelational + "'1,2\\n3,y',broken\n"), "x.arff:9:1: expected a number, found \"y\"");
  EXPECT_EQ(bad(kRelational + "'1,2\\n3,4',odd\n"),
            "x.arff:9:2: expected one of the classes of the attribute, found \"odd\"");
  EXPECT_EQ(bad("@attribute a date\n@data\n1\n"),
            "x.arff:1: expected numeric, relational or classes between braces, found \"date\"");
  EXPECT_EQ(bad("@data\n1\n"), "x.arff:1: expected attributes before @data, found none");
  EXPECT_EQ(bad("@attribute a real\n@data\n{0 1}\n"),
            "x.arff:3: expected a dense line, found a sparse one (convert it in Weka)");
}

TEST(Uea, FolderAndChoice) {
  const TemporaryFolder folder;
  for (const char* name : {"Pump", "Other"}) {
    write_text(folder / "Pump/" + name + "_TRAIN.ts", kHead + "1:2:ok\n3:4:broken\n");
    write_text(folder / "Pump/" + name + "_TEST.ts", kHead + "5:6:ok\n");
  }
  const Dataset data = load_dataset(folder / "Pump");
  ASSERT_EQ(data.series.size(), 3u);
  EXPECT_EQ(data.format, "uea");
  EXPECT_EQ(data.series[2].part, DataPart::kTest);
  ASSERT_EQ(data.notes.size(), 1u);
  EXPECT_EQ(data.notes[0], "of Other.ts, Pump.ts in " + (folder / "Pump") + ", Pump.ts is read");
  EXPECT_EQ(load_dataset(folder / "Pump/Other").name, "Other");
  std::filesystem::rename(folder / "Pump", folder / "Set");
  EXPECT_EQ(rejection([&] { load_dataset(folder / "Set"); }),
            (folder / "Set") + ": expected a set named \"Set\", or one set only, found Other.ts, Pump.ts (give " +
                (folder / "Set/Other") + ")");
  write_text(folder / "Set/Pump_TRAIN.ts", kHead + "1:2:broken\n");
  EXPECT_EQ(rejection([&] { load_dataset(folder / "Set/Pump"); }),
            (folder / "Set/Pump") +
                ": expected every class of the test part in the training part, found class \"ok\" in test only (series "
                "\"1\")");
}

TEST(Uea, AFileForEachDimension) {
  const TemporaryFolder folder;
  const std::string head = "@relation p\n@attribute t1 real\n@attribute t2 real\n@attribute k {x,y}\n@data\n";
  const auto write = [&](const std::string& name, const std::string& cases) {
    write_text(folder / ("Pump/Pump" + name + ".arff"), head + cases);
  };
  for (int d = 1; d <= 11; ++d) {  // eleven, so that 2 comes before 10
    write(fmt::format("Dimension{}_TRAIN", d), fmt::format("{},0.5,x\n1,2,y\n", d));
    write(fmt::format("Dimension{}_TEST", d), fmt::format("{},7,y\n", -d));
  }
  const Dataset data = load_dataset(folder / "Pump");
  ASSERT_EQ(data.series.size(), 3U);
  EXPECT_EQ(data.name, "Pump");
  EXPECT_EQ(data.channels.size(), 11U);
  EXPECT_EQ(data.series[0].values(0, 1), 2);
  EXPECT_EQ(data.series[0].values(0, 9), 10);
  EXPECT_EQ(data.series[2].values(0, 10), -11);
  EXPECT_EQ(data.series[2].part, DataPart::kTest);
  EXPECT_EQ(data.series[2].label, 1);
  EXPECT_EQ(load_dataset(folder / "Pump/Pump"), data);
  EXPECT_EQ(load_dataset(folder / "Pump/PumpDimension3").channels.size(), 1U);

  for (const char* half : {"TRAIN", "TEST"}) {  // a lost file is not a channel less
    const std::string file = folder / fmt::format("Pump/PumpDimension11_{}.arff", half), kept = file + ".kept";
    std::filesystem::rename(file, kept);
    EXPECT_TRUE(rejection([&] { load_dataset(folder / "Pump"); }).starts_with(file + ": expected a file, found none"));
    std::filesystem::rename(kept, file);
  }
  write("Dimension2_TRAIN", "1,2,y\n1,2,y\n");
  const std::string at = folder / "Pump/PumpDimension";
  EXPECT_EQ(rejection([&] { load_dataset(folder / "Pump"); }),
            at + "2_TRAIN.arff: expected case 1 with the length and class that it has in " + at +
                "1_TRAIN.arff, found another");
  write("Dimension2_TRAIN", "1,2,y\n");
  EXPECT_EQ(rejection([&] { load_dataset(folder / "Pump"); }),
            at + "2_TRAIN.arff: expected 2 cases, as " + at + "1_TRAIN.arff has, found 1");
  write("_TRAIN", "1,2,x\n1,2,y\n");  // the whole set goes first
  write("_TEST", "1,2,y\n");
  EXPECT_EQ(load_dataset(folder / "Pump").channels.size(), 1U);
}

TEST(Smd, Folder) {
  const TemporaryFolder folder;
  write_text(folder / "SMD/train/machine-1-2.txt", "0.5,0.5\n");
  write_text(folder / "SMD/test/machine-1-2.txt", "0.1,0.2\n0.3,0.4\n0.5,0.6\n");
  write_text(folder / "SMD/test_label/machine-1-2.txt", "0\n1\n1\n");
  write_text(folder / "SMD/test_label/machine-1-1.txt", "0\n");
  write_text(folder / "SMD/interpretation_label/machine-1-2.txt", "1-3:2,1\n");
  const Dataset data = load_dataset(folder / "SMD");
  ASSERT_EQ(data.series.size(), 2u);
  EXPECT_EQ(data.series[0].part, DataPart::kTrain);
  EXPECT_EQ(data.series[1].values, table(3, 2, {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f}));
  EXPECT_EQ(data.series[1].labels, (std::vector<std::uint8_t>{0, 1, 1}));
  EXPECT_EQ(data.series[1].spans, (std::vector<LabelSpan>{{{1, 3}, {0, 1}}}));
  EXPECT_EQ(data.notes, (std::vector<std::string>{"skipped, labels without telemetry: machine-1-1"}));
  write_text(folder / "SMD/test_label/machine-1-2.txt", "0\n1\n");
  EXPECT_EQ(rejection([&] { load_dataset(folder / "SMD"); }),
            (folder / "SMD/test_label/machine-1-2.txt") +
                ": expected 3 labels, one for each row of the machine's telemetry, found 2");
  write_text(folder / "SMD/test_label/machine-1-2.txt", "0\n1\n2\n");
  EXPECT_EQ(rejection([&] { load_dataset(folder / "SMD"); }),
            (folder / "SMD/test_label/machine-1-2.txt") + ":3: expected a label, 0 or 1, found \"2\"");
  write_text(folder / "SMD/test_label/machine-1-2.txt", "0\n1\n1\n");
  write_text(folder / "SMD/test/machine-1-2.txt", "0.1,0.2\n0.3\n0.5,0.6\n");
  EXPECT_EQ(rejection([&] { load_dataset(folder / "SMD"); }),
            (folder / "SMD/test/machine-1-2.txt") + ":2:2: expected 2 columns, found 1");
}

TEST(Smd, Interpretation) {
  const auto bad = [](const std::string& text) {
    return rejection([&] { data::parse_smd_interpretation(text, "i.txt", 10, 3); });
  };
  EXPECT_EQ(bad("1-3\n"), "i.txt:1: expected start-end:column,column, found \"1-3\"");
  EXPECT_EQ(bad("\n3-3:1\n"), "i.txt:2: expected a span inside of 0-10, found \"3-3\"");
  EXPECT_EQ(bad("1-11:1\n"), "i.txt:1: expected a span inside of 0-10, found \"1-11\"");
  EXPECT_EQ(bad("1-3:4\n"), "i.txt:1: expected columns from 1 to 3, found \"4\"");
}

const std::string kLabelHead = "chan_id,spacecraft,anomaly_sequences,class,num_values\n";

TEST(Telemanom, Labels) {
  const auto rows =
      data::parse_telemanom_labels(kLabelHead + "P-1,SMAP,\"[[4, 5], [0, 1]]\",\"[point, contextual]\",9\n", "l.csv");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].spans, (std::vector<LabelSpan>{{{0, 2}, {}, "contextual"}, {{4, 6}, {}, "point"}}))
      << "the end is included";
  const auto bad = [](const std::string& text) {
    return rejection([&] { data::parse_telemanom_labels(text, "l.csv"); });
  };
  EXPECT_EQ(bad(""), "l.csv: expected a table, found an empty file");
  EXPECT_EQ(bad("chan_id,spacecraft\n"), "l.csv:1: expected a column \"anomaly_sequences\", found none");
  EXPECT_EQ(bad(kLabelHead + "P-1,SMAP,[]\n"), "l.csv:2:4: expected 5 columns, found 3");
  EXPECT_EQ(bad(kLabelHead + "P-1,SMAP,\"[[4, 9]]\",[point],9\n"),
            "l.csv:2:3: expected pairs [first, last] inside of 0 to 8, found \"[4, 9]\"");
  EXPECT_EQ(bad(kLabelHead + "P-1,SMAP,\"[[4]]\",[point],9\n"),
            "l.csv:2:3: expected pairs [first, last], found \"[[4]]\"");
  EXPECT_EQ(bad(kLabelHead + "P-1,SMAP,[],[point],x\n"),
            "l.csv:2:5: expected a whole number of at least 1, found \"x\"");
}

}  // namespace
}  // namespace faithful
