// What travels with a call arrives as it was sent: maps, views within others, large arguments, functions, closures that
// change their own copy. What only looks like an address of the caller is no reason to refuse a call.
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "amity/amity.hpp"
#include "amity/distributed.hpp"
#include "check.hpp"

using test::check, test::thrown;

namespace {

int me, n, next;

// --- containers

template <class Map>
void maps_arrive(const char* what) {
  Map m;
  for (int i = 0; i < 1000; ++i) m[static_cast<typename Map::key_type>(i)] = static_cast<typename Map::mapped_type>(i);
  auto sum = [](Map x, Map y) {
    std::size_t right = 0;
    for (const auto& [key, value] : x) right += static_cast<std::uint64_t>(key) == static_cast<std::uint64_t>(value);
    return right + y.size();
  };
  check(amity::rpc(next, sum, m, m).get() == 2000, what);
}

// --- views

bool is(std::string_view v, char c) { return v.size() == 3000 && v.find_first_not_of(c) == v.npos; }

void views_arrive_within_others() {
  char const c = static_cast<char>('a' + me);
  std::string const text(3000, c);
  std::string_view const view = text;
  using span = std::span<const char>;
  check(amity::rpc(
            next, [](std::pair<int, std::string_view> p, char k) { return is(p.second, k); }, std::pair(1, view), c)
            .get(),
        "a pair with a view");
  check(amity::rpc(
            next, [](std::optional<std::string_view> o, char k) { return is(*o, k); }, std::optional(view), c)
            .get(),
        "an optional view");
  check(amity::rpc(
            next, [](std::array<std::string_view, 2> a, char k) { return is(a[0], k) && is(a[1], k); },
            std::array{view, view}, c)
            .get(),
        "an array of views");
  check(amity::rpc(
            next,
            [](const std::map<int, std::vector<std::pair<int, std::string_view>>>& m, char k) {
              return is(m.at(3).at(1).second, k);
            },
            std::map<int, std::vector<std::pair<int, std::string_view>>>{{3, {{1, view}, {2, view}}}}, c)
            .get(),
        "a map of vectors of pairs with views");
  check(amity::rpc(
            next,
            [](std::tuple<int, span> t, char k) {
              return is(std::string_view(std::get<1>(t).data(), std::get<1>(t).size()), k);
            },
            std::tuple(4, span(text)), c)
            .get(),
        "a tuple with a span");
  check(amity::rpc(
            next, [](std::variant<int, std::string_view> v, char k) { return is(std::get<1>(v), k); },
            std::variant<int, std::string_view>(view), c)
            .get(),
        "a variant with a view");
  check(amity::rpc(
            next, [](std::tuple<int, const char*> t, char k) { return is(std::get<1>(t), k); },
            std::tuple(1, text.c_str()), c)
            .get(),
        "a tuple with a text");
}

/// Also in this process a call has the elements as they were when it was made.
void views_are_of_the_moment_of_the_call() {
  for (int rank : {me, next}) {
    std::vector<int> values(1000, 1);
    auto sum = amity::rpc(
        rank,
        [](std::span<int> s) {
          int all = 0;
          for (int& each : s) all += std::exchange(each, 3);
          return all;
        },
        std::span(values));
    values.assign(values.size(), 2);
    check(sum.get() == 1000, "a view of what was there");
    check(values == std::vector<int>(1000, 2), "the caller's elements are its own");
  }
}

/// A call whose result is a future is over when that is there: so long its arguments stay, and the views in them.
void arguments_stay_until_the_future_is_there() {
  std::string const text(3000, static_cast<char>('a' + me));
  for (int rank : {me, next})
    for (std::string_view view : {std::string_view(text), std::string_view(text).substr(0, 40)}) {
      auto both = amity::rpc(
          rank,
          [](std::string_view v, const std::string& copy) {
            return amity::async([] {}).then([v, &copy](amity::future<void>) { return v == copy; });
          },
          view, std::string(view));
      check(both.get(), "arguments of a call that gives a future");
    }
}

// --- functions

int plain(int x) { return x + 1; }
std::atomic<int> noted{0};
struct adder {
  std::vector<int> values;
  int operator()(int x) const { return x + values.at(1); }
  template <class Archive>
  void serialize(Archive& ar) {
    ar(values);
  }
};
struct counter {
  int count = 0;
};
int count_up(counter& c, int by) { return c.count += by; }

void functions_arrive() {
  int (*const f)(int) = plain;
  check(amity::rpc(
            next, [](std::pair<int, int (*)(int)> p) { return p.second(p.first); }, std::pair(1, f))
                .get() == 2,
        "a pointer to a function as an argument");
  check(amity::rpc(next, adder{{1, 2}}, 5).get() == 7, "an object with its own functions, which is called");
  amity::dist_object<counter> counters(counter{me});
  amity::barrier_all();
  check(counters.call(next, count_up, 0).get() == next, "a function of the program is called with a dist_object");
  check(counters.call(next, [k = 1](counter& c) mutable { return c.count + --k; }).get() == next, "a mutable one");
  auto const object = amity::new_<counter>(next).get();
  check(object.call(count_up, 5).get() == 5, "a function of the program is called with an object");
  check(object.call([k = 4](counter& c) mutable { return c.count + ++k; }).get() == 10, "a mutable one");
  amity::barrier_all();
}

void closures_may_change_their_own_copy() {
  int k = 1;
  for (int rank : {me, next}) {
    check(amity::rpc(rank, [k]() mutable { return ++k; }).get() == 2, "rpc");
    check(amity::rpc(
              rank, [k](int by) mutable { return k += by; }, 5)
                  .get() == 6,
          "rpc with an argument");
    check(amity::async_at(rank, [k]() mutable { return ++k; }).get() == 2, "async_at");
    amity::global_ptr<int> const there = amity::allocate<int>(rank, 1);
    int const value = 3;
    amity::rput(&value, there, 1,
                amity::operation_cx::as_blocking() |
                    amity::remote_cx::as_rpc([k](int more) mutable { noted += k += more; }, 2));
    amity::finish([&] {
      amity::rpc_ff(rank, [k]() mutable { noted += ++k; });
      amity::async_any([k](int by) mutable { noted += k += by; }, 3);
    });
    amity::deallocate(there);
  }
  amity::rpc_ff(next, [] { return std::make_unique<int>(1); });  // nobody asks for what does not travel
}

// --- what looks like an address

struct board {
  long n;
  long a[18];
};
class with_constructor {  // no constant can be made of it, and it has no standard layout
 public:
  with_constructor() {}  // NOLINT: it leaves `rest_` unwritten
  long n = 1;

 private:
  [[maybe_unused]] long rest_[10];
};
[[gnu::noinline]] void leave_addresses_behind() {
  void* volatile words[128];
  for (auto& w : words) w = const_cast<void**>(&words[0]);
}
[[gnu::noinline]] long send_board(int to) {
  board b;
  b.n = 1;
  b.a[0] = 42;
  return amity::async_at(to, [b] { return b.a[0]; }).get();
}
[[gnu::noinline]] long send_more(int to) {
  board b;
  with_constructor c;
  b.a[0] = 41;
  amity::global_ptr<int> const p;
  return amity::async_at(to, [b, c, p] { return b.a[0] + c.n + (p.is_null() ? 0 : 1); }).get();
}
void unwritten_parts_are_no_references() {
  for (int to = 0; to < n; ++to) {
    leave_addresses_behind();
    check(send_board(to) == 42, "a record with unwritten parts");
    leave_addresses_behind();
    check(send_more(to) == 42, "more of it");
  }
  // An address that is only handed back.
  int local = 0;
  int* const mine = &local;
  int const back = me;
  amity::finish(
      [&] { amity::async_at(next, [mine, back] { amity::async_at(back, [mine, back] { *mine = back + 1; }); }); });
  check(local == me + 1, "an address that comes back");
}

void references_are_refused() {
  if (n == 1) return;
  int local = 0, other = 0;
  check(thrown<std::invalid_argument>([&] { amity::rpc(next, [&] { return local + other; }).get(); }).find("address") !=
            std::string::npos,
        "[&]");
  check(thrown<std::invalid_argument>([&] { amity::rpc_ff(next, [&local] { ++local; }); }).find("address") !=
            std::string::npos,
        "[&local]");
}

// --- large ones

template <int KiB>
struct block {
  char bytes[KiB * 1024];
};
template <int KiB>
void large_arguments_arrive() {
  using large = block<KiB>;
  auto const b = std::make_unique<large>();
  b->bytes[KiB * 1024 - 1] = 7;
  std::string const size = std::to_string(KiB) + " KiB";
  for (int rank : {me, next}) {
    check(amity::rpc(
              rank, [](const large& x, char y) { return x.bytes[KiB * 1024 - 1] + y; }, *b, 'a')
                  .get() == 'a' + 7,
          size + " as an argument");
    check(amity::async_at(
              rank, [](std::vector<large> v, const large& x) { return v.at(0).bytes[0] + x.bytes[KiB * 1024 - 1]; },
              std::vector<large>(1), *b)
                  .get() == 7,
          size + " in a vector, and beside it");
    amity::finish([&] { amity::async_any([](const large& x) { noted += x.bytes[KiB * 1024 - 1]; }, *b); });
    auto const result = amity::rpc(rank, [] {
                          large made{};
                          made.bytes[1] = 5;
                          return made;
                        }).share();
    check(result.get().bytes[1] == 5, size + " as a result");
  }
}

template <int KiB>
void too_large_by_value_says_so() {
  auto const b = std::make_unique<block<KiB>>();
  for (int rank : {me, next})
    check(thrown<std::length_error>([&] {
            amity::rpc(
                rank, [](block<KiB> x) { return x.bytes[0]; }, *b)
                .get();
          }).find("AMITY_STACKSIZE") != std::string::npos,
          "an argument by value that is larger than the stack");
}

}  // namespace

int main() {
  me = amity::rank_me(), n = amity::rank_n(), next = (me + 1) % n;
  maps_arrive<std::map<int, int>>("map<int, int>");
  maps_arrive<std::map<unsigned, std::uint64_t>>("map<unsigned, uint64_t>");
  maps_arrive<std::unordered_map<unsigned, std::uint64_t>>("unordered_map<unsigned, uint64_t>");
  maps_arrive<std::unordered_map<short, double>>("unordered_map<short, double>");
  views_arrive_within_others();
  views_are_of_the_moment_of_the_call();
  arguments_stay_until_the_future_is_there();
  functions_arrive();
  closures_may_change_their_own_copy();
  unwritten_parts_are_no_references();
  references_are_refused();
  large_arguments_arrive<64>();
  large_arguments_arrive<16 * 1024>();
  too_large_by_value_says_so<32 * 1024>();
  amity::barrier_all();
  return test::end();
}
