#include "amity/omp/settings/ranks.hpp"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstring>

#include "amity/base/report.hpp"
#include "amity/sys/cpu_mask.hpp"
#include "amity/sys/topology.hpp"

namespace amity::omp {
namespace {

struct launcher {
  const char* number;  // of the rank on its node
  const char* count;   // of ranks on the node
  const char* how;
};

// Those that know their node best go first: under Slurm, mpirun sets its own variables beside Slurm's.
constexpr launcher launchers[] = {
    {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "'mpirun --map-by slot:PE=%d'"},
    {"MPI_LOCALRANKID", "MPI_LOCALNRANKS", "'mpiexec -bind-to core:%d' (Intel MPI: I_MPI_PIN_DOMAIN=omp)"},
    {"MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE",
     "MV2_CPU_BINDING_POLICY=hybrid and MV2_THREADS_PER_PROCESS=%d"},
    {"PMI_LOCAL_RANK", "PMI_LOCAL_SIZE", "the launcher's option for %d cores a rank"},
    {"SLURM_LOCALID", "SLURM_NTASKS_PER_NODE", "'srun --cpus-per-task=%d'"},
};

constexpr int most_hardware_threads = 8;  // of one core

// A number from 0 on; -1 if there is none. What follows it doesn't matter: Slurm writes lists.
int number_in(const char* name) noexcept {
  const char* text = getenv(name);
  if (text == nullptr || *text < '0' || *text > '9') return -1;
  return static_cast<int>(strtol(text, nullptr, 10));
}

bool is_one_core(const sys::cpu_mask& mask) noexcept {
  int const cpus = mask.count();
  if (cpus <= 1) return cpus == 1;
  return cpus <= most_hardware_threads && sys::object_sets(sys::object_kind::cores, mask).size() == 1;
}

bool may_run_on_just(const sys::cpu_mask& mask, pid_t process) noexcept {
  sys::cpu_mask its = mask.copy();
  if (sched_getaffinity(process, its.bytes(), const_cast<cpu_set_t*>(its.native())) != 0) return false;
  return CPU_EQUAL_S(its.bytes(), its.native(), mask.native()) != 0;
}

bool was_started_with(const char* variable, pid_t process) noexcept {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/environ", static_cast<int>(process));
  FILE* file = fopen(path, "re");
  if (file == nullptr) return false;
  std::size_t const length = std::strlen(variable);
  char* entry = nullptr;
  std::size_t size = 0;
  bool found = false;
  while (!found && getdelim(&entry, &size, '\0', file) > 0)
    found = std::strncmp(entry, variable, length) == 0 && entry[length] == '=';
  free(entry);
  fclose(file);
  return found;
}

// How many ranks that the same parent has started have this mask: the parent is the launcher's own process on this
// node. Where something in between starts the ranks, or the kernel doesn't list children, others are not seen.
int ranks_confined_to(const sys::cpu_mask& mask, const char* variable) noexcept {
  char path[64];
  int found = 0;
  snprintf(path, sizeof path, "/proc/%d/task", static_cast<int>(getppid()));
  DIR* threads = opendir(path);
  if (threads == nullptr) return 0;
  while (const dirent* entry = readdir(threads)) {
    char list[128];
    snprintf(list, sizeof list, "%s/%.20s/children", path, entry->d_name);
    FILE* file = fopen(list, "re");
    if (file == nullptr) continue;
    for (int child; fscanf(file, "%d", &child) == 1;)
      if (may_run_on_just(mask, child) && was_started_with(variable, child)) ++found;
    fclose(file);
  }
  closedir(threads);
  return found;
}

}  // namespace

local_rank find_local_rank() noexcept {
  for (const launcher& l : launchers)
    if (int const number = number_in(l.number); number >= 0) {
      int const count = number_in(l.count);
      return {number, count > number ? count : 0, l.number, l.how};
    }
  return {};
}

void warn_of_confined_ranks(const settings& s) noexcept {
  local_rank const rank = find_local_rank();
  if (rank.number != 0) return;  // one word a node is enough
  sys::cpu_mask const mask = sys::cpu_mask::of_calling_thread();
  if (!is_one_core(mask)) return;
  int const cpus_online = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  int const share = cpus_online / (rank.count > 0 ? rank.count : 1);
  int const wanted = s.num_threads_levels > 0 ? s.num_threads[0] : share;
  bool const all_here =
      rank.count > 1 && cpus_online > mask.count() && ranks_confined_to(mask, rank.variable) == rank.count;
  if (wanted <= mask.count() && !all_here) return;

  char who[96], cpus[64], threads[64] = "", how[160], advice[256];
  if (all_here)
    snprintf(who, sizeof who, "all %d MPI processes on this node may use the same core only", rank.count);
  else if (rank.count > 1)
    snprintf(who, sizeof who, "MPI process 0 of the %d on this node may use one core only", rank.count);
  else
    snprintf(who, sizeof who, "this MPI process may use one core only");
  if (s.num_threads_levels > 0 && wanted > 1)
    snprintf(threads, sizeof threads, "; the %d threads of OMP_NUM_THREADS", wanted);
  int const cores = wanted < share ? wanted : share;
  snprintf(how, sizeof how, rank.how, cores > 1 ? cores : 1);
  if (cores > 1)
    snprintf(advice, sizeof advice, "%s gives each process %d", how, cores);
  else if (all_here)
    snprintf(advice, sizeof advice, "%s gives each its own", how);
  else
    snprintf(advice, sizeof advice,
             "with so many processes there is no other for it: OMP_NUM_THREADS=1 is better here");
  base::warn("%s, CPU %s of %d%s take turns there; %s (KMP_WARNINGS=0 silences this)", who,
             sys::format_cpus(mask, cpus, sizeof cpus), cpus_online, *threads != '\0' ? threads : "; its threads",
             advice);
}

}  // namespace amity::omp
