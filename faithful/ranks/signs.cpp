#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "faithful/base/number.h"
#include "faithful/ranks/start.h"

namespace faithful {

namespace {

std::optional<std::size_t> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return {};
  const std::string_view all(text);
  return parse_number<std::size_t>(all.substr(0, all.find_first_of("(,")));  // Slurm: 4(x2),3
}

// Who starts processes, and how it numbers them.
struct Starter {
  const char *size, *rank, *on_host, *rank_on_host;  // variables
  const char *name, *plugin;
};

}  // namespace

// Variables of a batch script of Slurm (SLURM_NTASKS) stand for no process; those of a step do.
JobSigns job_signs() {
  const bool by_slurm = std::getenv("SLURM_STEP_NUM_TASKS") != nullptr;
  const Starter starters[] = {
      {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
       "mpirun of Open MPI", "openmpi"},
      {"PMI_SIZE", "PMI_RANK", by_slurm ? "SLURM_STEP_TASKS_PER_NODE" : "MPI_LOCALNRANKS",
       by_slurm ? "SLURM_LOCALID" : "MPI_LOCALRANKID", by_slurm ? "srun" : "mpirun of MPICH", "mpich"},
      {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "SLURM_STEP_TASKS_PER_NODE", "SLURM_LOCALID", "srun",
       std::getenv("PMIX_RANK") != nullptr ? "openmpi" : ""}};
  for (const Starter& starter : starters) {
    const std::size_t size = number_in(starter.size).value_or(0);
    if (size > 0)
      return {.size = size,
              .rank = number_in(starter.rank),
              .on_host = std::max<std::size_t>(1, number_in(starter.on_host).value_or(1)),
              .rank_on_host = number_in(starter.rank_on_host).value_or(0),
              .starter = starter.name,
              .plugin = starter.plugin};
  }
  return {};
}

}  // namespace faithful
