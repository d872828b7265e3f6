// What `amity bench` can measure. A suite is a pair of programs, <name>_gcc and <name>_clang (their sources are in
// bench/<name>/), or a program for each contender, or both; they list what they have with --list, run what --only
// names, and say one JSON object a line. The programs of some suites are several processes, the ranks of a job.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace amity::cli {

// How the tables show a time.
enum class figure { microseconds, milliseconds, mflops };

struct suite {
  const char* name;   // "overheads"
  const char* about;  // for --help
  const char* item;   // what a row of the table is: "construct"
  figure shown;
  // Unless the options say otherwise:
  const char* rounds;
  const char* samples;
  const char* least_samples;
  const char* limit_s;
  std::vector<std::string> threads;  // empty: as many as may be used
  bool computes;                     // more than it uses the runtime: the compilers matter
  bool draws;                        // tools/plot_bench.py knows pictures of it
  // Contenders that are a program each, "tbb" being <name>_tbb: those named amity... are Amity's, "serial" is nobody's
  // rival.
  std::vector<std::string> idioms = {};
  // The pair of programs, on each OpenMP runtime, takes part.
  bool openmp = true;
  // A launcher starts the programs: ranks are counted, not threads.
  bool processes = false;
  // The pair of programs, over several nodes: nodes are counted, not threads.
  bool nodes = false;

  // "threads", "ranks" or "nodes".
  [[nodiscard]] const char* counted() const { return processes ? "ranks" : nodes ? "nodes" : "threads"; }
  // The name of the gcc or clang program.
  [[nodiscard]] std::string program(const char* compiler) const { return std::string(name) + "_" + compiler; }
};

extern const suite overheads_suite;
extern const suite blaze_suite;
extern const suite tasks_suite;
extern const suite spawn_suite;
extern const suite algorithms_suite;
extern const suite futures_suite;
extern const suite devices_suite;
extern const suite graph_suite;
extern const suite messages_suite;
extern const suite collectives_suite;
extern const suite nodes_suite;

inline constexpr std::array all_suites = {&overheads_suite,  &blaze_suite,       &tasks_suite,   &spawn_suite,
                                          &algorithms_suite, &futures_suite,     &devices_suite, &graph_suite,
                                          &messages_suite,   &collectives_suite, &nodes_suite};

// By their names, for messages: "overheads, blaze, tasks, ...".
[[nodiscard]] std::string known_suites();
[[nodiscard]] bool is_suite(const std::string& name);

}  // namespace amity::cli
