// `amity bench`: the same programs on their own OpenMP runtimes and on Amity, or those of several processes by MPI and
// by Amity, in turns.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "amity/cli/suite.hpp"

namespace amity::cli {

struct bench_options {
  explicit bench_options(const suite& of)
      : threads(of.threads), rounds(of.rounds), samples(of.samples), limit_s(of.limit_s) {
    if (!of.openmp) rivals.clear();
    for (const std::string& idiom : of.idioms)
      if (!idiom.starts_with("amity")) rivals.push_back(idiom);
  }

  std::vector<std::string> threads;  // or ranks; as given, "4" or "1-4"; empty: as many as may be used
  std::string rounds;
  std::string samples;
  std::string busy = "0";
  std::string limit_s;
  std::string json;                                         // "-": standard output
  std::string plot;                                         // a folder; empty: no pictures
  std::vector<std::string> only;                            // items, or groups of them; empty: all
  std::vector<std::string> rivals = {"libgomp", "libomp"};  // or NAME=FOLDER
  std::string programs;                                     // the folder of <suite>_gcc and <suite>_clang
  std::string threads_of_node = "1";                        // where nodes are counted
  std::vector<std::string> arguments;                       // for the programs: what only this suite has
};

// A program with a runtime: a column of the table.
struct contender {
  std::string label;    // "libgomp", "amity(clang)"
  std::string program;  // ".../overheads_gcc"
  std::string folder;   // for LD_LIBRARY_PATH; empty: none
  std::string runtime;  // the library that the loader gives it
  bool amity = false;
  bool measure = false;  // only there to be compared with: nobody's rival
  // Of those that are several processes:
  std::map<std::string, std::string> environment = {};
  bool crowded = false;  // takes part only where there are more ranks than cores
  // What starts so many ranks of the program, its arguments to follow. None: the program alone.
  std::function<std::vector<std::string>(int ranks)> start = {};  // or nodes
};

struct measurement {
  double us = 0;      // median of a round's samples; where its cell has a unit: in that
  double cpu_us = 0;  // of all threads together
  long iterations = 0;
  double round_trip_ns = 0;  // of a cache line between the cores of two threads, meanwhile; 0: not known
  double free_us = 0;        // what was subtracted, as if the work came without the construct
};

// What a contender achieved in an item.
struct cell {
  std::vector<measurement> rounds;
  std::string failure;   // why there is nothing (more); empty: nothing failed
  std::string left_out;  // why the program does not measure it here
  std::string kind;      // as the program says: "time", "overhead", "parallel", "serial", "grain", "count", ...
  std::string unit;      // of figures that are no time, "%" or "messages"; empty: microseconds
  // In those microseconds; 0: not counted.
  double flops = 0;
  double bytes = 0;
  double tasks = 0;

  [[nodiscard]] bool known() const { return !rounds.empty() && failure.empty(); }
  [[nodiscard]] double median_us() const;
  [[nodiscard]] double median_cpu_us() const;
};

// Whom Amity is compared with: all rivals, or those that run the same program. The second leaves the compilers out of
// it, which decide most where a program computes.
enum class against { all, same_program };

struct bench_result {
  const suite* of = &overheads_suite;
  std::vector<contender> contenders;
  std::vector<std::string> items;  // "parallel"; "daxpy/1000": of the group "daxpy"
  std::vector<int> threads;        // or ranks
  int rounds = 0;
  int cores = 1;  // that may be used
  std::vector<int> busy_cpus;
  std::vector<std::string> arguments;
  std::array<double, 3> load{};                                   // of the machine, before anything was measured
  std::map<int, std::map<std::string, std::vector<cell>>> cells;  // by threads, item, contender

  [[nodiscard]] const cell& at(int thread_count, const std::string& item, std::size_t contender) const;
  // One of Amity's contenders over the better rival: of times, or of MFLOP/s where those are shown. 0 when one of them
  // is missing. Rounds in which the cores were equally far apart are compared with one another, where everybody has
  // some: see amity/cli/README.md.
  [[nodiscard]] double ratio_of(std::size_t own, int thread_count, const std::string& item, against rivals) const;
  // The same for the compiler with which that is worse. Of Amity's idioms the best one counts.
  [[nodiscard]] double ratio(int thread_count, const std::string& item, against rivals) const;
  // The geometric mean of the ratios of a group, "" being those of no group, or of all; 0 without any. What runs
  // serially anyway says nothing of a runtime and does not count, nor does what is no time.
  [[nodiscard]] double mean_ratio(int thread_count, const std::optional<std::string>& group, against rivals) const;
  [[nodiscard]] bool failed() const;
  // Why the contender has left out all that was asked of it; empty: it has not.
  [[nodiscard]] std::string why_nothing_of(std::size_t contender) const;
};

// Each once, in the order in which they begin: items of two groups may take turns.
[[nodiscard]] std::vector<std::string> groups_of(const std::vector<std::string>& items);

// "daxpy" of "daxpy/1000"; nothing of "parallel".
[[nodiscard]] std::string group_of(const std::string& item);

// "a,b" of these, with "," between them.
[[nodiscard]] std::string joined(const std::vector<std::string>& words, const char* separator);

// The numbers of "2", "1-4"; nothing when it is neither.
[[nodiscard]] std::vector<int> thread_counts(const std::string& text);

// Measures and reports; the exit status.
int run_bench(const suite& of, const bench_options& options);

// The report, on standard output, and as JSON in the form of Google Benchmark.
void print_bench(const bench_result& result);
[[nodiscard]] std::string bench_json(const bench_result& result);

}  // namespace amity::cli
