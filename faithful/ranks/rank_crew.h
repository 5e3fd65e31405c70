#pragma once

#include <cstddef>

#include "faithful/base/api.h"
#include "faithful/base/crew.h"
#include "faithful/ranks/ranks.h"

namespace faithful {

// The ranks of a job share tasks: rank 0 deals them to threads of all ranks, its own too, as these become free. In the
// end every rank has all results. A task is known by its name, so that ranks that plan different tasks (other data,
// another version) are found out. InputError at rank 0, then.
class FAITHFUL_API RankCrew final : public Crew {
 public:
  RankCrew(Ranks& ranks, std::size_t threads) : ranks_(ranks), threads_(threads) {}  // threads of this rank

  std::size_t size() const override { return ranks_.size() * threads_; }
  bool run(const Tasks& tasks) override;

 private:
  bool deal(const Tasks& tasks);   // rank 0
  bool serve(const Tasks& tasks);  // the others

  Ranks& ranks_;
  std::size_t threads_;
};

}  // namespace faithful
