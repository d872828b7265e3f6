#include "amity/cli/launch.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "amity/base/report.hpp"
#include "amity/cli/child_process.hpp"
#include "amity/cli/commands.hpp"
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
    found.version = "HYDRA " + first_line_with(text, "Version:");
  } else if (text.starts_with("slurm")) {
    found.family = launcher_family::slurm;
    found.version = text.substr(0, text.find('\n'));
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

launcher find_launcher(const std::string& wish) {
  if (!wish.empty()) return is_there(wish) ? ask(wish) : launcher{};
  launcher unknown;
  for (const char* name : {"mpirun", "mpiexec", "mpirun.openmpi", "mpirun.mpich", "srun"}) {
    if (!is_there(name)) continue;
    launcher found = ask(name);
    if (found.family != launcher_family::unknown) return found;
    if (unknown.command.empty()) unknown = found;
  }
  return unknown;
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

int launch(int processes, const launch_wishes& wishes, const std::vector<std::string>& words) {
  const launcher by = find_launcher(wishes.launcher);
  if (by.command.empty()) {
    if (wishes.launcher.empty())
      warn("run: %d processes need a launcher, and there is none: mpirun, mpiexec or srun. %s", processes, packages);
    else
      warn("run: the launcher '%s' is not there", wishes.launcher.c_str());
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
  const std::vector<std::string> all = launch_command(by, processes, wishes, words);
  std::vector<char*> arguments;
  for (const std::string& word : all) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  warn("run: cannot start the launcher '%s': %s", by.command.c_str(), std::strerror(errno));
  return own_failure;
}

}  // namespace amity::cli
