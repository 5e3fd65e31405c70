#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "faithful/base/api.h"
#include "faithful/base/crew.h"

namespace faithful {

struct FolderCrewOptions {
  std::size_t number = 1, of = 1;  // this process, from 1: where it begins. The others need not be there.
  std::size_t threads = 1;
  double time_out = 60;  // seconds without a sign of life before another process counts as dead
};

// Where the results of a crew are moved to.
class FAITHFUL_API KeptResults {
 public:
  virtual ~KeptResults() = default;
  KeptResults() = default;
  KeptResults(const KeptResults&) = delete;
  KeptResults& operator=(const KeptResults&) = delete;

  virtual void refresh() = 0;  // other processes add to it
  virtual std::optional<std::string> find(const std::string& name) = 0;
};

// Processes that share tasks through a folder, which all of them see. Each takes a task that nobody has finished and no
// living process works on, until all are finished: the others go on where one dies. The result of a task is a file
// NAME.result, written as a whole.
class FAITHFUL_API FolderCrew final : public Crew {
 public:
  // `kept` must outlive it. The folder is made.
  FolderCrew(const std::string& folder, const FolderCrewOptions& options, KeptResults& kept);
  ~FolderCrew() override;

  std::size_t size() const override;
  bool run(const Tasks& tasks) override;
  std::optional<std::string> find_finished(const std::string& name) override;

  // Calls `work` in one process at a time, until it is done. False where other processes have done it.
  bool run_alone(const std::string& name, const std::function<bool()>& is_done, const std::function<void()>& work);

 private:
  class Shift;
  struct State;
  std::unique_ptr<State> state_;
};

// Any crew, with the results of its tasks kept in a folder, as those of a FolderCrew: tasks that have one there do not
// run again.
class FAITHFUL_API KeepingCrew final : public Crew {
 public:
  KeepingCrew(std::unique_ptr<Crew> crew, const std::string& folder);  // the folder is made

  std::size_t size() const override { return crew_->size(); }
  bool run(const Tasks& tasks) override;
  std::optional<std::string> find_finished(const std::string& name) override;

 private:
  std::unique_ptr<Crew> crew_;
  std::string folder_;
};

// The file of a result: FOLDER/NAME.result.
inline constexpr const char* kResultEnding = ".result";
FAITHFUL_API std::string path_of_result(const std::string& folder, const std::string& name);

// Writes a new file as a whole, and makes its folder. False, and nothing is done, where there is one of that name already: of several
// processes one succeeds.
FAITHFUL_API bool write_new_file(const std::string& path, const std::string& bytes);

// The text of a file that another process may remove, without its last newline. None where it is not there, or no longer.
FAITHFUL_API std::optional<std::string> read_if_there(const std::string& path);

}  // namespace faithful
