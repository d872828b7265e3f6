// What the programs of this folder have in common: the arrays, the figures, and whether the answers are right.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <string_view>
#include <vector>

#include "algorithms/algorithms.hpp"
#include "algorithms/passes.hpp"
#include "common/program.h"

namespace library = std;
#define POLICY
namespace algorithms {
namespace {
/// What is right, in every program.
constexpr passes by_standard = {
#include "algorithms/passes.inc"
};
}  // namespace
}  // namespace algorithms

namespace {

using algorithms::record;
using algorithms::this_idiom;

std::size_t elements = 10'000'000;

enum class order { random, sorted, reversed, few };

/// The same in every program.
double number(std::size_t i, order how) {
  std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15;  // splitmix64 (Steele, Lea, Flood, 2014)
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  x ^= x >> 31;
  switch (how) {
    case order::random:
      return static_cast<double>(x >> 11);
    case order::sorted:
      return static_cast<double>(i);
    case order::reversed:
      return static_cast<double>(elements - i);
    case order::few:
      break;
  }
  return static_cast<double>(x % 16);
}

/// Of whatever order: the same for the same elements.
std::uint64_t print_of(double x) { return (std::bit_cast<std::uint64_t>(x) ^ 0x5851f42d4c957f2d) * 0x9e3779b97f4a7c15; }
std::uint64_t print_of(const record& r) {
  return print_of(r.key) + static_cast<std::uint64_t>(r.place) * 0xd6e8feb86659fd93;
}

template <class T>
std::uint64_t print_of_all(const std::vector<T>& all) {
  std::uint64_t sum = 0;
  for (const T& x : all) sum += print_of(x) ^ (print_of(x) >> 32);
  return sum;
}

std::vector<double> in, work, out;
std::vector<record> records;
std::uint64_t expected = 0;  // the print of the elements
double answer = 0;

order order_of(const benchmark* b) { return *static_cast<const order*>(b->what); }

void fill(std::vector<double>& v, order how) {
  v.resize(elements);
  for (std::size_t i = 0; i < elements; ++i) v[i] = number(i, how);
}

// --- sort, stable_sort

void prepare_sort(const benchmark* b) {
  fill(work, order_of(b));
  expected = print_of_all(work);
}
bool run_sort(const benchmark*, long) {
  this_idiom.sort(work.data(), work.data() + elements);
  return true;
}
bool check_sort(const benchmark*, long) {
  return std::is_sorted(work.begin(), work.end()) && print_of_all(work) == expected;
}

void prepare_stable_sort(const benchmark* b) {
  records.resize(elements);
  for (std::size_t i = 0; i < elements; ++i) records[i] = {number(i, order_of(b)), static_cast<long>(i)};
  expected = print_of_all(records);
}
bool run_stable_sort(const benchmark*, long) {
  this_idiom.stable_sort(records.data(), records.data() + elements);
  return true;
}
bool check_stable_sort(const benchmark*, long) {
  auto const before = [](const record& a, const record& b) {
    return a.key < b.key || (a.key == b.key && a.place < b.place);
  };
  return std::is_sorted(records.begin(), records.end(), before) && print_of_all(records) == expected;
}

// --- merge, of two halves

void prepare_merge(const benchmark*) {
  fill(in, order::random);
  std::size_t const half = elements / 2;
  in[0] /= 0x1p42;
  for (std::size_t i = 1; i < elements; ++i)  // gaps at random; whole numbers as ever
    in[i] = i == half ? in[i] / 0x1p42 : in[i - 1] + in[i] / 0x1p42;
  out.assign(elements, -1);
  expected = print_of_all(in);
}
bool run_merge(const benchmark*, long) {
  const double* const middle = in.data() + elements / 2;
  this_idiom.merge(in.data(), middle, middle, in.data() + elements, out.data());
  return true;
}
bool check_merge(const benchmark*, long) {
  return std::is_sorted(out.begin(), out.end()) && print_of_all(out) == expected;
}

// --- what needs no order. Small whole numbers: their sums are exact, whatever the order

void prepare_sums(const benchmark*) {
  fill(in, order::few);
  out.assign(elements, -1);
}
template <void (*algorithms::idiom::*Scan)(const double*, const double*, double*)>
bool run_scan(const benchmark*, long) {
  (this_idiom.*Scan)(in.data(), in.data() + elements, out.data());
  return true;
}
template <bool Inclusive>
bool check_scan(const benchmark*, long) {
  double sum = 0;
  for (std::size_t i = 0; i < elements; ++i) {
    double const before = sum;
    sum += in[i];
    if (out[i] != (Inclusive ? sum : before)) return false;
  }
  return true;
}

bool run_reduce(const benchmark*, long) {
  answer = this_idiom.reduce(in.data(), in.data() + elements);
  return true;
}
bool check_reduce(const benchmark*, long) {
  double sum = 0;
  for (double const x : in) sum += x;
  return answer == sum;
}

void prepare_products(const benchmark*) {
  fill(in, order::few);
  fill(work, order::few);
  std::reverse(work.begin(), work.end());
}
bool run_transform_reduce(const benchmark*, long) {
  answer = this_idiom.transform_reduce(in.data(), in.data() + elements, work.data());
  return true;
}
bool check_transform_reduce(const benchmark*, long) {
  double sum = 0;
  for (std::size_t i = 0; i < elements; ++i) sum += in[i] * work[i];
  return answer == sum;
}

void prepare_for_each(const benchmark*) {
  fill(in, order::few);
  work = in;
}
bool run_for_each(const benchmark*, long) {
  this_idiom.for_each(work.data(), work.data() + elements);
  return true;
}
bool check_for_each(const benchmark*, long) {
  return std::equal(work.begin(), work.end(), in.begin(),
                    [](double now, double before) { return now == algorithms::changed(before); });
}

// --- those of passes.hpp

std::uint64_t print_in_order(const std::vector<double>& all) {
  std::uint64_t sum = 0;
  for (double const x : all) sum = std::rotl(sum, 5) ^ print_of(x);
  return sum;
}

const algorithms::named_pass& pass_of(const benchmark* b) {
  return *static_cast<const algorithms::named_pass*>(b->what);
}

algorithms::operands operands_of_pass() { return {in.data(), in.data() + elements, work.data(), out.data()}; }

void prepare_pass(const benchmark*) {
  fill(in, order::few);
  if (work.size() != elements) fill(work, order::few);
  out = in;
}
bool run_pass(const benchmark* b, long) {
  answer = (algorithms::this_passes.*pass_of(b).which)(operands_of_pass());
  return true;
}
bool check_pass(const benchmark* b, long) {
  auto* const print = pass_of(b).in_any_order ? print_of_all<double> : print_in_order;
  std::uint64_t const written = print(out);
  out = in;
  return (algorithms::by_standard.*pass_of(b).which)(operands_of_pass()) == answer && print(out) == written;
}

// --- all of them

class listing {
 public:
  explicit listing(std::vector<benchmark>& to) : to_(to) {}

  void add(const char* name, bool there, void (*prepare)(const benchmark*), bool (*run)(const benchmark*, long),
           bool (*check)(const benchmark*, long), const void* how = nullptr) {
    benchmark b{};
    b.name = name;
    b.what = how;
    b.prepare = prepare;
    b.run = run;
    b.check = check;
    b.once = true;
    b.kind = "time";
    if (!there) b.left_out = "it has no such algorithm";
    to_.push_back(b);
  }

 private:
  std::vector<benchmark>& to_;
};

int make(benchmark** all) {
  static std::vector<benchmark> made;
  static constexpr order orders[] = {order::random, order::sorted, order::reversed, order::few};
  static constexpr const char* sorts[] = {"sort/random", "sort/sorted", "sort/reversed", "sort/few"};
  static constexpr const char* stable_sorts[] = {"stable_sort/random", "stable_sort/sorted", "stable_sort/reversed",
                                                 "stable_sort/few"};
  const algorithms::idiom& by = this_idiom;
  by.begin(team.threads);
  listing list(made);
  for (int i = 0; i < 4; ++i) list.add(sorts[i], by.sort != nullptr, prepare_sort, run_sort, check_sort, &orders[i]);
  for (int i = 0; i < 4; ++i)
    list.add(stable_sorts[i], by.stable_sort != nullptr, prepare_stable_sort, run_stable_sort, check_stable_sort,
             &orders[i]);
  list.add("merge", by.merge != nullptr, prepare_merge, run_merge, check_merge);
  list.add("inclusive_scan", by.inclusive_scan != nullptr, prepare_sums, run_scan<&algorithms::idiom::inclusive_scan>,
           check_scan<true>);
  list.add("exclusive_scan", by.exclusive_scan != nullptr, prepare_sums, run_scan<&algorithms::idiom::exclusive_scan>,
           check_scan<false>);
  list.add("reduce", by.reduce != nullptr, prepare_sums, run_reduce, check_reduce);
  list.add("transform_reduce", by.transform_reduce != nullptr, prepare_products, run_transform_reduce,
           check_transform_reduce);
  list.add("for_each", by.for_each != nullptr, prepare_for_each, run_for_each, check_for_each);
  for (const algorithms::named_pass& pass : algorithms::all_passes)
    list.add(pass.name, algorithms::this_passes.*pass.which != nullptr, prepare_pass, run_pass, check_pass, &pass);
  *all = made.data();
  return static_cast<int>(made.size());
}

bool option(const char* name, const char* value) {
  if (std::string_view(name) != "--elements") return false;
  const char* const end = value + std::strlen(value);
  auto const [stop, error] = std::from_chars(value, end, elements);
  if (error == std::errc() && stop == end && elements >= 2) return true;
  std::fprintf(stderr, "algorithms: --elements: '%s' is none; allowed: a whole number from 2 on\n", value);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  bench_program program{};
  program.name = "algorithms";
  program.item = "algorithm";
  program.usage = "[--elements N]";
  program.samples = 3;
  program.least_samples = 1;
  program.sample_us = 1500;
  program.budget_us = 60e6;
  program.option = option;
  program.make = make;
  return bench_main(&program, argc, argv);
}
