// The published sets, below FAITHFUL_DATA; what must be found is what their README says.

#include <cstdlib>

#include "faithful/data/audit.h"
#include "faithful/data/catalogue.h"
#include "faithful/data/read.h"
#include "tests/data/data_support.h"

namespace faithful {
namespace {

class Sets : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("FAITHFUL_DATA") == nullptr)
      GTEST_SKIP() << "FAITHFUL_DATA is not set: the published sets are not read";
  }
};

TEST_F(Sets, Smd) {
  const Dataset data = load_dataset("SMD");
  const Dataset test = part_of(data, DataPart::kTest);
  EXPECT_EQ(test.series.size(), 23u);
  EXPECT_EQ(test.rows(), 565'059u);
  EXPECT_EQ(data.channels.size(), 38u);
  EXPECT_EQ(data.channels[37], "udp_snd_buf_errs");
  EXPECT_EQ(part_of(data, DataPart::kTrain).series.size(), 3u);
  EXPECT_EQ(data.notes,
            (std::vector<std::string>{
                "skipped, labels without telemetry: machine-1-1, machine-2-6, machine-3-1, machine-3-6, machine-3-9"}));
  const Audit found = audit(data);
  ASSERT_EQ(found.parts.size(), 2u) << "never summed";
  EXPECT_NEAR(static_cast<double>(found.parts[1].anomalous_rows) / 565'059, 0.0434, 5e-5);
  EXPECT_EQ(found.parts[0].labelled_rows, 0u);
}

TEST_F(Sets, Msl) {
  const Audit found = audit(load_dataset("MSL"));
  ASSERT_EQ(found.parts.size(), 2u);
  EXPECT_EQ(found.parts[0].rows, 58'317u);
  const PartAudit& test = found.parts[1];
  EXPECT_EQ(test.series, 27u);
  EXPECT_EQ(test.rows, 73'729u);
  EXPECT_EQ(test.channels.size(), 55u);
  EXPECT_EQ(test.spans, 36u);
  EXPECT_NEAR(static_cast<double>(test.anomalous_rows) / 73'729, 0.1053, 5e-5);
  EXPECT_EQ(test.same_series, (std::vector<std::vector<std::string>>{{"P-10", "P-14"}}));
}

struct Expected {
  const char* path;
  std::size_t train, test, channels, shortest, longest, classes;
};

TEST_F(Sets, Uea) {
  for (const Expected& set : {Expected{"BasicMotions", 40, 40, 6, 100, 100, 4},
                              {"JapaneseVowels", 270, 370, 12, 7, 29, 9},
                              {"JapaneseVowels/JapaneseVowels_eq", 270, 370, 12, 25, 25, 9},
                              {"NATOPS", 180, 180, 24, 51, 51, 6},
                              {"ArticularyWordRecognition", 275, 300, 9, 144, 144, 25}}) {
    const Audit found = audit(load_dataset(set.path));
    ASSERT_EQ(found.parts.size(), 2u) << set.path;
    EXPECT_EQ(found.parts[0].series, set.train) << set.path;
    EXPECT_EQ(found.parts[1].series, set.test) << set.path;
    EXPECT_EQ(found.channels.size(), set.channels) << set.path;
    EXPECT_EQ(std::min(found.parts[0].shortest, found.parts[1].shortest), set.shortest) << set.path;
    EXPECT_EQ(std::max(found.parts[0].longest, found.parts[1].longest), set.longest) << set.path;
    EXPECT_EQ(found.classes.size(), set.classes) << set.path;
  }
}

TEST_F(Sets, TsAndArffAgree) {
  const std::string folder = find_data("BasicMotions");
  for (const char* half : {"_TRAIN", "_TEST"}) {
    const Dataset ts = load_dataset(folder + "/BasicMotions" + half + ".ts");
    const Dataset arff = load_dataset(folder + "/BasicMotions" + half + ".arff");
    EXPECT_EQ(ts, arff);
  }
}

TEST_F(Sets, Digests) {
  const Verification natops = verify_files(find_data("NATOPS"));
  EXPECT_EQ(natops.set, "NATOPS");
  EXPECT_EQ(natops.matching, 2u);
  EXPECT_TRUE(natops.different.empty());
  EXPECT_EQ(verify_files(find_data("NATOPS/NATOPS_TEST.ts")).matching, 1u);
  const testing::TemporaryFolder folder;
  testing::write_text(folder / "NATOPS_TEST.ts", "@data\n1\n");
  EXPECT_EQ(verify_files(folder.path().string()).different.size(), 1u);
  EXPECT_EQ(verify_files(folder.path().string()).absent, (std::vector<std::string>{"NATOPS_TRAIN.ts"}));
}

}  // namespace
}  // namespace faithful
