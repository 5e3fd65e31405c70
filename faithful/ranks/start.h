#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "faithful/base/api.h"
#include "faithful/ranks/ranks.h"

namespace faithful {

// What mpirun or srun says about the job, by environment variables.
struct JobSigns {
  std::size_t size = 1;                  // processes
  std::optional<std::size_t> rank = {};  // this one
  std::size_t on_host = 1;               // processes on this host
  std::size_t rank_on_host = 0;          // this one among them
  std::string starter = {};              // "mpirun of Open MPI", "srun"; empty: none
  std::string plugin = {};               // "openmpi", "mpich"; empty: not known
};
FAITHFUL_API JobSigns job_signs();

struct RanksOptions {
  double time_out = 60;  // seconds without a sign of life from a rank before the job ends
  std::function<void(const std::string& line)> report = {};  // a failure that ends the job, to the user
};

// Joins the job that mpirun or srun has started; alone where none has. The MPI plug-in is looked for beside libfaithful
// (faithful/libfaithful_openmpi.so, faithful/libfaithful_mpich.so); FAITHFUL_MPI names one, or a file.
// InputError where it is not there or does not fit: N processes that do not know of each other must not begin.
FAITHFUL_API std::unique_ptr<Ranks> start_ranks(const RanksOptions& options);

}  // namespace faithful
