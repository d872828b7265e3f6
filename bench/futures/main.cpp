// What the programs of this folder have in common: which problems there are, how long they are, and their answers.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "common/program.h"
#include "futures/futures.hpp"

namespace {

using futures::this_idiom;

int length = 1000;

long itself(long n) { return n; }
long sum_of_steps(long n) { return n * (n + 1) / 2; }

struct problem {
  const char* name;
  long (*solve)(int n);
  long (*answer)(long n);
};

const problem problems[] = {
    {"chain", this_idiom.chain, itself},         {"chain_sync", this_idiom.chain_sync, itself},
    {"fan", this_idiom.fan, sum_of_steps},       {"tree", this_idiom.tree, sum_of_steps},
    {"ping_pong", this_idiom.ping_pong, itself}, {"await", this_idiom.await, sum_of_steps},
    {"nested", this_idiom.nested, itself},       {"generate", this_idiom.generate, sum_of_steps},
};

bool run(const benchmark* self, long reps) {
  auto const& p = *static_cast<const problem*>(self->what);
  bool right = true;
  for (long i = 0; i < reps; ++i) right = p.solve(length) == p.answer(length) && right;
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
    b.per_rep = length;
    b.kind = "time";
    if (p.solve == nullptr) b.left_out = "it has no means for that";
  }
  *all = made;
  return count;
}

bool option(const char* name, const char* value) {
  if (std::string_view(name) != "--length") return false;
  const char* const end = value + std::strlen(value);
  auto const [stop, error] = std::from_chars(value, end, length);
  if (error == std::errc() && stop == end && length >= 1) return true;
  std::fprintf(stderr, "futures: --length: '%s' is none; allowed: a whole number from 1 on\n", value);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  bench_program program{};
  program.name = "futures";
  program.item = "problem";
  program.usage = "[--length N]";
  program.samples = 15;
  program.least_samples = 3;
  program.sample_us = 1500;
  program.budget_us = 2e6;
  program.option = option;
  program.make = make;
  return bench_main(&program, argc, argv);
}
