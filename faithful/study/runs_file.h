#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/io/file.h"
#include "faithful/study/run.h"

// runs.jsonl has a line for every finished job. A line with the settings comes before the first run that has them:
//   {"kind":"settings","settings":"<digest>","data":..,"split":..,"fields":{"window":"100",..}}
// Every line is one write and then synced: a killed program leaves at most an incomplete last line.

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
  std::size_t good_bytes = 0;  // of the file, without an incomplete last line
};

// Reads a file of runs. An incomplete last line is dropped, with a notice. InputError for any other line that is not a
// run.
FAITHFUL_API LoadedRuns load_runs(const std::string& path);
FAITHFUL_API LoadedRuns parse_runs(std::string_view bytes, const std::string& path);

// Where workers (worker.h) keep what is not in the file yet: DIR/workers of DIR/runs.jsonl.
FAITHFUL_API std::string workers_folder(const std::string& runs_path);

// The finished runs of workers that are not in the file yet, with their settings.
FAITHFUL_API LoadedRuns load_worker_runs(const std::string& runs_path);

// The file of a study that is running. It belongs to one process at a time. Runs that workers have left beside it are
// moved into it.
class FAITHFUL_API RunsFile {
 public:
  explicit RunsFile(const std::string& path);  // created if needed; InputError while another process uses it

  const std::string& path() const { return file_.path(); }
  const std::vector<StudyRun>& runs() const { return loaded_.runs; }
  const std::string& notice() const { return loaded_.notice; }

  // Writes the settings if they are new. InputError, with the first difference, if the file has runs of the same data
  // and split with other settings: they cannot be compared.
  void use_settings(const StudySettings& settings);
  void add(const StudyRun& run);

 private:
  friend class StudyWorker;
  RunsFile(const std::string& path, FileLock lock);
  void take_worker_runs();  // moves them from the folder of the workers into this file
  void append(const std::string& line);
  AppendedFile file_;
  LoadedRuns loaded_;
};

}  // namespace faithful
