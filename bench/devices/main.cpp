// What the programs of this folder have in common: which problems there are, how large they are, and their answers.
#include <cmath>
#include <cstdio>

#include "common/program.h"
#include "devices/devices.hpp"

namespace {

using devices::this_idiom;

constexpr int launches = 200, links = 1000, copies = 100, busy_launches = 3;
constexpr std::size_t copied = 1024;  // values of 4 bytes
constexpr std::size_t cells = 100'000;
constexpr std::size_t part_items = 4 * 2 * 1024 * 32;

unsigned busy_once(unsigned v) {
  for (unsigned i = 0; i < devices::busy_steps; ++i) v = v * 1664525u + 1013904223u;
  return v;
}

bool launch() { return this_idiom.launch(launches) == launches; }
bool chain() { return this_idiom.chain(links) == links; }
bool write_read() { return this_idiom.write_read(copies, copied) == copies - 1; }

bool stencil() {
  static const std::vector<float> in = [] {
    std::vector<float> x(cells);
    for (std::size_t i = 0; i < cells; ++i) x[i] = static_cast<float>(i % 100) / 10;
    return x;
  }();
  static std::vector<float> out(cells);
  this_idiom.stencil(in, out);
  for (std::size_t i = 1; i + 1 < cells; i += 997)
    if (std::fabs(out[i] - (0.5f * in[i - 1] + in[i] + 0.5f * in[i + 1])) > 1e-4f) return false;
  return true;
}

bool partition() {
  static std::vector<float> x(part_items);
  std::fill(x.begin(), x.end(), 0.f);
  this_idiom.partition(x);
  for (std::size_t i = 0; i < x.size(); i += 1013)
    if (std::fabs(x[i] - 1) > 1e-4f) return false;
  return true;
}

bool busy() {
  static const unsigned expected = [] {
    unsigned v = 0;
    for (int i = 0; i < busy_launches; ++i) v = busy_once(v);
    return v;
  }();
  return this_idiom.busy(busy_launches) == expected;
}

struct problem {
  const char* name;
  bool (*solve)();
  int per_rep;
};
const problem problems[] = {{"launch", launch, launches},       {"chain", chain, links},
                            {"write_read", write_read, copies}, {"stencil", stencil, 1},
                            {"partition", partition, 1},        {"busy", busy, busy_launches}};

bool run(const benchmark* self, long reps) {
  bool right = true;
  for (long i = 0; i < reps; ++i) right = static_cast<const problem*>(self->what)->solve() && right;
  return right;
}

int make(benchmark** all) {
  static benchmark made[std::size(problems)];
  const char* const without = this_idiom.begin();
  int count = 0;
  for (const problem& p : problems) {
    benchmark& b = made[count++];
    b = {};
    b.name = p.name;
    b.what = &p;
    b.run = run;
    b.per_rep = p.per_rep;
    b.kind = "time";
    b.left_out = without;
  }
  *all = made;
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  bench_program program{};
  program.name = "devices";
  program.item = "problem";
  program.samples = 15;
  program.least_samples = 3;
  program.sample_us = 2000;
  program.budget_us = 3e6;
  program.make = make;
  return bench_main(&program, argc, argv);
}
