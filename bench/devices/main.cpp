// What the programs of this folder have in common: which problems there are, how large they are, and their answers.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "common/program.h"
#include "devices/devices.hpp"

namespace {

using devices::this_idiom;

constexpr int launches = 200, links = 1000, copies = 100, busy_launches = 3;
constexpr std::size_t copied = 1024;  // values of 4 bytes

unsigned busy_once(unsigned v) {
  for (unsigned i = 0; i < devices::busy_steps; ++i) v = v * 1664525u + 1013904223u;
  return v;
}

bool launch(long) { return this_idiom.launch(launches) == launches; }
bool chain(long) { return this_idiom.chain(links) == links; }
bool graph(long) { return this_idiom.graph(links) == links; }
bool write_read(long) { return this_idiom.write_read(copies, copied) == copies - 1; }
bool busy(long) {
  static const unsigned expected = [] {
    unsigned v = 0;
    for (int i = 0; i < busy_launches; ++i) v = busy_once(v);
    return v;
  }();
  return this_idiom.busy(busy_launches) == expected;
}

// What the checks have found out; they run after the clock was read.
std::vector<float> in, out;

void prepare_stencil(long n) {
  in.resize(static_cast<std::size_t>(n));
  out.assign(in.size(), -1);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 100) / 10;
}
bool stencil(long) { return this_idiom.stencil(in, out), true; }
bool check_stencil(long) {
  for (std::size_t i = 0; i < in.size(); ++i) {
    float const left = i > 0 ? in[i - 1] : 0, right = i + 1 < in.size() ? in[i + 1] : 0;
    if (std::fabs(out[i] - (0.5f * left + in[i] + 0.5f * right)) > 1e-4f) return false;
  }
  return true;
}

// n = 2^m 1024 256 of the paper's, here of 32.
void prepare_partition(long m) { out.assign((std::size_t{1} << m) * 1024 * 32 * devices::partitions, 0); }
bool partition(long) { return this_idiom.partition(out), true; }
bool check_partition(long) {
  for (float const x : out)
    if (std::fabs(x - 1) > 1e-4f) return false;
  return true;
}

void prepare_share(long) { prepare_partition(1); }
bool share(long devices) { return this_idiom.share(out, static_cast<int>(devices)), true; }

// The paper's pictures double in size; the sizes are those of a side.
std::size_t encoded = 0;
std::vector<unsigned> sides(long largest) {
  std::vector<unsigned> all;
  for (long s = largest / 4; s <= largest; s *= 2) all.push_back(static_cast<unsigned>(s));
  return all;
}
bool pictures_in_turn(long largest) { return (encoded = this_idiom.pictures(sides(largest), false)) != 0; }
bool pictures_beside(long largest) { return (encoded = this_idiom.pictures(sides(largest), true)) != 0; }
bool check_pictures(long largest) {
  static std::size_t first = 0;
  static long of = 0;
  if (of != largest) first = encoded;
  of = largest;
  return encoded == first;
}

float last = 0;
bool stream(long n) { return last = this_idiom.stream(static_cast<std::size_t>(n)), true; }
bool check_stream(long) {
  float a = 1, b = 2, c = 0;
  for (unsigned i = 0; i < devices::stream_rounds; ++i) {
    b = devices::stream_factor * c;
    c = a + b;
    a = b + devices::stream_factor * c;
  }
  return std::fabs(last - a) <= 1e-4f * std::fabs(a);
}

std::vector<double> a, b, c;
void prepare_dgemm(long n) {
  auto const size = static_cast<std::size_t>(n);
  a.resize(size * size);
  b.resize(size * size);
  c.assign(size * size, -1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<double>(i % 7);
    b[i] = static_cast<double>(i % 5) - 2;
  }
}
bool dgemm(long n) { return this_idiom.dgemm(a, b, c, static_cast<unsigned>(n)), true; }
bool check_dgemm(long n) {
  auto const size = static_cast<std::size_t>(n);
  for (std::size_t at = 0; at < c.size(); at += 1 + c.size() / 97) {
    double sum = 0;
    for (std::size_t k = 0; k < size; ++k) sum += a[at / size * size + k] * b[k * size + at % size];
    if (sum != c[at]) return false;
  }
  return true;
}

devices::sparse_matrix matrix;
void prepare_smvp(long rows) {
  if (matrix.begins.size() == static_cast<std::size_t>(rows) + 1) return;
  matrix = {};
  for (long i = 0; i < rows; ++i) {  // five in a row, as of a grid
    matrix.begins.push_back(static_cast<unsigned>(matrix.columns.size()));
    for (long const j : {i - 100, i - 1, i, i + 1, i + 100})
      if (j >= 0 && j < rows) {
        matrix.columns.push_back(static_cast<unsigned>(j));
        matrix.values.push_back(j == i ? 0.5 : 0.125);
      }
  }
  matrix.begins.push_back(static_cast<unsigned>(matrix.columns.size()));
  a.resize(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i % 13);
  b.assign(a.size(), -1);
}
bool smvp(long) { return this_idiom.smvp(matrix, a, b), true; }
bool check_smvp(long) {
  std::vector<double> x = a, y(a.size());
  for (unsigned round = 0; round < devices::product_rounds; ++round) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = 0;
      for (unsigned k = matrix.begins[i]; k < matrix.begins[i + 1]; ++k)
        y[i] += matrix.values[k] * x[matrix.columns[k]];
    }
    std::swap(x, y);
  }
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::fabs(x[i] - b[i]) > 1e-9 * (1 + std::fabs(x[i]))) return false;
  return true;
}

struct problem {
  std::string name;
  long size = 0;
  bool (*solve)(long size);
  void (*prepare)(long size) = nullptr;
  bool (*check)(long size) = nullptr;
  int per_rep = 1;
};

std::vector<problem> all_problems() {
  std::vector<problem> all{{"launch", 0, launch, nullptr, nullptr, launches},
                           {"chain", 0, chain, nullptr, nullptr, links},
                           {"graph", 0, graph, nullptr, nullptr, links},
                           {"write_read", 0, write_read, nullptr, nullptr, copies},
                           {"busy", 0, busy, nullptr, nullptr, busy_launches}};
  const auto sized = [&](const char* name, long size, auto... functions) {
    all.push_back({std::string(name) + "/" + std::to_string(size), size, functions...});
  };
  for (long const n : {100, 1'000, 10'000, 100'000, 1'000'000})
    sized("stencil", n, stencil, prepare_stencil, check_stencil);
  for (long const m : {1, 2, 3}) sized("partition", m, partition, prepare_partition, check_partition);
  for (long const n : {1, 2, 4}) sized("share", n, share, prepare_share, check_partition);
  for (long const n : {256, 512}) {
    sized("pictures_in_turn", n, pictures_in_turn, nullptr, check_pictures);
    sized("pictures_beside", n, pictures_beside, nullptr, check_pictures);
  }
  sized("stream", 1'000'000, stream, nullptr, check_stream);
  sized("dgemm", 256, dgemm, prepare_dgemm, check_dgemm);
  sized("smvp", 100'000, smvp, prepare_smvp, check_smvp);
  return all;
}

const problem& of(const benchmark* self) { return *static_cast<const problem*>(self->what); }

bool run(const benchmark* self, long reps) {
  bool right = true;
  for (long i = 0; i < reps; ++i) right = of(self).solve(of(self).size) && right;
  return right;
}

const char* why_left_out(const problem& p, const char* without) {
  if (without != nullptr) return without;
  if (p.name.starts_with("share/") && p.size > this_idiom.device_count())
    return "there are not so many devices, nor parts of one";
  if (p.name.starts_with("pictures") && devices::encode(devices::image(3), 1) == 0)
    return "it was built without libpng (Debian: libpng-dev)";
  return nullptr;
}

int make(benchmark** result) {
  static std::vector<problem> const all = all_problems();
  static std::vector<benchmark> made(all.size());
  const char* const without = this_idiom.begin();
  for (std::size_t i = 0; i < all.size(); ++i) {
    benchmark& one = made[i];
    one = {};
    one.name = all[i].name.c_str();
    one.what = &all[i];
    one.run = run;
    if (all[i].prepare != nullptr) one.prepare = [](const benchmark* self) { of(self).prepare(of(self).size); };
    if (all[i].check != nullptr) one.check = [](const benchmark* self, long) { return of(self).check(of(self).size); };
    one.once = all[i].name.starts_with("partition") || all[i].name.starts_with("share");  // the answers are added to
    one.per_rep = all[i].per_rep;
    one.kind = "time";
    one.left_out = why_left_out(all[i], without);
  }
  *result = made.data();
  return static_cast<int>(made.size());
}

}  // namespace

int main(int argc, char** argv) {
  bench_program program{};
  program.name = "devices";
  program.item = "problem";
  program.samples = 15;
  program.least_samples = 3;
  program.sample_us = 2000;
  program.budget_us = 2e6;
  program.make = make;
  return bench_main(&program, argc, argv);
}
