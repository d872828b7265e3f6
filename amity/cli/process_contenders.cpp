#include "amity/cli/process_contenders.hpp"

#include <algorithm>
#include <filesystem>

#include "amity/base/report.hpp"
#include "amity/cli/contenders.hpp"
#include "amity/cli/launch.hpp"
#include "amity/cli/own_folder.hpp"

namespace amity::cli {
namespace {

using base::warn;

// Of that family: Debian has both beside one another, by names of their own.
launcher find_launcher_of(launcher_family family, const std::vector<const char*>& names) {
  for (const char* name : names)
    if (launcher found = find_launcher(name); !found.command.empty() && found.family == family) return found;
  return {};
}

launcher find_openmpi() { return find_launcher_of(launcher_family::open_mpi, {"mpirun.openmpi", "mpirun", "mpiexec"}); }
launcher find_mpich() { return find_launcher_of(launcher_family::hydra, {"mpirun.mpich", "mpirun", "mpiexec"}); }

// "HYDRA Version: 4.0.2, by mpirun.mpich"
std::string words_of(const launcher& by) { return by.version + ", by " + by.command; }

void add_mpi(std::vector<contender>& all, const std::string& label, const std::string& program, const launcher& by,
             const char* package) {
  if (program.empty() || by.command.empty()) {
    if (program.empty())
      warn("bench: there is no program of %s: it is left out. A build has one where mpicxx.%s is (Debian: lib%s-dev)",
           label.c_str(), label.c_str(), label.c_str());
    else
      warn("bench: there is no launcher of %s: it is left out (Debian: %s)", label.c_str(), package);
    return;
  }
  contender one{label, program, "", words_of(by)};
  one.start = [by, program](int ranks) { return launch_command(by, ranks, {}, {program}); };
  all.push_back(one);
  if (by.family != launcher_family::open_mpi) return;
  one.label = yielding_mpi;
  one.runtime += ", mpi_yield_when_idle";
  one.environment = {{"OMPI_MCA_mpi_yield_when_idle", "1"}};
  one.crowded = true;
  all.push_back(one);
}

// It makes its processes by itself.
void add_ucx(std::vector<contender>& all, const std::string& program) {
  if (program.empty()) {
    warn("bench: there is no program of UCX alone: it is left out. A build has one where UCX is (Debian: libucx-dev)");
    return;
  }
  contender one{raw_ucx, program, "", program, false, true};
  one.start = [program](int ranks) { return std::vector<std::string>{program, "--ranks", std::to_string(ranks)}; };
  all.push_back(one);
}

bool has_ucx() {
  std::string looked_in;
  std::error_code ignored;
  const auto own = find_own_libraries(looked_in);
  return own && std::filesystem::exists(own->folder / "libamity_ucx.so", ignored);
}

// Without UCX it is the sockets that count; else they are there to be seen.
void add_amity(std::vector<contender>& all, const std::string& program) {
  if (program.empty()) {
    warn("bench: there is no program of Amity: only the rivals are measured");
    return;
  }
  const auto start = [program](int ranks) {
    return std::vector<std::string>{own_program().string(), "run",        "-n", std::to_string(ranks),
                                    "--launcher",           own_launcher, "--", program};
  };
  const bool ucx = has_ucx();
  if (ucx) {
    contender one{amity_by_ucx, program, "", "amity run", true};
    one.environment = {{"AMITY_NET", "ucx"}};
    one.start = start;
    all.push_back(one);
  } else {
    warn("bench: libamity_ucx.so is not beside Amity's libraries: Amity is measured with sockets only");
  }
  contender one{amity_by_sockets, program, "", "amity run", true, ucx};
  one.environment = {{"AMITY_NET", "sockets"}};
  one.start = start;
  all.push_back(one);
}

}  // namespace

std::vector<contender> find_process_contenders(const suite& of, const bench_options& options, std::string& error) {
  std::vector<contender> all;
  error = lack_of_programs(of, options);
  for (const std::string& rival : options.rivals)
    if (error.empty()) error = wrong_rival(of, rival);
  if (!error.empty()) return all;
  for (const std::string& idiom : of.idioms) {
    const bool asked = std::find(options.rivals.begin(), options.rivals.end(), idiom) != options.rivals.end();
    const std::string program = find_bench_file(options.programs, of.program(idiom.c_str()));
    if (idiom == "amity") add_amity(all, program);
    if (!asked) continue;
    if (idiom == "openmpi") add_mpi(all, idiom, program, find_openmpi(), "openmpi-bin");
    if (idiom == "mpich") add_mpi(all, idiom, program, find_mpich(), "mpich");
    if (idiom == raw_ucx) add_ucx(all, program);
  }
  return all;
}

}  // namespace amity::cli
