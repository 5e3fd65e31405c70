#pragma once

#include <cstddef>
#include <string>

#include "faithful/ranks/ranks.h"

// The program as one of several processes that mpirun or srun has started.

namespace faithful::app {

// Joins the other processes; a verb that works over ranks calls it first (Command::takes_ranks). Alone: a job of size 1.
Ranks& join_job();

// InputError where several processes were started for a verb that knows nothing of it: each would do all of the work,
// and write the same files.
void refuse_ranks(const std::string& path);

// This process is not rank 0: it prints nothing.
bool is_silent();

// --threads: the cores that this process may use, shared with the other ranks on this host.
std::size_t threads_of_rank();

// All ranks have done their work.
void leave_job();

// The one line about a failure: rank 0 prints it, and the job ends on all ranks. Elsewhere than in a job it is printed.
void report_failure(const std::string& line, int code);

}  // namespace faithful::app
