#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/threads.h"

// Long tasks, such as whole trainings, that do not depend on each other: threads run them, or several processes do.

namespace faithful {

struct Task {
  std::string name = {};                  // of file names' characters; what the same task is called in every process
  std::optional<std::string> known = {};  // its result, where it need not run
};

struct Tasks {
  std::vector<Task> list = {};
  // Runs a task on the caller's thread, and gives its result; none where `stop`, asked all the time, has stopped it.
  std::function<std::optional<std::string>(std::size_t task, const std::function<bool()>& stop)> run = {};
  // Called once for each task, wherever it ran; one call at a time.
  std::function<void(std::size_t task, const std::string& result)> take = {};
  std::function<bool()> stop = {};  // what this process thinks; the crew may stop for other reasons
};

// Who runs tasks. Every process of a crew calls run() with tasks of the same names, and takes all their results.
class FAITHFUL_API Crew {
 public:
  virtual ~Crew() = default;
  Crew() = default;
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  virtual std::size_t size() const = 0;      // tasks at a time, as far as this process knows
  virtual bool run(const Tasks& tasks) = 0;  // false where it was stopped; the first exception of a task is thrown
  virtual std::optional<std::string> find_finished(const std::string& name);  // by an earlier run of the crew
};

// The threads of this process.
class FAITHFUL_API ThreadCrew final : public Crew {
 public:
  explicit ThreadCrew(std::size_t threads) : pool_(threads) {}
  std::size_t size() const override { return pool_.size(); }
  bool run(const Tasks& tasks) override;

 private:
  ThreadPool pool_;
};

}  // namespace faithful
