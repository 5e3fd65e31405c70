#include "faithful/study/runs_file.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "faithful/io/file.h"
#include "tests/study/study_support.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::made_run;
using testing::rejection;
using testing::TemporaryFolder;

StudyRun full_run() {
  StudyRun run = made_run({"dft", "unit"}, 3, 0.1234567890123456789);
  run.norm_ratio = 0.25;
  run.threshold = 0.5;
  run.epochs = 2;
  run.validation = 1.0 / 3;
  run.shuffled.add("f1", 0.1);
  run.longer_note = "dft repeats";
  run.trained.add("stable_rank", 3.5);
  run.precision = {1, 0.5, StudyRun::kNone};
  run.losses = {0.7, 0.6};
  run.others.emplace_back("linear", Measures{{{"f1", 0.2}}});
  run.seconds = 1.5;
  run.program = "0.1.0";
  return run;
}

const StudySettings kSettings{"made", "blocked", {{"window", "100"}, {"epochs", "20"}}};

TEST(RunsFile, ARunReadsBackAsItWas) {
  const StudyRun run = full_run();
  const StudyRun again = parse_run(parse_json(dump_json(to_json(run)), "run"), "run");
  EXPECT_EQ(dump_json(to_json(again)), dump_json(to_json(run)));
  EXPECT_EQ(again.scores, run.scores);
  EXPECT_EQ(again.validation, run.validation);
  EXPECT_TRUE(std::isnan(again.precision[2]));
}

// `rotation` was `haar` once: what old files hold is found as the same arm.
TEST(RunsFile, UnderstandsTheFormerNameOfAnEncoding) {
  StudyRun run = full_run();
  run.arm.encoding = "haar";
  EXPECT_EQ(parse_run(to_json(run), "run").arm, (Arm{"rotation", "unit"}));
  EXPECT_EQ(make_arms({"haar"}, {"unit"}), make_arms({"rotation"}, {"unit"}));
  EXPECT_EQ(rejection([] { make_arms({"haar", "rotation"}, {"unit"}); }).find("twice") == std::string::npos, false);
}

TEST(RunsFile, KeepsWhatWasAdded) {
  const TemporaryFolder folder;
  {
    RunsFile file(folder / "runs.jsonl");
    file.use_settings(kSettings);
    file.add(full_run());
  }
  RunsFile file(folder / "runs.jsonl");
  file.use_settings(kSettings);  // known: no second line
  ASSERT_EQ(file.runs().size(), 1U);
  EXPECT_EQ(file.runs()[0].arm, full_run().arm);
  EXPECT_EQ(load_runs(folder / "runs.jsonl").settings.size(), 1U);
}

TEST(RunsFile, ATornLastLineIsDroppedWithANotice) {
  const TemporaryFolder folder;
  const std::string path = folder / "runs.jsonl";
  const std::string line = dump_json(to_json(full_run())) + "\n";
  for (const std::size_t cut : {std::size_t{1}, line.size() / 2, line.size() - 1}) {
    write_file(path, line + line.substr(0, cut));
    {
      RunsFile file(path);
      EXPECT_EQ(file.runs().size(), 1U);
      EXPECT_NE(file.notice().find(":2: the last line is not complete"), std::string::npos);
      file.add(full_run());
    }
    EXPECT_EQ(read_file(path, 1 << 20), line + line);
  }
}

TEST(RunsFile, ADamagedLineInTheMiddleIsAnError) {
  const TemporaryFolder folder;
  const std::string path = folder / "runs.jsonl", line = dump_json(to_json(full_run())) + "\n";
  write_file(path, line + "{\"kind\":\"run\"}\n" + line);
  EXPECT_NE(rejection([&] { load_runs(path); }).find("runs.jsonl:2"), std::string::npos);
  write_file(path, line + "nonsense\n" + line);
  EXPECT_NE(rejection([&] { load_runs(path); }).find("runs.jsonl:2"), std::string::npos);
}

// -1.0 is whole, but no integer of JSON.
TEST(RunsFile, ANegativeSeedIsAnErrorHoweverItIsWritten) {
  const std::string line = dump_json(to_json(full_run())) + "\n", seed = "\"seed\":3";
  for (const char* number : {"-1", "-1.0", "-1e0"}) {
    std::string changed = line;
    changed.replace(changed.find(seed), seed.size(), std::string("\"seed\":") + number);
    EXPECT_EQ(rejection([&] { parse_runs(changed, "runs.jsonl"); }),
              "runs.jsonl:1: expected a whole number of at least 0, found -1");
  }
}

TEST(RunsFile, OtherSettingsAreAnErrorThatNamesTheFirst) {
  const TemporaryFolder folder;
  RunsFile file(folder / "runs.jsonl");
  file.use_settings(kSettings);
  StudySettings other = kSettings;
  other.fields[1].second = "10";
  const std::string message = rejection([&] { file.use_settings(other); });
  EXPECT_NE(message.find("expected runs of made with epochs 10, found epochs 20"), std::string::npos) << message;
  other.split = "random";  // another split may have its own
  file.use_settings(other);
}

TEST(RunsFile, BelongsToOneProcessAtATime) {
  const TemporaryFolder folder;
  const RunsFile file(folder / "runs.jsonl");
  EXPECT_NE(rejection([&] { const RunsFile second(folder / "runs.jsonl"); }).find("in use"), std::string::npos);
}

}  // namespace
}  // namespace faithful
