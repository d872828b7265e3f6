#include "amity/sys/launcher.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace amity::sys {

int number_of_variable(const char* name, int fallback) noexcept {
  const char* const text = getenv(name);
  if (text == nullptr || *text == '\0') return fallback;
  char* end = nullptr;
  errno = 0;
  long const value = strtol(text, &end, 10);
  return errno == 0 && *end == '\0' && value >= 0 && value <= 1'000'000 ? static_cast<int>(value) : fallback;
}

node_rank rank_on_node() noexcept {
  struct names {
    const char* rank;
    const char* size;
  };
  // Open MPI's mpirun; MPICH's.
  for (const names& by : {names{"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                          names{"MPI_LOCALRANKID", "MPI_LOCALNRANKS"}}) {
    int const size = number_of_variable(by.size, 0), rank = number_of_variable(by.rank, 0);
    if (size > 0) return {rank, size};
  }
  // srun: "2(x3),1" has the tasks of each node. Mostly all have the same number.
  if (const char* const tasks = getenv("SLURM_STEP_TASKS_PER_NODE"); tasks != nullptr && atoi(tasks) > 0)
    return {number_of_variable("SLURM_LOCALID", 0), atoi(tasks)};
  return {};
}

int rank_in_job() noexcept {
  for (const char* const name :
       {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"})
    if (int const rank = number_of_variable(name, -1); rank >= 0) return rank;
  return -1;
}

int share_of_node(const cpu_budget& budget, const node_rank& me, dealt by_launcher) noexcept {
  int const cpus = budget.usable;
  bool const is_bound = by_launcher == dealt::unknown && budget.in_mask < sysconf(_SC_NPROCESSORS_ONLN);
  if (me.size <= 1 || is_bound) return cpus;
  return std::max(1, cpus / me.size + (me.rank < cpus % me.size ? 1 : 0));
}

bool node_is_crowded(int cpus, const node_rank& me) noexcept {
  long const here = sysconf(_SC_NPROCESSORS_ONLN);
  return me.size > cpus && (cpus >= here || static_cast<long>(me.size) * cpus > here);
}

namespace {

bool asks_for(std::uintptr_t base, const ElfW(Dyn) * dynamic, const char* beginning) noexcept {
  const ElfW(Sym)* symbols = nullptr;
  const char* names = nullptr;
  const std::uint32_t* hashes = nullptr;
  for (const ElfW(Dyn)* d = dynamic; d->d_tag != DT_NULL; ++d) {
    if (d->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(d->d_un.d_ptr);
    if (d->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(d->d_un.d_ptr);
    if (d->d_tag == DT_GNU_HASH) hashes = reinterpret_cast<const std::uint32_t*>(d->d_un.d_ptr);
  }
  // The kernel's own library says where its tables are in a way of its own, and asks for nothing.
  bool const is_usual =
      symbols != nullptr && names != nullptr && hashes != nullptr && reinterpret_cast<std::uintptr_t>(symbols) > base;
  if (!is_usual) return false;
  std::uint32_t const first_offered = hashes[1];  // what a module asks for comes before, and is in no hash table
  std::size_t const length = strlen(beginning);
  for (std::uint32_t i = 1; i < first_offered; ++i)
    if (symbols[i].st_shndx == SHN_UNDEF && strncmp(names + symbols[i].st_name, beginning, length) == 0) return true;
  return false;
}

bool is_one_of(const char* path, const char* const* names) noexcept {
  if (names == nullptr || path == nullptr) return false;
  const char* const slash = strrchr(path, '/');
  const char* const file = slash != nullptr ? slash + 1 : path;
  for (; *names != nullptr; ++names)
    if (std::size_t const length = strlen(*names);
        strncmp(file, *names, length) == 0 && (file[length] == '.' || file[length] == '-'))
      return true;
  return false;
}

}  // namespace

bool program_asks_for(const char* beginning, const char* const* but) noexcept {
  struct question {
    const char* beginning;
    const char* const* but;
  } asked{beginning, but};
  // Not along the loader's own list: other threads may open libraries.
  const auto look = [](dl_phdr_info* module, std::size_t, void* data) {
    const auto& of = *static_cast<const question*>(data);
    if (is_one_of(module->dlpi_name, of.but)) return 0;
    for (int i = 0; i < module->dlpi_phnum; ++i) {
      const ElfW(Phdr)& segment = module->dlpi_phdr[i];
      if (segment.p_type != PT_DYNAMIC) continue;
      const auto* const dynamic = reinterpret_cast<const ElfW(Dyn)*>(module->dlpi_addr + segment.p_vaddr);
      return asks_for(module->dlpi_addr, dynamic, of.beginning) ? 1 : 0;
    }
    return 0;
  };
  return dl_iterate_phdr(look, &asked) != 0;
}

}  // namespace amity::sys
