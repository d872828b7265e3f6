// Values that are larger than a stack, by value through every collective operation: as plain bytes, and as a vector.
#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "check.hpp"

namespace {

namespace co = amity::collectives;
using test::check, test::thrown;

constexpr std::size_t numbers = 2'097'152;  // 16 MiB of them

// All numbers are the same.
struct block {
  std::array<double, numbers> of;
  [[nodiscard]] bool is(double x) const {
    for (double each : of)
      if (each != x) return false;
    return true;
  }
  void fill(double x) { of.fill(x); }
  friend block operator+(const block& a, const block& b) {
    block sum = a;
    for (std::size_t i = 0; i < numbers; ++i) sum.of[i] += b.of[i];
    return sum;
  }
};

struct list {
  std::vector<double> of = std::vector<double>(numbers);
  [[nodiscard]] bool is(double x) const { return of == std::vector<double>(numbers, x); }
  void fill(double x) { of.assign(numbers, x); }
  friend list operator+(list a, const list& b) {
    for (std::size_t i = 0; i < numbers; ++i) a.of[i] += b.of[i];
    return a;
  }
  template <class Archive>
  void serialize(Archive& a) {
    a& of;
  }
};

template <class V>
std::unique_ptr<V> made(double x) {
  std::unique_ptr<V> v(new V);
  v->fill(x);
  return v;
}
template <class V>
std::unique_ptr<V> got(amity::future<V> f) {
  return std::unique_ptr<V>(new V(f.get()));
}

template <class V>
void every_operation(const char* name) {
  auto const c = co::world();
  int const me = c.this_site(), n = c.num_sites();
  auto const is = [&](bool right, const char* operation) { check(right, std::string(operation) + " of " + name); };
  std::plus<> const add;
  double const sum = n * (n + 1) / 2.0;
  auto mine = made<V>(me + 1);

  is(got<V>(co::broadcast(c, std::as_const(*mine), co::root_site_arg(n - 1)))->is(n), "broadcast");
  {
    auto variable = made<V>(me + 1);
    co::broadcast(c, *variable);
    is(variable->is(1), "broadcast of a variable");
    variable->fill(me + 1);
    co::reduce(c, *variable, add);
    is(variable->is(me == 0 ? sum : me + 1), "reduce of a variable");
  }
  is(me == 0 ? got<V>(co::broadcast_to(c, *mine))->is(1) : got<V>(co::broadcast_from<V>(c))->is(1), "broadcast_to");
  {
    auto const there = co::reduce(c, std::as_const(*mine), add).share();
    is(there.get().has_value() == (me == 0) && (me != 0 || there.get()->is(sum)), "reduce");
  }
  if (me == 0)
    is(got<V>(co::reduce_here(c, *mine, add))->is(sum), "reduce_here");
  else
    co::reduce_there(c, *mine, add).get();
  is(got<V>(co::all_reduce(c, *mine, add))->is(sum), "all_reduce");
  is(got<V>(co::inclusive_scan(c, *mine, add))->is((me + 1) * (me + 2) / 2.0), "inclusive_scan");
  is(got<V>(co::exclusive_scan(c, *mine, *made<V>(5), add))->is(5 + me * (me + 1) / 2.0), "exclusive_scan");
  if (me == 0) {
    auto const all = co::gather_here(c, *mine).get();
    is(all.size() == static_cast<std::size_t>(n) && all.back().is(n), "gather_here");
  } else {
    co::gather_there(c, *mine).get();
  }
  {
    auto const all = co::all_gather(c, *mine).get();
    is(all.size() == static_cast<std::size_t>(n) && all.front().is(1) && all.back().is(n), "all_gather");
  }
  std::vector<V> for_all(static_cast<std::size_t>(n), *mine);
  {
    auto const all = co::all_to_all(c, for_all).get();
    is(all.size() == static_cast<std::size_t>(n) && all.front().is(1) && all.back().is(n), "all_to_all");
  }
  if (me == 0) for_all.back().fill(77);
  is(got<V>(co::scatter(c, std::move(for_all)))->is(me == n - 1 ? 77 : 1), "scatter");
}

// An operation that takes them by value wants them on the stack of its task.
void by_value_is_refused() {
  auto const c = co::world();
  auto const value = made<block>(1);
  std::string const said = thrown<std::length_error>(
      [&] { got<block>(co::all_reduce(c, *value, [](block a, const block&) { return a; })); });
  check(said.find("take 16384 KiB by value") != std::string::npos || said.find("has failed") != std::string::npos ||
            c.num_sites() == 1,
        "an operator that takes large values by value: " + said);
  amity::barrier_all();
  check(co::all_reduce(c, 1, std::plus<>()).get() == c.num_sites(), "the next operation");
}

// What a task gives back.
void result_of_a_task() {
  auto const b = got<block>(amity::async([] { return block(*made<block>(3)); }));
  check(b->is(3), "a large result of a task");
}

}  // namespace

int main() {
  every_operation<list>("a list");
  every_operation<block>("a block");
  by_value_is_refused();
  result_of_a_task();
  return test::end();
}
