#pragma once

#include <string>
#include <utility>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/study/run.h"

// runs.jsonl: a line for every finished run, and before the first of each kind of settings a line that spells them out:
//   {"kind":"settings","settings":"<digest>","data":..,"split":..,"fields":{"window":"100",..}}
// Lines are added with one write and synced, so that a killed program leaves at most its last line torn.

namespace faithful {

// What runs must share to be compared, as names and values.
struct FAITHFUL_API StudySettings {
  std::string data = {}, split = {};
  std::vector<std::pair<std::string, std::string>> fields = {};

  std::string digest() const;  // 16 hexadecimal digits
  bool operator==(const StudySettings&) const = default;
};

struct LoadedRuns {
  std::vector<StudySettings> settings = {};
  std::vector<StudyRun> runs = {};
  std::string notice = {};     // what was dropped; empty: nothing
  std::size_t good_bytes = 0;  // of the file, without a torn last line
};

// Reads a file of runs. A last line that is not complete is dropped, with a notice; InputError for any other that is no
// run.
FAITHFUL_API LoadedRuns load_runs(const std::string& path);

// The file of a study that is running. It belongs to one process at a time.
class FAITHFUL_API RunsFile {
 public:
  explicit RunsFile(std::string path);  // made where it does not exist; InputError where another process has it
  ~RunsFile();
  RunsFile(const RunsFile&) = delete;
  RunsFile& operator=(const RunsFile&) = delete;

  const std::string& path() const { return path_; }
  const std::vector<StudyRun>& runs() const { return loaded_.runs; }  // that were there at the start
  const std::string& notice() const { return loaded_.notice; }

  // Writes the settings down where they are new. InputError, naming the first difference, where the file has runs of
  // the same data and split with others: they must not stand in one table.
  void use_settings(const StudySettings& settings);
  void add(const StudyRun& run);

 private:
  void append(const std::string& line);
  std::string path_;
  int descriptor_ = -1;
  LoadedRuns loaded_;
};

}  // namespace faithful
