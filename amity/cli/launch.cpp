#include "amity/cli/launch.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "amity/base/report.hpp"
#include "amity/cli/child_process.hpp"
#include "amity/cli/commands.hpp"
#include "amity/cli/keep_going.hpp"
#include "amity/cli/program.hpp"

namespace amity::cli {
namespace {

using base::warn;

constexpr const char* packages =
    "Debian has one in openmpi-bin (with libpmix2), another in mpich: apt-get install openmpi-bin";

std::string first_line_with(const std::string& text, const char* what) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (line.find(what) != std::string::npos) {
      const std::size_t begin = line.find_first_not_of(" \t");
      return begin == std::string::npos ? line : line.substr(begin);
    }
    at = end + 1;
  }
  return {};
}

std::string with_single_blanks(const std::string& text) {
  std::string result;
  for (const char c : text)
    if (c != ' ' || (!result.empty() && result.back() != ' ')) result += c;
  return result;
}

// What a launcher is, by what it says of itself.
launcher ask(const std::string& command) {
  launcher found;
  found.command = command;
  child_options limited;
  limited.limit_s = 10;
  limited.hide_errors = true;
  const std::string text = run_child({command, "--version"}, limited).output;
  if (text.find("Open MPI") != std::string::npos || text.find("OpenRTE") != std::string::npos ||
      text.find("PRRTE") != std::string::npos) {
    found.family = launcher_family::open_mpi;
    found.version = text.substr(0, text.find('\n'));
  } else if (text.find("HYDRA") != std::string::npos) {
    found.family = launcher_family::hydra;
    found.version = "HYDRA " + with_single_blanks(first_line_with(text, "Version:"));
  } else if (text.starts_with("slurm")) {
    found.family = launcher_family::slurm;
    found.version = text.substr(0, text.find('\n'));
  } else if (std::filesystem::path(command).filename() == "srun") {
    // Without a configuration it does not even say its version.
    found.trouble = "it is Slurm's, and no cluster answers it: there is no slurm.conf here, or no slurmctld";
  }
  return found;
}

bool is_there(const std::string& command) { return find_program(command).result == program_lookup::outcome::found; }

}  // namespace

const char* name_of(launcher_family family) {
  switch (family) {
    case launcher_family::open_mpi:
      return "Open MPI";
    case launcher_family::hydra:
      return "MPICH (hydra)";
    case launcher_family::slurm:
      return "Slurm";
    case launcher_family::unknown:
      break;
  }
  return "a launcher that is not known";
}

launcher find_launcher(const std::string& wish, launcher_family mpi) {
  if (!wish.empty()) return is_there(wish) ? ask(wish) : launcher{};
  launcher first, unknown;
  for (const char* name : {"mpirun", "mpiexec", "mpirun.openmpi", "mpirun.mpich", "srun"}) {
    if (!is_there(name)) continue;
    launcher found = ask(name);
    launcher& kept = found.family != launcher_family::unknown ? first : unknown;
    if (kept.command.empty()) kept = found;
    if (!first.command.empty() && (mpi == launcher_family::unknown || found.family == mpi)) return found;
  }
  return first.command.empty() ? unknown : first;
}

// By the files' names, as launch/beside_mpi.cpp: Debian's MPICH is libmpich.so.12; its makers' own, and those that are
// like it, libmpi.so.12; Open MPI's is libmpi.so.40, and was .20 or less.
launcher_family mpi_among(const std::vector<loaded_library>& libraries, std::string* library) {
  for (const loaded_library& each : libraries) {
    const bool mpich = each.name.starts_with("libmpich.so") || each.name.starts_with("libmpi.so.12");
    if (!mpich && !each.name.starts_with("libmpi.so.")) continue;
    if (library != nullptr) *library = each.name;
    return mpich ? launcher_family::hydra : launcher_family::open_mpi;
  }
  return launcher_family::unknown;
}

std::vector<std::string> launch_command(const launcher& by, int processes, const launch_wishes& wishes,
                                        const std::vector<std::string>& words) {
  std::vector<std::string> all{by.command};
  const auto add = [&all](std::initializer_list<const char*> more) { all.insert(all.end(), more.begin(), more.end()); };
  const std::string n = std::to_string(processes);
  switch (by.family) {
    case launcher_family::open_mpi:
      // The processes share the cores themselves: unbound, each takes its part of all.
      add({"-n", n.c_str(), "--oversubscribe", "--bind-to", "none"});
      if (geteuid() == 0) add({"--allow-run-as-root"});
      if (wishes.tag) add({"--tag-output"});
      if (wishes.keep_going) add({"--enable-recovery"});
      if (!wishes.hosts.empty()) add({"--host", wishes.hosts.c_str()});
      break;
    case launcher_family::hydra:
      add({"-n", n.c_str()});
      if (wishes.tag) add({"-prepend-rank"});
      if (wishes.keep_going) add({"-disable-auto-cleanup"});
      if (!wishes.hosts.empty()) add({"-hosts", wishes.hosts.c_str()});
      break;
    case launcher_family::slurm:
      add({"-n", n.c_str(), "--mpi=pmix", "--overcommit"});
      if (wishes.tag) add({"--label"});
      if (wishes.keep_going) add({"--kill-on-bad-exit=0", "--no-kill"});
      if (!wishes.hosts.empty()) add({"-w", wishes.hosts.c_str()});
      break;
    case launcher_family::unknown:
      add({"-n", n.c_str()});
      break;
  }
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

namespace {

// Of queues, by what they set in the processes that they start; null: none.
const char* allocation() {
  for (const char* name :
       {"SLURM_JOB_ID", "PBS_NODEFILE", "LSB_JOBID", "PE_HOSTFILE", "COBALT_NODEFILE", "FLUX_JOB_ID"})
    if (std::getenv(name) != nullptr) return name;
  return nullptr;
}

bool speaks_for(const launcher& by, const launch_wishes& wishes) {
  return wishes.mpi == launcher_family::unknown || by.family == launcher_family::slurm || by.family == wishes.mpi;
}

void warn_of_other_mpi(const launcher& by, const launch_wishes& wishes) {
  const bool mpich = wishes.mpi == launcher_family::hydra;
  warn(
      "run: the program is linked with %s's MPI (%s), and '%s' is %s's launcher: in MPI each process will be alone, "
      "rank 0 of 1. %s (Debian: %s)",
      mpich ? "MPICH" : "Open MPI", wishes.mpi_library.c_str(), by.command.c_str(), mpich ? "Open MPI" : "MPICH",
      mpich ? "--launcher mpirun.mpich fits" : "--launcher mpirun.openmpi fits", mpich ? "mpich" : "openmpi-bin");
}

}  // namespace

bool starts_here(const launch_wishes& wishes, std::string& problem) {
  if (wishes.launcher == own_launcher) {
    if (!wishes.hosts.empty())
      problem = "--launcher amity starts processes on this machine alone, and --hosts names '" + wishes.hosts +
                "'; allowed with it: mpirun, mpiexec, srun";
    return problem.empty();
  }
  if (!wishes.launcher.empty() || !wishes.hosts.empty() || allocation() != nullptr) return false;
  const char* const net = std::getenv("AMITY_NET");
  const bool by_mpi = net != nullptr && std::strcmp(net, "mpi") == 0;
  if (wishes.mpi == launcher_family::unknown && !by_mpi) return true;
  // In Open MPI's each process would be alone. Without it there is nothing better.
  const launcher by = find_launcher({}, wishes.mpi);
  return by.family == launcher_family::unknown;
}

int launch(int processes, const launch_wishes& wishes, const std::vector<std::string>& words) {
  const launcher by = find_launcher(wishes.launcher, wishes.mpi);
  if (by.command.empty()) {
    if (wishes.launcher.empty())
      warn(
          "run: %d processes on several machines (%s) need a launcher, and there is none: mpirun, mpiexec or srun. "
          "--launcher amity starts them on this one. %s",
          processes, allocation() != nullptr ? allocation() : "--hosts", packages);
    else
      warn("run: the launcher '%s' is not there", wishes.launcher.c_str());
    return own_failure;
  }
  if (by.family == launcher_family::unknown && !by.trouble.empty()) {
    warn("run: the launcher '%s' can't start anything: %s. --launcher names another; %s", by.command.c_str(),
         by.trouble.c_str(), packages);
    return own_failure;
  }
  if (by.family == launcher_family::unknown) {
    warn(
        "run: '%s' is no launcher that Amity knows: Open MPI's mpirun, MPICH's (hydra) or Slurm's srun. --launcher "
        "names "
        "another; %s",
        by.command.c_str(), packages);
    return own_failure;
  }
  if (!speaks_for(by, wishes)) warn_of_other_mpi(by, wishes);
  const std::vector<std::string> all = launch_command(by, processes, wishes, words);
  if (wishes.keep_going) return wait_for_launcher(all);
  std::vector<char*> arguments;
  for (const std::string& word : all) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  warn("run: cannot start the launcher '%s': %s", by.command.c_str(), std::strerror(errno));
  return own_failure;
}

}  // namespace amity::cli
