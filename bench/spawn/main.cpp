// What the programs of this folder have in common: which problems there are, and how large.
#include <cstdio>
#include <string_view>
#include <utility>

#include "common/program.h"
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

int problem::*size = &problem::usual;

long fib_by_loop(int n) {
  long a = 0, b = 1;
  for (int i = 0; i < n; ++i) b += std::exchange(a, b);
  return a;
}

long right_answer(const problem& p, int n) {
  static const long solutions[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712};
  return p.solve == this_idiom.nqueens ? solutions[n] : fib_by_loop(n);
}

bool run(const benchmark* self, long reps) {
  auto const& p = *static_cast<const problem*>(self->what);
  int const n = p.*size;
  bool right = true;
  for (long i = 0; i < reps; ++i) right = p.solve(n) == right_answer(p, n) && right;
  return right;
}

int make(benchmark** all) {
  static benchmark made[std::size(problems)];
  this_idiom.begin(team.threads);
  int count = 0;
  for (const problem& p : problems) {
    benchmark& b = made[count++];
    b = {};
    b.name = p.name;
    b.what = &p;
    b.run = run;
    b.once = true;
    b.kind = "time";
    if (this_idiom.thread_per_task && !p.for_all) b.left_out = "a thread for each task";
  }
  *all = made;
  return count;
}

bool option(const char* name, const char* value) {
  if (std::string_view(name) != "--input") return false;
  std::string_view const wanted = value;
  if (wanted == "tiny")
    size = &problem::tiny;
  else if (wanted == "usual")
    size = &problem::usual;
  else if (wanted == "large")
    size = &problem::large;
  else
    return std::fprintf(stderr, "spawn: --input: '%s' is none; allowed: tiny, usual, large\n", value), false;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  bench_program spawn{};
  spawn.name = "spawn";
  spawn.item = "problem";
  spawn.usage = "[--input tiny|usual|large]";
  spawn.samples = 3;
  spawn.least_samples = 1;
  spawn.sample_us = 1500;
  spawn.budget_us = 3e6;
  spawn.option = option;
  spawn.make = make;
  return bench_main(&spawn, argc, argv);
}
