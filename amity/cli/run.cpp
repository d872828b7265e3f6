// `amity run`: the program's loader is made to find Amity's library under the names of the OpenMP runtimes, by
// LD_LIBRARY_PATH and an auditor (redirect/); then the program takes the place of `amity`, so that its process, its
// terminal and its exit status are its own.
#include <sys/personality.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>

#include "amity/base/report.hpp"
#include "amity/cli/commands.hpp"
#include "amity/cli/keep_going.hpp"
#include "amity/cli/launch.hpp"
#include "amity/cli/local/local_launch.hpp"
#include "amity/cli/local/node_channels.hpp"
#include "amity/cli/node_connections.hpp"
#include "amity/cli/node_threads.hpp"
#include "amity/cli/own_folder.hpp"
#include "amity/cli/page_tracing.hpp"
#include "amity/cli/program.hpp"
#include "amity/dsm/memory.hpp"
#include "amity/omp/settings/parse.hpp"
#include "amity/sys/cpus.hpp"

namespace amity::cli {
namespace {

using base::warn;

constexpr int nodes_of_launcher = -1;  // as many as mpirun or srun has started

struct run_options {
  std::string threads;
  bool stats = false;
  bool profile = false;
  std::string trace, trace_size;  // empty: not asked for; as said by AMITY_TRACE_SIZE
  std::string counters;
  bool verbose = false;
  int processes = 0;   // 0: not said
  int nodes = 0;       // 0: not said; nodes_of_launcher
  std::string traced;  // --trace-pages: empty: no; "true": without a folder
  launch_wishes launch;
  bool is_rank = false;  // of an `amity run -n`
  std::vector<std::string> program;

  [[nodiscard]] bool expects_openmp() const { return stats || profile || !trace.empty() || !counters.empty(); }
};

void put_in_front(const char* variable, const std::string& value) {
  const char* old = std::getenv(variable);
  // An empty element of a search path means the current folder: none must be made by the way.
  const bool none = old == nullptr || *old == '\0';
  setenv(variable, none ? value.c_str() : (value + ":" + old).c_str(), 1);
}

void set_environment(const run_options& options, const own_libraries& own) {
  put_in_front("LD_LIBRARY_PATH", own.folder.string());
  // The path is lost where the program puts its own in front, or carries a copy of its own: the auditor is asked before
  // any path.
  const char* auditors = std::getenv("LD_AUDIT");
  // An `amity run` inside another: a second copy of the auditor would report what the first has made of the names.
  if (auditors == nullptr ||
      (":" + std::string(auditors) + ":").find(":" + own.auditor.string() + ":") == std::string::npos)
    put_in_front("LD_AUDIT", own.auditor.string());
  setenv("AMITY_REDIRECT", own.folder.c_str(), 1);
  unsetenv("AMITY_REDIRECT_REPORT");  // of an `amity run -v` around this one
  if (!options.threads.empty()) {
    setenv("OMP_NUM_THREADS", options.threads.c_str(), 1);
    // Workers, of a program that has tasks of C++: the library sees that (sched/loop/pool.cpp), also in what a script
    // starts. It goes before an AMITY_THREADS from outside; one that a script sets within goes before it.
    unsetenv("AMITY_THREADS");
    setenv("AMITY_RUN_THREADS", options.threads.substr(0, options.threads.find(',')).c_str(), 1);
  }
  if (options.stats) setenv("AMITY_STATS", "1", 1);
  if (!options.trace.empty()) setenv("AMITY_TRACE", options.trace.c_str(), 1);
  if (!options.trace_size.empty()) setenv("AMITY_TRACE_SIZE", options.trace_size.c_str(), 1);
  if (options.profile) setenv("AMITY_PROFILE", ("|" + own_program().string()).c_str(), 1);
  const bool all = options.counters == "true";  // the flag without names, as the parser has it
  if (!options.counters.empty()) setenv("AMITY_COUNTERS", all ? "all" : options.counters.c_str(), 1);
}

// Where there is an auditor, the loader lays thread-local memory out before it knows the program's libraries, and those
// that need theirs at fixed offsets share the little that it keeps for libraries that come later: malloc's of other
// makers, ThreadSanitizer. So it is told to keep more.
void make_room_for_tls(const std::vector<loaded_library>& libraries) {
  constexpr std::size_t kept_anyway = 512;  // the loader's default
  const std::size_t bytes = static_tls_of(libraries);
  if (bytes > 2 * kept_anyway)
    put_in_front("GLIBC_TUNABLES", "glibc.rtld.optional_static_tls=" + std::to_string(bytes + kept_anyway));
}

// The loader's lists know no quotes: it takes these for the end of a name, or for one of its own words. False, with
// words: `path` has one of them.
bool may_stand_in_list(const std::filesystem::path& path, const char* list, const char* special) {
  const std::string& text = path.native();
  const std::size_t at = text.find_first_of(special);
  if (at == std::string::npos) return true;
  warn(
      "run: the program's loader is told where Amity is by %s, which cannot hold '%s' because of the '%c'; nothing is "
      "run. Install or build Amity in a folder without it",
      list, text.c_str(), text[at]);
  return false;
}

// A script: its interpreter gets the environment, and what that starts. What LD_PRELOAD names is loaded into all of
// them.
void prepare_script(const std::string& path) {
  if (std::getenv("LD_PRELOAD") == nullptr) return;
  const std::string interpreter = interpreter_of_script(path);
  const elf_file file(interpreter);
  if (file.kind() == elf_kind::dynamic) make_room_for_tls(list_libraries(file.interpreter(), interpreter));
}

// Words for a program that has a loader, and LD_PRELOAD where LD_LIBRARY_PATH is not enough. False: that can't be said.
bool prepare_dynamic(const run_options& options, const own_libraries& own, const std::string& path,
                     const elf_file& file) {
  const std::string& name = options.program.front();
  if (gains_rights(path)) {
    warn(
        "'%s' runs with other rights than yours (setuid, setgid or capabilities): the loader ignores LD_LIBRARY_PATH "
        "for it, so it "
        "keeps its own OpenMP runtime; running it as it is",
        name.c_str());
    return true;
  }
  const std::vector<loaded_library> libraries = list_libraries(file.interpreter(), path);
  make_room_for_tls(libraries);
  bool openmp = false, of_ours = false;
  std::string elsewhere;
  for (const loaded_library& library : libraries) {
    of_ours = of_ours || library.name.starts_with("libamity.so");
    if (!is_openmp_runtime(library.name)) continue;
    openmp = true;
    std::error_code ignored;
    if (!library.path.empty() && !std::filesystem::equivalent(library.path, own.library, ignored))
      elsewhere = library.path;
  }
  if (!elsewhere.empty()) {
    if (!may_stand_in_list(own.library, "LD_PRELOAD", ": \t\n$")) return false;
    put_in_front("LD_PRELOAD", own.library.string());
    if (options.verbose || options.expects_openmp())
      warn("'%s' insists on its own OpenMP runtime, %s; putting Amity before it by LD_PRELOAD", name.c_str(),
           elsewhere.c_str());
  }
  if (openmp || of_ours || libraries.empty()) return true;
  if (!may_load_more(file, libraries))
    warn("'%s' uses no OpenMP: none of its libraries is libgomp, libomp or libiomp5; running it as it is",
         name.c_str());
  else if (options.expects_openmp())
    warn(
        "'%s' itself has neither OpenMP nor Amity among its libraries; there will be figures only of what it loads or "
        "starts",
        name.c_str());
  return true;
}

bool prepare(const run_options& options, const own_libraries& own, const std::string& path) {
  const elf_file file(path);
  const char* name = options.program.front().c_str();
  switch (file.kind()) {
    case elf_kind::dynamic:
      return prepare_dynamic(options, own, path, file);
    case elf_kind::damaged:
      warn("'%s' is cut off or damaged: its headers name parts that the file does not have; running it as it is", name);
      break;
    case elf_kind::static_linked:
      warn("'%s' is statically linked: it keeps the OpenMP runtime that is built in, if any; running it as it is",
           name);
      break;
    case elf_kind::bits_32:
      warn(
          "'%s' is a 32-bit program and Amity's library has 64 bits: it keeps its own OpenMP runtime; running it as it "
          "is",
          name);
      break;
    case elf_kind::other_machine:
      warn("'%s' is a program for another processor: it cannot use Amity's library; running it as it is", name);
      break;
    case elf_kind::not_elf:
      prepare_script(path);
      break;
    case elf_kind::unreadable:  // may still be executable
      break;
  }
  return true;
}

int refuse(const std::string& name, const program_lookup& lookup) {
  using outcome = program_lookup::outcome;
  if (lookup.result == outcome::missing) {
    if (name.find('/') != std::string::npos)
      warn("cannot run '%s': there is no such file", name.c_str());
    else
      warn("cannot run '%s': it is in none of the folders of PATH", name.c_str());
    return not_found;
  }
  if (lookup.result == outcome::unreachable) {
    warn("cannot run '%s': %s", name.c_str(), std::strerror(lookup.error));
    return lookup.error == EACCES ? cannot_execute : not_found;
  }
  const char* why = lookup.result == outcome::folder ? "is a folder" : "is not executable (chmod +x makes it so)";
  warn("cannot run '%s': %s %s", name.c_str(), lookup.path.c_str(), why);
  return cannot_execute;
}

// Of a script nobody knows.
launcher_family mpi_of(const std::string& path, std::string* library) {
  const elf_file file(path);
  if (file.kind() != elf_kind::dynamic) return launcher_family::unknown;
  return mpi_among(list_libraries(file.interpreter(), path), library);
}

// What the program itself is linked with was told by who started the launcher. What it loads later the auditor sees.
void expect_mpi_of_launcher(const std::string& path) {
  const char* const in_openmpi = std::getenv("OMPI_COMM_WORLD_RANK");
  const char* const in_mpich = std::getenv("MPI_LOCALRANKID") != nullptr ? std::getenv("PMI_RANK") : nullptr;
  const char* const rank = in_openmpi != nullptr ? in_openmpi : in_mpich;
  const bool speaks = rank != nullptr && std::strcmp(rank, "0") == 0;
  if (speaks && mpi_of(path, nullptr) == launcher_family::unknown)
    setenv("AMITY_RUN_LAUNCHER", in_openmpi != nullptr ? "Open MPI" : "MPICH", 1);
  else
    unsetenv("AMITY_RUN_LAUNCHER");
}

// The words by which each rank is started: this program with the same wishes, which then becomes the rank.
std::vector<std::string> words_for_a_rank(const run_options& options) {
  std::vector<std::string> words{own_program().string(), "run", "--as-rank"};
  if (!options.threads.empty()) words.insert(words.end(), {"-t", options.threads});
  if (options.stats) words.emplace_back("--stats");
  if (options.profile) words.emplace_back("--profile");
  if (!options.trace.empty()) words.insert(words.end(), {"--trace", options.trace});
  if (!options.trace_size.empty()) words.insert(words.end(), {"--trace-last", options.trace_size});
  if (!options.counters.empty()) words.push_back("--counters=" + options.counters);
  if (options.verbose) words.emplace_back("-v");
  if (options.launch.keep_going) words.emplace_back("--keep-going");
  words.emplace_back("--");
  words.insert(words.end(), options.program.begin(), options.program.end());
  return words;
}

// A rank's functions lie at the same addresses as another's, so that a pointer to one may travel in a closure.
void load_at_same_addresses() {
  const int now = personality(0xffffffff);
  if (now != -1) personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE);
}

// `bound`: what the launcher has done with the cores (sched/loop/pool.cpp).
void become_rank_of_job(const run_options& options, const char* bound) {
  load_at_same_addresses();
  setenv("AMITY_RUN_RANK", bound, 1);
  // UCX's shared memory does not survive every loss: net/README-end.md.
  if (options.launch.keep_going) setenv("AMITY_NET", "sockets", 0);
}

// By our own launcher, whose ranks are the program at once: what `amity run` does for each of them is done before.
int run_here(const run_options& options, const std::string& path, bool has_mpi) {
  rank_program program{path, options.program};
  program.at_birth = [&options, has_mpi](int rank) {
    // One speaks, of an MPI that the program loads later. It is MPICH's process manager that ours is like.
    if (rank == 0 && !has_mpi)
      setenv("AMITY_RUN_LAUNCHER", "Amity", 1);
    else
      unsetenv("AMITY_RUN_LAUNCHER");
    if (options.verbose) setenv("AMITY_REDIRECT_REPORT", std::to_string(getpid()).c_str(), 1);
  };
  return launch_here(options.processes, program, {options.launch.tag, options.launch.keep_going});
}

nodes_memory memory_of_nodes() {
  const char* const wanted = std::getenv("AMITY_NODES_MEMORY");
  return wanted != nullptr && std::strcmp(wanted, "shared") == 0 ? nodes_memory::shared : nodes_memory::pages;
}

// What can't be one program over several processes. False, with words.
bool may_span_nodes(const run_options& options, const own_libraries& own, const std::string& path) {
  const char* const name = options.program.front().c_str();
  const auto refuse_with = [name](const char* why) {
    warn("run: --nodes: '%s' %s; nothing is run", name, why);
    return false;
  };
  if (options.processes != 0) {
    warn("run: -n starts several programs, --nodes one program in several processes: only one of them can be");
    return false;
  }
  if (!may_stand_in_list(own.nodes, "LD_PRELOAD", ": \t\n$")) return false;
  const char* const memory = std::getenv("AMITY_NODES_MEMORY");
  if (memory != nullptr && std::strcmp(memory, "shared") != 0 && std::strcmp(memory, "pages") != 0) {
    warn("run: AMITY_NODES_MEMORY='%s': allowed are 'pages' and 'shared'; nothing is run", memory);
    return false;
  }
  const char* const regions = std::getenv("AMITY_NODES_REGIONS");
  if (regions != nullptr && std::strcmp(regions, "worth") != 0 && std::strcmp(regions, "always") != 0) {
    warn(
        "run: AMITY_NODES_REGIONS='%s': allowed are 'worth', regions that take less time on one node stay there, and "
        "'always', all are spread; nothing is run",
        regions);
    return false;
  }
  if (const char* const why = dsm::why_no_faults(); why != nullptr && memory_of_nodes() == nodes_memory::pages) {
    warn("run: --nodes: %s; nothing is run", why);
    return false;
  }
  if (gains_rights(path))
    return refuse_with(
        "runs with other rights than yours (setuid, setgid or capabilities), so nothing can be loaded into it");
  switch (elf_file(path).kind()) {
    case elf_kind::dynamic:
      break;
    case elf_kind::static_linked:
      return refuse_with("is statically linked, so nothing can be loaded into it. Link it without -static");
    case elf_kind::not_elf:
      return refuse_with("is a script. Name its interpreter: amity run --nodes N -- python3 script.py");
    default:
      return refuse_with("is no program for this machine");
  }
  std::string library;
  if (mpi_of(path, &library) != launcher_family::unknown) {
    warn(
        "run: --nodes: '%s' uses MPI (%s), which knows nothing of processes that are one program; nothing is run. -n "
        "starts MPI programs",
        name, library.c_str());
    return false;
  }
  return true;
}

// What -t says of regions within regions: ",2" of "8,2".
std::string inner_threads(const run_options& options) {
  const std::size_t comma = options.threads.find(',');
  return comma == std::string::npos ? "" : options.threads.substr(comma);
}

// The program sees the threads of all nodes.
void set_environment_of_nodes(const run_options& options, const std::vector<int>& threads, const own_libraries& own) {
  const char* const places = std::getenv("OMP_PLACES");
  const bool listed = places != nullptr && std::strchr(places, '{') != nullptr && omp::parse::is_of_nodes(places);
  if (!options.threads.empty() || listed || std::getenv("OMP_NUM_THREADS") == nullptr) {
    const int all = std::accumulate(threads.begin(), threads.end(), 0);
    setenv("OMP_NUM_THREADS", (std::to_string(all) + inner_threads(options)).c_str(), 1);
  }
  // A user who says how threads are dealt wants them there.
  if (places != nullptr && omp::parse::is_of_nodes(places)) setenv("AMITY_NODES_REGIONS", "always", 0);
  setenv("LD_BIND_NOW", "1", 1);  // a function that is looked up later would be written where all processes see it
  put_in_front("LD_PRELOAD", own.nodes.string());
}

// Has the nodes write there. False, with words: they can't.
bool may_trace(const page_tracing& tracing) {
  if (!tracing.problem().empty()) {
    warn("run: --trace-pages: %s; nothing is run", tracing.problem().c_str());
    return false;
  }
  tracing.begin();
  return true;
}

// One program in several processes of this machine.
int run_over_nodes(const run_options& options, const own_libraries& own, const std::string& path) {
  const std::vector<int> threads = threads_of_nodes(options.nodes, {.by_option = options.threads});
  node_channels channels(threads, memory_of_nodes());
  unsetenv("AMITY_NODES_MEMORY");
  if (!channels.problem().empty()) {
    warn("run: --nodes %d: %s; nothing is run", options.nodes, channels.problem().c_str());
    return own_failure;
  }
  std::optional<page_tracing> tracing;
  if (!options.traced.empty()) {
    tracing.emplace(options.traced == "true" ? "" : options.traced);
    if (!may_trace(*tracing)) return own_failure;
  }
  become_rank_of_job(options, "unbound");
  set_environment_of_nodes(options, threads, own);
  rank_program program{path, options.program};
  program.at_birth = [&](int rank) {
    channels.become(rank);
    if (options.verbose && rank == 0) setenv("AMITY_REDIRECT_REPORT", std::to_string(getpid()).c_str(), 1);
  };
  program.when_started = [&] { channels.close(); };
  const int status = launch_here(options.nodes, program, {.one_program = true});
  if (tracing) tracing->report();
  return status;
}

// This process becomes one node of the program, which a launcher has started with the others. 0, or an exit status.
int become_node(run_options& options, const own_libraries& own) {
  if (memory_of_nodes() == nodes_memory::shared) {
    warn(
        "run: --nodes: AMITY_NODES_MEMORY=shared is for nodes that amity starts on one machine (--nodes N); nothing is "
        "run");
    return own_failure;
  }
  unsetenv("AMITY_NODES_MEMORY");
  const auto deal = [&options](int process, int count) {
    return threads_of_nodes(count, {.by_option = options.threads, .one_machine = false, .says = process == 0});
  };
  const node_connections all(deal, own.auditor.parent_path().string());
  if (!all.problem().empty()) {
    warn("run: --nodes: %s; nothing is run", all.problem().c_str());
    return own_failure;
  }
  const std::string folder = options.traced == "true" ? "amity-pages" : options.traced;
  if (!folder.empty()) {
    const page_tracing tracing(folder);
    if (!may_trace(tracing)) return own_failure;
    if (all.own() == 0) warn("run: --trace-pages: afterwards 'amity pages %s' shows what was seen", folder.c_str());
  }
  become_rank_of_job(options, "maybe-bound");
  set_environment_of_nodes(options, all.threads(), own);
  all.hand_over();
  return 0;
}

int run_program(run_options options) {
  if (options.program.empty()) {
    warn(
        "run: no program is given; usage: amity run [-n N] [-t THREADS] [--stats] [--counters[=NAMES]] [--profile] "
        "[--trace FILE] [--] PROGRAM ARGUMENTS...");
    return own_failure;
  }
  std::string looked_in;
  const std::optional<own_libraries> own = find_own_libraries(looked_in);
  if (!own) {
    warn("run: Amity's OpenMP library (libomp_amity.so.1) is missing; looked in %s. Build or install it first",
         looked_in.c_str());
    return own_failure;
  }
  std::error_code ignored;
  if (!std::filesystem::exists(own->auditor, ignored)) {
    warn(
        "run: %s is missing: without it, programs and Python's wheels that carry an OpenMP runtime of their own would "
        "stay on that; nothing is run. Build it (cmake --build build --target products) or install Amity again",
        own->auditor.c_str());
    return own_failure;
  }
  if (!may_stand_in_list(own->folder, "LD_LIBRARY_PATH", ":;$")) return own_failure;
  const std::string& name = options.program.front();
  const program_lookup lookup = find_program(name);
  if (lookup.result != program_lookup::outcome::found) return refuse(name, lookup);

  const char* const workers = std::getenv("AMITY_THREADS");
  if (!options.threads.empty() && workers != nullptr && !options.is_rank) {
    warn("run: -t %s goes before AMITY_THREADS=%s; without -t, OMP_NUM_THREADS and AMITY_THREADS each have their way",
         options.threads.c_str(), workers);
    unsetenv("AMITY_THREADS");
  }
  if (options.nodes != 0 && !may_span_nodes(options, *own, lookup.path.string())) return own_failure;
  if (!options.traced.empty() && (options.nodes == 0 || memory_of_nodes() == nodes_memory::shared)) {
    warn("run: --trace-pages is for nodes that have pages (--nodes N): without effect");
    options.traced.clear();
  }
  const launch_wishes& of = options.launch;
  if (options.processes == 0 && !options.is_rank &&
      (of.tag || of.keep_going || !of.launcher.empty() || !of.hosts.empty()))
    warn("run: --tag, --launcher, --hosts and --keep-going are for processes (-n): without effect");
  launch_wishes wishes = options.launch;
  bool here = false;
  if (options.processes > 1) {
    wishes.mpi = mpi_of(lookup.path.string(), &wishes.mpi_library);
    std::string problem;
    here = starts_here(wishes, problem);
    if (!problem.empty()) {
      warn("run: %s", problem.c_str());
      return own_failure;
    }
    if (!here) return launch(options.processes, wishes, words_for_a_rank(options));
    if (wishes.mpi == launcher_family::open_mpi)
      warn(
          "run: the program is linked with Open MPI's MPI (%s), and Amity's own launcher speaks MPICH's protocol: in "
          "MPI "
          "each process will be alone, rank 0 of 1. --launcher mpirun.openmpi fits (Debian: openmpi-bin)",
          wishes.mpi_library.c_str());
    become_rank_of_job(options, "unbound");
  }
  if (options.is_rank) {
    // launch_command() has mpirun bind nobody. Only srun may have.
    const bool by_mpirun =
        std::getenv("OMPI_COMM_WORLD_LOCAL_RANK") != nullptr || std::getenv("MPI_LOCALRANKID") != nullptr;
    become_rank_of_job(options, by_mpirun ? "unbound" : "maybe-bound");
    expect_mpi_of_launcher(lookup.path.string());
    const char* const named = std::getenv(note_variable);
    const std::string note = named != nullptr ? named : "";
    unsetenv(note_variable);  // that of this job alone
    if (options.launch.keep_going && become_child_of_guard(note) != 0) {
      warn("run: cannot make a process for a rank: %s", std::strerror(errno));
      return own_failure;
    }
  }

  set_environment(options, *own);
  if (!prepare(options, *own, lookup.path.string())) return own_failure;
  if (options.nodes == nodes_of_launcher) {
    if (const int status = become_node(options, *own); status != 0) return status;
  } else if (options.nodes > 0) {
    return run_over_nodes(options, *own, lookup.path.string());
  }
  if (here) return run_here(options, lookup.path.string(), wishes.mpi != launcher_family::unknown);
  // Only now: prepare() has the loader list the libraries, which must not be reported as the program's. What was really
  // replaced is known to the auditor alone.
  if (options.verbose) setenv("AMITY_REDIRECT_REPORT", std::to_string(getpid()).c_str(), 1);

  std::vector<char*> arguments;
  for (const std::string& word : options.program) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(lookup.path.c_str(), arguments.data());  // with p, because a script without "#!" then goes to the shell
  const int error = errno;
  warn("cannot run '%s': %s%s", name.c_str(), std::strerror(error),
       error == ENOENT ? " (the file is there: the interpreter or loader that it names is not)" : "");
  return error == ENOENT ? not_found : cannot_execute;
}

// Its value may only follow after "=": a word of its own would be the program.
class value_joined_by_equals : public CLI::Formatter {
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string text = CLI::Formatter::make_option_opts(option);
    return text.starts_with(" [=") ? text.substr(1) : text;
  }
};

}  // namespace

command add_run(CLI::App& app, std::vector<std::string> program) {
  auto options = std::make_shared<run_options>();
  options->program = std::move(program);
  app.add_option(
         "-t,--threads", options->threads,
         "threads of OpenMP's regions (8,2: 2 in a region within) and workers for tasks of C++, of each process. Sets "
         "OMP_NUM_THREADS, and goes before AMITY_THREADS. Default: the cores that may be used, of which with -n "
         "each process has its share")
      ->type_name("N")
      ->check([](const std::string& value) { return check_thread_list(value); });
  app.add_option("-n,--processes", options->processes,
                 "so many processes of the program: started here, or by mpirun or srun where --launcher, --hosts or a "
                 "queue's allocation ask for that, or the program is linked with an MPI")
      ->type_name("N")
      ->check([](const std::string& value) { return check_whole_number(value, 1, "processes"); });
  app.add_option_function<std::string>(
         "--nodes",
         [options](const std::string& value) { options->nodes = value.empty() ? nodes_of_launcher : std::stoi(value); },
         "the program runs once, as one OpenMP team of so many processes on this machine, each with the threads "
         "that -t says. Without a number: of the processes that mpirun or srun has started, on their hosts")
      ->type_name("[N]")
      ->expected(0, 1)
      ->check([](const std::string& value) {
        return value.empty() ? std::string() : check_whole_number(value, 1, "nodes");
      });
  app.add_flag("--tag", options->launch.tag, "with -n: put the rank before each line of output");
  app.add_option(
         "--launcher", options->launch.launcher,
         "with -n: mpirun, mpiexec, srun, or amity, which starts them on this machine and needs nobody else. Default: "
         "amity; on other machines, the first of the others; that of the MPI which the program is linked with, if it "
         "is "
         "with one")
      ->type_name("COMMAND");
  app.add_option("--hosts", options->launch.hosts, "with -n: the machines, with ',' between them")->type_name("LIST");
  app.add_flag(
      "--keep-going", options->launch.keep_going,
      "with -n: when one process is killed, the launcher leaves the others alone; the exit status is that of one "
      "that failed");
  app.add_flag("--as-rank", options->is_rank)->group("");
  app.add_flag("--stats", options->stats,
               "say at the end in one line of each process what the runtime did there (sets AMITY_STATS=1)");
  app.add_flag(
      "--profile", options->profile,
      "print at the end where the time of each process went, by line and construct of OpenMP and by task of C++: work, "
      "waiting, the runtime, cores that others took (sets AMITY_PROFILE; lines need binutils and -g)");
  app.add_option("--trace", options->trace,
                 "write who did what when to a file, which 'amity trace' makes a timeline of (sets AMITY_TRACE); a "
                 "process of -n adds its rank to the name")
      ->type_name("FILE");
  app.add_option("--trace-last", options->trace_size,
                 "with --trace: how large the file may be, such as 64M; then the oldest goes (sets AMITY_TRACE_SIZE; "
                 "default: 1G)")
      ->type_name("SIZE");
  app.formatter(std::make_shared<value_joined_by_equals>());
  app.add_flag("--counters", options->counters,
               "print counters at the end: all, or those of a list like /threads/idle-rate,/threads/count/stolen (sets "
               "AMITY_COUNTERS)")
      ->option_text("[=NAMES]");
  app.add_flag("--trace-pages", options->traced,
               "with --nodes: say at the end which lines waited for pages of other nodes most, and what was in these "
               "(names need binutils). FOLDER keeps what the report is made of, for 'amity pages'")
      ->option_text("[=FOLDER]");
  app.add_flag("-v,--verbose", options->verbose,
               "say of each OpenMP runtime that is loaded, in any process, whether it became Amity");
  app.footer(
      "Usage: amity run [-t N] [-n N | --nodes N] [--stats] [--counters[=NAMES]] [--profile] [--trace FILE] "
      "[--trace-pages] [-v] [--] PROGRAM ARGUMENTS...\n"
      "The exit status is the program's; 125: amity itself failed, 126: the program cannot be executed, 127: it is not "
      "found.");
  return [options] { return run_program(*options); };
}

}  // namespace amity::cli
