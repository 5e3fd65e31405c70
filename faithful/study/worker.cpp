#include "faithful/study/worker.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "faithful/base/cpu.h"
#include "faithful/base/error.h"
#include "faithful/base/sha256.h"
#include "faithful/io/file.h"
#include "faithful/study/runs_file_internal.h"

namespace faithful {

namespace {

constexpr const char* kMerge = "merge";  // the claim of the process that moves the runs

std::vector<std::filesystem::path> files_in(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    files.push_back(at->path());
  std::ranges::sort(files);
  return files;
}

// runs.jsonl, read again whenever it has changed.
class KeptRuns final : public KeptResults {
 public:
  explicit KeptRuns(std::string path) : path_(std::move(path)) {}

  // Opened each time: on a network that asks for the size as it is now.
  void refresh() override {
    const std::size_t size = InputFile(path_).size();
    if (size == size_) return;
    LoadedRuns loaded = load_runs(path_);
    for (const StudyRun& run : loaded.runs) lines_.emplace(run.key, dump_json(to_json(run)));
    settings_ = std::move(loaded.settings);
    size_ = size;
  }

  std::optional<std::string> find(const std::string& key) override {
    const auto found = lines_.find(key);
    return found == lines_.end() ? std::nullopt : std::optional(found->second);
  }

  const std::vector<StudySettings>& settings() const { return settings_; }

 private:
  std::string path_;
  std::size_t size_ = 0;
  std::map<std::string, std::string> lines_;
  std::vector<StudySettings> settings_;
};

// The settings of one set of data and split: all workers must agree on them.
std::string settings_path(const std::string& folder, const StudySettings& settings) {
  return fmt::format("{}/{}{}", folder, sha256(settings.data + "\n" + settings.split).substr(0, 16), kSettingsEnding);
}

// Another instruction set may give other last digits: all workers must have the same.
constexpr const char* kInstructions = "instruction-set";

void agree_on_instructions(const std::string& folder) {
  const std::string path = folder + "/" + kInstructions;
  std::optional<std::string> found;
  while (!found) {
    if (write_new_file(path, instruction_set())) return;
    found = read_if_there(path);  // a worker that ends removes it
  }
  if (*found != instruction_set())
    reject({{path},
            fmt::format("{}, that of this machine", instruction_set()),
            *found,
            fmt::format("FAITHFUL_ISA={} sets it for a worker", *found)});
}

}  // namespace

std::string workers_folder(const std::string& runs_path) {
  return (std::filesystem::path(runs_path).parent_path() / "workers").string();
}

LoadedRuns load_worker_runs(const std::string& runs_path) {
  LoadedRuns all;
  for (const std::filesystem::path& file : files_in(workers_folder(runs_path))) {
    if (file.extension() != kResultEnding && file.extension() != kSettingsEnding) continue;
    LoadedRuns one;
    try {
      one = load_runs(file.string());
    } catch (const InputError&) {
      if (std::filesystem::exists(file)) throw;  // else it was moved this moment
    }
    std::ranges::move(one.settings, std::back_inserter(all.settings));
    std::ranges::move(one.runs, std::back_inserter(all.runs));
  }
  return all;
}

void RunsFile::take_worker_runs() {
  const std::string folder = workers_folder(path());
  const LoadedRuns found = load_worker_runs(path());
  std::set<std::string> keys;
  std::string lines;
  for (const StudySettings& settings : found.settings) use_settings(settings);
  for (const StudyRun& run : loaded_.runs) keys.insert(run.key);
  for (const StudyRun& run : found.runs) {
    if (!keys.insert(run.key).second) continue;
    lines += dump_json(to_json(run)) + "\n";
    loaded_.runs.push_back(run);
  }
  if (!lines.empty()) append(lines);
  // Only what the file has for certain is removed: locks may be missing, and another process have written at once.
  std::set<std::string> kept;
  for (const StudyRun& run : load_runs(path()).runs) kept.insert(run.key);
  for (const StudyRun& run : found.runs)
    if (!kept.contains(run.key))
      throw Error(fmt::format("{}: a run of a worker was not written; the same command tries again", path()));
  // Results last: as long as one is there, another process goes on with this after a kill.
  const auto remove = [&](const auto& is_done_with) {
    std::error_code ignored;
    for (const std::filesystem::path& file : files_in(folder))
      if (is_done_with(file)) std::filesystem::remove(file, ignored);
  };
  remove([](const auto& file) { return file.extension() == kSettingsEnding || file.filename() == kInstructions; });
  remove([&](const auto& file) { return kept.contains(file.stem().string()); });
}

struct StudyWorker::State {
  State(const std::string& path, const FolderCrewOptions& options)
      : lock(path),
        locked((lock_file(lock.descriptor(), path, FileLock::kShared), true)),
        kept(path),
        crew(workers_folder(path), options, kept) {
    kept.refresh();
  }

  AppendedFile lock;  // runs.jsonl, against a process that wants it alone
  bool locked;
  KeptRuns kept;
  FolderCrew crew;
};

StudyWorker::StudyWorker(const std::string& runs_path, const FolderCrewOptions& options)
    : state_(std::make_unique<State>(runs_path, options)) {
  agree_on_instructions(workers_folder(runs_path));
}

StudyWorker::~StudyWorker() {
  const std::string folder = workers_folder(state_->lock.path());
  const std::vector<std::filesystem::path> files = files_in(folder);
  if (files.size() == 1 && files[0].filename() == kInstructions) ::unlink(files[0].c_str());
  ::rmdir(folder.c_str());  // if it is empty
}

Crew& StudyWorker::crew() {
  return state_->crew;
}

void StudyWorker::use_settings(const StudySettings& settings) {
  const std::string& runs_path = state_->lock.path();
  const std::string path = settings_path(workers_folder(runs_path), settings);
  while (!is_among(settings, state_->kept.settings(), runs_path)) {
    if (write_new_file(path, settings_line(settings))) return;
    try {
      is_among(settings, load_runs(path).settings, path);
      return;
    } catch (const InputError&) {
      if (std::filesystem::exists(path)) throw;
    }
    state_->kept.refresh();  // it was moved this moment
  }
}

bool StudyWorker::finish(const std::vector<StudyRun>& runs) {
  const std::string& path = state_->lock.path();
  const std::string folder = workers_folder(path);
  const auto is_done = [&] {
    const bool moved = std::ranges::none_of(
        runs, [&](const StudyRun& run) { return std::filesystem::exists(path_of_result(folder, run.key)); });
    state_->kept.refresh();
    return moved &&
           std::ranges::all_of(runs, [&](const StudyRun& run) { return state_->kept.find(run.key).has_value(); });
  };
  return state_->crew.run_alone(kMerge, is_done, [&] { RunsFile(path, FileLock::kShared).take_worker_runs(); });
}

}  // namespace faithful
