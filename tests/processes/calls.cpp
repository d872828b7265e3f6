// Remote calls: what travels, what comes back, what is refused.
#include <array>
#include <complex>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

#include "check.hpp"

using test::check, test::thrown;

namespace {

struct cell {
  int row = 0;
  double value = 0;
  std::string name;
  bool operator==(const cell&) const = default;
  template <class Archive>
  void serialize(Archive& ar) {
    ar(row, value, name);
  }
};

struct old_style {
  std::vector<cell> cells;
  template <class Archive>
  void serialize(Archive& ar, unsigned /*version*/) {
    ar& cells;
  }
};

struct halves {
  int a = 0;
  std::unique_ptr<int> b;
  template <class Archive>
  void save(Archive& ar) const {
    ar(a, b);
  }
  template <class Archive>
  void load(Archive& ar) {
    ar(a, b);
  }
};

int plain_function(int x) { return x + amity::rank_me(); }

// An exception whose type is the program's own.
struct own_error : std::exception {
  const char* what() const noexcept override { return "of its own"; }
};

template <class T>
void there_and_back(int rank, const T& value, const char* what) {
  check(amity::rpc(
            rank, [](T x) { return x; }, value)
                .get() == value,
        what);
}

void types(int next) {
  there_and_back(next, 42, "int");
  there_and_back(next, true, "bool");
  there_and_back(next, std::complex<double>(1, 2), "complex");
  there_and_back(next, std::string("text"), "string");
  there_and_back(next, std::string(100'000, 'x'), "a long string");
  there_and_back(next, std::vector<double>(300'000, 1.5), "a vector of 2.4 MB");
  there_and_back(next, std::vector<std::string>{"a", "", std::string(1000, 'b')}, "vector of strings");
  there_and_back(next, std::vector<bool>{true, false, true}, "vector of bool");
  there_and_back(next, std::pair<int, std::string>(1, "one"), "pair");
  there_and_back(next, std::tuple<int, double, std::string>(1, 2.5, "three"), "tuple");
  there_and_back(next, std::array<std::string, 2>{"x", "y"}, "array");
  there_and_back(next, std::map<std::string, std::vector<int>>{{"a", {1, 2}}, {"b", {}}}, "map");
  there_and_back(next, std::unordered_map<int, std::string>{{1, "one"}, {2, "two"}}, "unordered_map");
  there_and_back(next, std::set<int>{3, 1, 2}, "set");
  there_and_back(next, std::list<int>{1, 2, 3}, "list");
  there_and_back(next, std::deque<std::string>{"a", "b"}, "deque");
  there_and_back(next, std::optional<std::string>("there"), "optional with a value");
  there_and_back(next, std::optional<std::string>(), "optional without");
  there_and_back(next, std::variant<int, std::string>("text"), "variant");
  there_and_back(next, cell{1, 2.5, "c"}, "a type with serialize");
  check(amity::rpc(
            next, [](old_style o) { return o.cells.size(); }, old_style{{cell{}, cell{}}})
                .get() == 2,
        "a type with serialize and a version");
  halves const two{5, std::make_unique<int>(6)};
  check(amity::rpc(
            next, [](halves h) { return h.a * 10 + *h.b; }, two)
                .get() == 56,
        "a type with save and load");
  check(amity::rpc(
            next, [](std::string s) { return s.size(); }, "literal")
                .get() == 7,
        "a literal becomes a string");
  std::vector<int> numbers(50'000);
  std::iota(numbers.begin(), numbers.end(), 0);
  check(amity::rpc(
            next, [](std::span<const int> view) { return std::accumulate(view.begin(), view.end(), 0L); },
            std::span<const int>(numbers))
                .get() == 50'000L * 49'999 / 2,
        "a span is a view of the message");
  check(amity::rpc(
            next, [](std::string_view v) { return std::string(v) + "!"; }, std::string_view("seen"))
                .get() == "seen!",
        "a string_view");
}

void functions(int me, int next) {
  check(amity::rpc(next, plain_function, 7).get() == 7 + next, "a plain function");
  check(amity::rpc(next, &plain_function, 7).get() == 7 + next, "its address");
  check(amity::async_at(next, [me] { return me; }).get() == me, "a capture");
  check(amity::rpc(
            next, [](int x) { return amity::async([x] { return x + 1; }); }, 1)
                .get() == 2,
        "a future is awaited there");
  int const n = amity::rank_n();
  check(
      amity::rpc(
          next, [n](int hops) { return amity::rpc((amity::rank_me() + 1) % n, [](int h) { return h + 1; }, hops); }, 1)
              .get() == 2,
      "a future of yet another process");
  auto sum = amity::dataflow([](int a, int b) { return a + b; }, amity::async_at(next, [] { return 1; }),
                             amity::async_at(next, [] { return 2; }));
  check(sum.get() == 3, "dataflow");
  check(amity::async_at(next, [] { return 4; }).then([](amity::future<int> f) { return f.get() + 1; }).get() == 5,
        "then");
  std::vector<amity::future<int>> many;
  for (int i = 0; i < 1000; ++i)
    many.push_back(amity::rpc(
        i % n, [](int x) { return x * x; }, i));
  bool right = true;
  for (int i = 0; i < 1000; ++i) right = right && many[i].get() == i * i;
  check(right, "a thousand at once");
}

void failures(int me, int next) {
  int const n = amity::rank_n();
  check(thrown<std::runtime_error>([&] { amity::async_at(next, [] { throw std::runtime_error("planted"); }).get(); }) ==
            "planted",
        "runtime_error");
  check(thrown<std::out_of_range>([&] {
          amity::rpc(
              next, [](int) -> int { throw std::out_of_range("far"); }, 1)
              .get();
        }) == "far",
        "out_of_range keeps its type");
  if (next != me) {
    check(thrown<amity::remote_error>([&] { amity::async_at(next, [] { throw own_error(); }).get(); }) == "of its own",
          "a type of its own");
    try {
      amity::async_at(next, [] { throw own_error(); }).get();
    } catch (const amity::remote_origin& e) {
      check(e.rank() == next && e.type().find("own_error") != std::string::npos, "where it was thrown, and what");
    } catch (...) {
      check(false, "remote_origin");
    }
    int local = me;
    check(thrown<std::invalid_argument>([&] { amity::async_at(next, [&] { ++local; }).get(); }).find("address") !=
              std::string::npos,
          "a reference to the stack");
    int* const pointer = &local;
    check(thrown<std::invalid_argument>([&] {
            amity::async_at(next, [pointer] { ++*pointer; }).get();
          }).find("address") != std::string::npos,
          "a pointer to the stack");
  }
  for (int rank : {-1, n, n + 100})
    check(thrown<std::out_of_range>([&] { amity::async_at(rank, [] {}); }).find(std::to_string(rank)) !=
              std::string::npos,
          "rank " + std::to_string(rank));
}

std::atomic<int> fired{0};

void fire_and_forget(int next) {
  amity::barrier_all();
  for (int i = 0; i < 100; ++i)
    amity::rpc_ff(
        next, [](int k) { fired += k; }, 2);
  amity::barrier_all();
  amity::finish_spmd([next] {
    for (int i = 0; i < 100; ++i)
      amity::rpc_ff(
          next, [](int k) { fired += k; }, 1);
  });
  while (fired < 300) amity::this_task::yield();
  check(fired == 300, "rpc_ff");
}

}  // namespace

int main() {
  int const me = amity::rank_me(), next = (me + 1) % amity::rank_n();
  types(next);
  functions(me, next);
  failures(me, next);
  fire_and_forget(next);
  return test::end();
}
