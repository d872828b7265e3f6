// What the programs of this folder have in common: which problems there are, the command line that `amity bench` uses,
// and one line of JSON for each problem. Unlike the other suites' it uses no OpenMP: most of the programs have none.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "spawn/spawn.hpp"

namespace {

using spawn::this_idiom;

struct problem {
  const char* name;
  long (*solve)(int n);
  int tiny, usual, large;
  bool for_all;  // small enough for a thread per task
};

const problem problems[] = {{"fib", this_idiom.fib, 16, 32, 36, false},
                            {"fib_few", this_idiom.fib, 8, 12, 14, true},
                            {"nqueens", this_idiom.nqueens, 6, 11, 13, false}};

struct options {
  std::string only, input = "usual";
  int samples = 3;
  bool list = false;
};

double seconds_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

long fib_by_loop(int n) {
  long a = 0, b = 1;
  for (int i = 0; i < n; ++i) b += std::exchange(a, b);
  return a;
}

long right_answer(const problem& p, int n) {
  static const long solutions[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712};
  return p.solve == this_idiom.nqueens ? solutions[n] : fib_by_loop(n);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::size_t const half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

bool chosen(const options& how, const char* name) {
  return how.only.empty() || ("," + how.only + ",").find("," + std::string(name) + ",") != std::string::npos;
}

bool measure(const problem& p, const options& how, int threads) {
  if (this_idiom.thread_per_task && !p.for_all) {
    std::printf("{\"name\": \"%s\", \"threads\": %d, \"left_out\": \"a thread for each task\"}\n", p.name, threads);
    return true;
  }
  int const n = how.input == "tiny" ? p.tiny : how.input == "large" ? p.large : p.usual;
  std::vector<double> us, cpu_us;
  bool right = true;
  p.solve(p.tiny);  // whatever is made at first use
  for (int i = 0; i < how.samples && right; ++i) {
    double const cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID), begin = seconds_of(CLOCK_MONOTONIC);
    right = p.solve(n) == right_answer(p, n);
    us.push_back((seconds_of(CLOCK_MONOTONIC) - begin) * 1e6);
    cpu_us.push_back((seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu) * 1e6);
  }
  if (right)
    std::printf(
        "{\"name\": \"%s\", \"threads\": %d, \"us\": %.5g, \"cpu_us\": %.5g, \"iterations\": 1, \"kind\": \"time\"}\n",
        p.name, threads, median(us), median(cpu_us));
  else
    std::printf("{\"name\": \"%s\", \"threads\": %d, \"error\": \"wrong answer\"}\n", p.name, threads);
  std::fflush(stdout);  // what is known stays known when the next one crashes
  return right;
}

bool read_options(options& how, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::string const name = argv[i];
    if (name == "--list") {
      how.list = true;
      continue;
    }
    if (i + 1 == argc) return false;
    std::string const value = argv[++i];
    if (name == "--only")
      how.only = value;
    else if (name == "--input" && (value == "tiny" || value == "usual" || value == "large"))
      how.input = value;
    else if (name == "--samples" && std::atoi(value.c_str()) > 0)
      how.samples = std::atoi(value.c_str());
    else if (name != "--sample-ms")  // each sample is one run, however long
      return false;
  }
  return true;
}

int threads_asked_for() {
  const char* const text = std::getenv("OMP_NUM_THREADS");
  int const asked = text != nullptr ? std::atoi(text) : 0;
  return asked > 0 ? asked : static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

int main(int argc, char** argv) {
  options how;
  if (!read_options(how, argc, argv)) {
    std::fprintf(stderr, "usage: %s [--list] [--only NAME,...] [--samples N] [--input tiny|usual|large]\n", argv[0]);
    return 2;
  }
  int const threads = threads_asked_for();
  if (!how.list) this_idiom.begin(threads);
  bool right = true;
  for (const problem& p : problems) {
    if (how.list)
      std::puts(p.name);
    else if (chosen(how, p.name))
      right = measure(p, how, threads) && right;
  }
  return right ? 0 : 1;
}
