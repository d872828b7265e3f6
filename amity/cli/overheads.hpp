// `amity bench overheads`: the same programs on their own OpenMP runtimes and on Amity, in turns.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace amity::cli {

struct overheads_options {
  std::vector<std::string> threads;  // as given; empty: as many as may be used
  std::string rounds = "5";
  std::string samples = "15";
  std::string busy = "0";
  std::string limit_s = "120";
  std::string json;                                         // "-": standard output
  std::vector<std::string> only;                            // empty: all constructs
  std::vector<std::string> rivals = {"libgomp", "libomp"};  // or NAME=FOLDER
  std::string programs;                                     // the folder of overheads_gcc and overheads_clang
};

// A program with a runtime: a column of the table.
struct contender {
  std::string label;    // "libgomp", "amity(clang)"
  std::string program;  // ".../overheads_gcc"
  std::string folder;   // for LD_LIBRARY_PATH; empty: none
  std::string library;  // what the loader makes of it
  bool amity = false;
};

struct measurement {
  double us = 0;      // median of a round's samples
  double cpu_us = 0;  // of all threads together
  long iterations = 0;
};

// What a contender achieved in a construct.
struct cell {
  std::vector<measurement> rounds;
  std::string failure;  // why there is nothing (more); empty: nothing failed

  [[nodiscard]] bool known() const { return !rounds.empty() && failure.empty(); }
  [[nodiscard]] double median_us() const;
  [[nodiscard]] double median_cpu_us() const;
};

struct overheads_result {
  std::vector<contender> contenders;
  std::vector<std::string> constructs;
  std::vector<int> threads;
  int rounds = 0;
  std::vector<int> busy_cpus;
  std::map<int, std::map<std::string, std::vector<cell>>> cells;  // by threads, construct, contender

  [[nodiscard]] const cell& at(int thread_count, const std::string& construct, std::size_t contender) const;
  // Amity's time over the better rival's, the worse of its two compilers; 0 when one of them is missing.
  [[nodiscard]] double ratio(int thread_count, const std::string& construct) const;
  [[nodiscard]] bool failed() const;
};

int bench_overheads(const overheads_options& options);

// The report, on standard output, and as JSON in the form of Google Benchmark.
void print_overheads(const overheads_result& result);
[[nodiscard]] std::string overheads_json(const overheads_result& result);

}  // namespace amity::cli
