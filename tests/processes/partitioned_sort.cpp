// sort, stable_sort and is_sorted_until over partitioned vectors, compared with std's over a plain vector.
#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "vectors.hpp"

namespace {

using test::check;
using test::gathered;
using test::scattered;
using test::thrown;
namespace ex = amity::execution;

// Bytes, larger than a number; `place` tells equal ones apart.
struct item {
  int key = 0, place = 0;
  double weight = 0;
  friend bool operator==(const item& a, const item& b) { return a.key == b.key && a.place == b.place; }
};
// No bytes.
struct named {
  std::string name;
  int place = 0;
  template <class Archive>
  void serialize(Archive& ar) {
    ar(name, place);
  }
  friend bool operator==(const named& a, const named& b) { return a.name == b.name && a.place == b.place; }
};

bool by_key(const item& a, const item& b) { return a.key < b.key; }
bool by_name(const named& a, const named& b) { return a.name < b.name; }

// A block for each, more of them, more than there are elements, all in one process, only in some, unevenly.
std::vector<amity::block_layout> layouts(int n) {
  return {amity::block_layout(),           amity::block_layout(5),
          amity::block_layout(23),         amity::block_layout(std::vector{n - 1}),
          amity::block_layout(3, {n - 1}), amity::block_layout(std::vector{0, n - 1, 0, n / 2})};
}

enum class kind { random, few, equal, sorted, reversed, waves, last_is_least };
constexpr kind kinds[] = {kind::random,   kind::few,   kind::equal,        kind::sorted,
                          kind::reversed, kind::waves, kind::last_is_least};

std::vector<int> keys(kind k, std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    int const at = static_cast<int>(i), last = static_cast<int>(n) - 1;
    switch (k) {
      case kind::random:
        all[i] = static_cast<int>(random() % 100000);
        break;
      case kind::few:
        all[i] = static_cast<int>(random() % 3);
        break;
      case kind::equal:
        all[i] = 5;
        break;
      case kind::sorted:
        all[i] = at / 2;
        break;
      case kind::reversed:
        all[i] = last - at;
        break;
      case kind::waves:
        all[i] = at % 17;
        break;
      case kind::last_is_least:
        all[i] = at < last - last / 4 ? 1000 + at : at;
        break;
    }
  }
  return all;
}

struct some_of_it {
  std::size_t first, last;
};
std::vector<some_of_it> parts(std::size_t n) { return {{0, n}, {n / 3, n - n / 4}}; }

// Both algorithms over parts of a vector; `less` must tell all elements apart for sort, `stably` need not.
template <class Policy, class T, class Less, class Stably>
void compare(const Policy& policy, const std::vector<T>& plain, const amity::block_layout& layout, Less less,
             Stably stably, const std::string& what) {
  for (auto [first, last] : parts(plain.size())) {
    auto const from = static_cast<std::ptrdiff_t>(first), to = static_cast<std::ptrdiff_t>(last);
    auto expected = plain;
    auto v = scattered(plain, layout);
    std::sort(expected.begin() + from, expected.begin() + to, less);
    amity::sort(policy, v.begin() + from, v.begin() + to, less);
    check(gathered(v) == expected, what + ": sort");
    expected = plain;
    v = scattered(plain, layout);
    std::stable_sort(expected.begin() + from, expected.begin() + to, stably);
    amity::stable_sort(policy, v.begin() + from, v.begin() + to, stably);
    check(gathered(v) == expected, what + ": stable_sort");
  }
}

template <class Policy>
void numbers(const Policy& policy, std::size_t size, const amity::block_layout& layout) {
  for (kind const k : kinds) {
    auto const from = keys(k, size, 11);
    std::string const what = "numbers " + std::to_string(static_cast<int>(k)) + " of " + std::to_string(size);
    compare(policy, std::vector<long>(from.begin(), from.end()), layout, std::less<>(), std::less<>(), what);
    compare(policy, std::vector<double>(from.begin(), from.end()), layout, std::greater<>(), std::greater<>(),
            what + " falling");
  }
}
// Closures are made here: a lambda in a template is another type for each policy, and each type another sort to
// compile.
auto different(int mask) {
  return [mask](const item& a, const item& b) {
    return std::pair(a.key ^ mask, a.place) < std::pair(b.key ^ mask, b.place);
  };
}
auto by_name_and_place() {
  return [](const named& a, const named& b) { return std::pair(a.name, a.place) < std::pair(b.name, b.place); };
}

template <class Policy>
void structures(const Policy& policy, std::size_t size, const amity::block_layout& layout) {
  for (kind const k : kinds) {
    std::vector<item> items;
    std::vector<named> names;
    for (int const key : keys(k, size, 12)) {
      int const place = static_cast<int>(items.size());
      items.push_back({key, place, 0.5});
      names.push_back({std::string(static_cast<std::size_t>(key % 30), 'x') + std::to_string(key), place});
    }
    std::string const what = "structures " + std::to_string(static_cast<int>(k)) + " of " + std::to_string(size);
    // A function of the program, and closures of plain bytes.
    compare(policy, items, layout, different(size % 2 == 0 ? 0 : 1), by_key, what);
    compare(policy, names, layout, by_name_and_place(), by_name, what + " with strings");
  }
}

void forms(int n) {
  auto const from = keys(kind::random, 3000, 13);
  auto expected = from;
  std::sort(expected.begin(), expected.end());
  amity::block_layout const layout(2 * static_cast<std::size_t>(n) + 1);
  {
    auto const v = scattered(from, layout);
    amity::sort(v.begin(), v.end());
    check(gathered(v) == expected, "without a policy");
  }
  {
    auto const v = scattered(from, layout), w = scattered(from, amity::block_layout());
    auto one = amity::sort(ex::par(ex::task), v.begin(), v.end());
    auto other = amity::stable_sort(ex::par(ex::task), w.begin(), w.end());
    one.get();
    other.get();
    check(gathered(v) == expected && gathered(w) == expected, "two at once");
  }
  {
    auto v = scattered(from, layout);
    amity::ranges::sort(ex::par, v);
    check(gathered(v) == expected, "a range");
    check(amity::is_sorted(ex::par, v.begin(), v.end()), "is sorted then");
    amity::sort(ex::par, v.begin() + 7, v.begin() + 7);
    check(gathered(v) == expected, "nothing is sorted");
  }
  {
    std::vector<item> items;
    for (int const key : from) items.push_back({key / 100, static_cast<int>(items.size()), 0});
    auto v = scattered(items, layout);
    amity::ranges::stable_sort(ex::par, v, {}, &item::key);
    std::stable_sort(items.begin(), items.end(), by_key);
    check(gathered(v) == items, "by a projection");
    amity::ranges::sort(ex::par, v, std::greater<>(), &item::place);
    std::sort(items.begin(), items.end(), [](const item& a, const item& b) { return a.place > b.place; });
    check(gathered(v) == items, "by a function and a projection");
  }
  {
    amity::partitioned_vector<bool> bits(101, layout);
    for (std::size_t i = 0; i < 101; i += 3) bits[i] = true;
    amity::sort(ex::par, bits.begin(), bits.end());
    check(amity::count(ex::par, bits.begin(), bits.end() - 34, true) == 0 &&
              amity::count(ex::par, bits.end() - 34, bits.end(), true) == 34,
          "of bool");
  }
}

// So many that several workers merge a process's part.
void many(int n) {
  auto const from = keys(kind::random, 60000, 14);
  for (const amity::block_layout& layout :
       {amity::block_layout(), amity::block_layout(3 * static_cast<std::size_t>(n))}) {
    compare(ex::par, std::vector<long>(from.begin(), from.end()), layout, std::less<>(), std::less<>(), "many");
    std::vector<item> items;
    for (int const key : from) items.push_back({key % 50, static_cast<int>(items.size()), 0});
    auto const v = scattered(items, layout);
    amity::stable_sort(ex::par, v.begin(), v.end(), by_key);
    std::stable_sort(items.begin(), items.end(), by_key);
    check(gathered(v) == items, "many with few keys");
  }
}

void sorted_until(int n) {
  std::vector<int> plain(100);
  std::iota(plain.begin(), plain.end(), 0);
  for (const amity::block_layout& layout : layouts(n)) {
    auto const v = scattered(plain, layout);
    check(amity::is_sorted_until(ex::par, v.begin(), v.end()) == v.end(), "sorted to the end");
    for (std::size_t const at : {1, 19, 20, 21, 60, 99}) {
      v[at] = -1;
      check(amity::is_sorted_until(ex::par, v.begin(), v.end()) - v.begin() == static_cast<std::ptrdiff_t>(at),
            "sorted until there");
      check(amity::is_sorted_until(ex::seq, v.begin(), v.end()) - v.begin() == static_cast<std::ptrdiff_t>(at),
            "sorted until there, in order");
      v[at] = static_cast<int>(at);
    }
  }
  amity::partitioned_vector<int> const none;
  check(amity::is_sorted_until(ex::par, none.begin(), none.end()) == none.end(), "nothing is sorted");
}

// What the first exception says that `f` throws in a list, if it is an E.
template <class E, class F>
std::string listed(F f) {
  return thrown<E>([&] {
    try {
      f();
    } catch (const amity::exception_list& all) {
      std::rethrow_exception(*all.begin());
    }
  });
}

// Throws at the numbers from `first` to before `last`.
auto planted(int first, int last) {
  return [first, last](int a, int b) {
    if (first <= a && a < last) throw std::runtime_error("planted");
    return a < b;
  };
}
// By the number of their block: of one, they are in order.
auto within_blocks(std::size_t size) {
  return [size](const named& a, const named& b) {
    if (static_cast<std::size_t>(a.place) / size != static_cast<std::size_t>(b.place) / size)
      throw std::runtime_error("of two blocks");
    return a.name < b.name;
  };
}
auto with_reference_to(const int& local) {
  return [&local](int a, int b) { return a + local < b + local; };
}

// What the comparison throws comes to the caller. Where runs were sorted before, nothing is lost.
template <class Policy>
void failures(const Policy& policy, int n) {
  amity::block_layout const layout(2 * static_cast<std::size_t>(n));
  auto const from = keys(kind::random, 5000, 15);
  auto const v = scattered(from, layout);
  auto const sort_v = [&](auto less) {
    return listed<std::runtime_error>([&] { amity::sort(policy, v.begin(), v.end(), less); });
  };
  check(sort_v(planted(0, 100000)) == "planted", "always thrown");
  check(sort_v(planted(50000, 51000)) == "planted", "thrown of some");
  check(sort_v(std::less<>()) == "nothing", "the vector can be used then");

  std::vector<named> names;
  for (std::size_t i = 0; i < 1000; ++i) names.push_back({std::to_string(1000 + i * 37 % 1000), static_cast<int>(i)});
  auto const words = scattered(names, layout);
  check(listed<std::runtime_error>([&] {
          amity::stable_sort(policy, words.begin(), words.end(), within_blocks(words.block_size()));
        }) == "of two blocks",
        "thrown when runs are sorted");
  auto there = gathered(words);
  std::sort(there.begin(), there.end(), by_name);
  std::sort(names.begin(), names.end(), by_name);
  check(there == names, "nothing is lost");

  int local = 0;
  if (n > 1)
    check(listed<std::invalid_argument>([&] {
            amity::sort(policy, v.begin(), v.end(), with_reference_to(local));
          }).find("address") != std::string::npos,
          "a reference to the caller's variable");
}

void memory_comes_back() {
  amity::barrier_all();
  std::size_t const before = amity::shared_segment_used();
  amity::barrier_all();
  amity::partitioned_vector<long> v(20000);
  amity::sort(ex::par, v.begin(), v.end());
  v = {};
  amity::barrier_all();
  for (int i = 0; i < 2000 && amity::shared_segment_used() > before; ++i)
    amity::this_task::sleep_for(std::chrono::milliseconds(1));
  check(amity::shared_segment_used() <= before, "memory comes back");
  amity::barrier_all();
}

}  // namespace

int main() {
  int const me = amity::rank_me(), n = amity::rank_n();
  memory_comes_back();
  // Each case is one rank's, so that there are as many of all ranks together, and several at once.
  int cases = 0;
  auto const is_mine = [&] { return cases++ % n == me; };
  for (const amity::block_layout& layout : layouts(n))
    for (std::size_t const size : {0, 1, 2, 7, 500}) {
      if (is_mine()) numbers(ex::par, size, layout);
      if (is_mine()) structures(ex::par, size, layout);
      if (size == 7 && is_mine()) numbers(ex::seq, size, layout);
      if (size == 7 && is_mine()) structures(ex::seq, size, layout);
    }
  if (is_mine()) numbers(ex::seq, 300, amity::block_layout(5));
  if (is_mine()) many(n);
  if (is_mine()) sorted_until(n);
  forms(n);
  failures(ex::par, n);
  failures(ex::seq, n);
  return test::end();
}
