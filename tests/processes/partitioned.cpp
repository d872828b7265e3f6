// partitioned_vector: elements, layouts, algorithms over segments, each compared with std's over a plain vector.
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

std::vector<long> numbers(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<long> v(n);
  for (long& x : v) x = static_cast<long>(random() % 1000);
  return v;
}

long twice(long x) { return 2 * x; }
// Closures are made here: a lambda in a template is another type for each policy, and each type another call to
// compile.
auto const add_3 = [](long& x) { x += 3; };
auto const negate = [](long& x) { x = -x; };
auto const is_7_fold = [](long x) { return x % 7 == 0; };
auto const eleven = [] { return 11L; };
auto const last = [](long, long b) { return b; };
auto const odd = [](long x) { return x % 2 != 0; };
auto is(long wanted) {
  return [wanted](long x) { return x == wanted; };
}

template <class Policy>
void elementwise(const Policy& policy, std::vector<long> plain, const amity::block_layout& layout) {
  auto v = scattered(plain, layout);
  check(gathered(v) == plain, "copies there and back");
  amity::for_each(policy, v.begin(), v.end(), add_3);
  std::for_each(plain.begin(), plain.end(), add_3);
  check(gathered(v) == plain, "for_each");
  auto const some = static_cast<std::ptrdiff_t>(plain.size() / 3);
  check(amity::for_each_n(policy, v.begin() + some, some, negate) == v.begin() + 2 * some, "its end");
  std::for_each_n(plain.begin() + some, some, negate);
  check(gathered(v) == plain, "for_each_n");
  amity::replace_if(policy, v.begin(), v.end(), is_7_fold, 5);
  std::replace_if(plain.begin(), plain.end(), is_7_fold, 5);
  amity::replace(policy, v.begin(), v.end(), 5L, 6L);
  std::replace(plain.begin(), plain.end(), 5L, 6L);
  check(gathered(v) == plain, "replace");

  amity::partitioned_vector<long> out(plain.size() + 5);  // of another layout, and shifted
  std::vector<long> plain_out(plain.size() + 5);
  amity::transform(policy, v.begin(), v.end(), out.begin() + 5, twice);
  std::transform(plain.begin(), plain.end(), plain_out.begin() + 5, twice);
  check(gathered(out) == plain_out, "transform by a function");
  amity::partitioned_vector<long> fresh(plain.size());
  amity::transform(policy, v.cbegin(), v.cend(), v.begin(), fresh.begin(), std::multiplies<>());
  std::vector<long> plain_fresh(plain.size());
  std::transform(plain.begin(), plain.end(), plain.begin(), plain_fresh.begin(), std::multiplies<>());
  check(gathered(fresh) == plain_fresh, "transform of two");
  amity::adjacent_difference(policy, v.begin(), v.end(), fresh.begin());
  std::adjacent_difference(plain.begin(), plain.end(), plain_fresh.begin());
  check(gathered(fresh) == plain_fresh, "adjacent_difference");
  amity::fill(policy, fresh.begin() + some, fresh.end(), 4);
  std::fill(plain_fresh.begin() + some, plain_fresh.end(), 4);
  check(gathered(fresh) == plain_fresh, "fill");
  amity::generate(policy, fresh.begin(), fresh.end(), eleven);
  check(amity::count(policy, fresh.begin(), fresh.end(), 11L) == static_cast<std::ptrdiff_t>(plain.size()), "generate");
}

template <class Policy>
void reductions(const Policy& policy, const std::vector<long>& plain, const amity::block_layout& layout) {
  auto const v = scattered(plain, layout);
  check(amity::reduce(policy, v.begin(), v.end()) == std::accumulate(plain.begin(), plain.end(), 0L), "reduce");
  check(amity::reduce(policy, v.begin(), v.end(), 1.5) == std::accumulate(plain.begin(), plain.end(), 1.5),
        "to double");
  // Neither commutative nor with a neutral element: the last of two.
  check(amity::reduce(policy, v.begin(), v.end(), -1L, last) == (plain.empty() ? -1 : plain.back()), "order is kept");
  check(amity::transform_reduce(policy, v.begin(), v.end(), 7L, std::plus<>(), twice) ==
            std::transform_reduce(plain.begin(), plain.end(), 7L, std::plus<>(), twice),
        "transform_reduce");
  auto const w = amity::partitioned_vector<long>(plain.size(), 3);
  check(amity::transform_reduce(policy, v.begin(), v.end(), w.begin(), 1L) ==
            3 * std::accumulate(plain.begin(), plain.end(), 0L) + 1,
        "of two");
  check(amity::count_if(policy, v.begin(), v.end(), odd) == std::count_if(plain.begin(), plain.end(), odd), "count_if");
  check(amity::all_of(policy, v.begin(), v.end(), odd) == std::all_of(plain.begin(), plain.end(), odd), "all_of");
  check(amity::any_of(policy, v.begin(), v.end(), odd) == std::any_of(plain.begin(), plain.end(), odd), "any_of");
  check(amity::none_of(policy, v.begin(), v.end(), odd) == std::none_of(plain.begin(), plain.end(), odd), "none_of");
  check(amity::equal(policy, v.begin(), v.end(), v.clone().begin()), "equal to a clone");
  if (!plain.empty()) {
    auto const other = v.clone();
    other[plain.size() - 1] = -5;
    check(!amity::equal(policy, v.begin(), v.end(), other.begin(), other.end()), "not equal");
  }
  for (long const wanted : {plain.empty() ? 0 : plain[plain.size() / 2], -1L}) {
    auto const at = std::find(plain.begin(), plain.end(), wanted) - plain.begin();
    check(amity::find(policy, v.begin(), v.end(), wanted) - v.begin() == at, "find");
    check(amity::find_if(policy, v.begin(), v.end(), is(wanted)) - v.begin() == at, "find_if");
    check(amity::contains(policy, v.begin(), v.end(), wanted) == (at != std::ssize(plain)), "contains");
  }
  check(amity::adjacent_find(policy, v.begin(), v.end()) - v.begin() ==
            std::adjacent_find(plain.begin(), plain.end()) - plain.begin(),
        "adjacent_find");
  check(amity::min_element(policy, v.begin(), v.end()) - v.begin() ==
            std::min_element(plain.begin(), plain.end()) - plain.begin(),
        "min_element");
  check(amity::max_element(policy, v.begin(), v.end()) - v.begin() ==
            std::max_element(plain.begin(), plain.end()) - plain.begin(),
        "max_element");
  auto const both = amity::minmax_element(policy, v.begin(), v.end());
  auto const plain_both = std::minmax_element(plain.begin(), plain.end());
  check(both.first - v.begin() == plain_both.first - plain.begin() &&
            both.second - v.begin() == plain_both.second - plain.begin(),
        "minmax_element");
  std::vector<long> in_order = plain;
  std::sort(in_order.begin(), in_order.end());
  auto const sorted = scattered(in_order, layout);
  check(amity::is_sorted(policy, sorted.begin(), sorted.end()), "is_sorted");
  check(amity::is_sorted(policy, v.begin(), v.end()) == std::is_sorted(plain.begin(), plain.end()), "is not");
}

template <class Policy>
void scans(const Policy& policy, const std::vector<long>& plain, const amity::block_layout& layout) {
  auto const v = scattered(plain, layout);
  amity::partitioned_vector<long> out(plain.size() + 1);
  std::vector<long> expected(plain.size() + 1);
  amity::inclusive_scan(policy, v.begin(), v.end(), out.begin());
  std::inclusive_scan(plain.begin(), plain.end(), expected.begin());
  check(gathered(out) == expected, "inclusive_scan");
  amity::inclusive_scan(policy, v.begin(), v.end(), out.begin() + 1, std::plus<>(), 10L);
  std::inclusive_scan(plain.begin(), plain.end(), expected.begin() + 1, std::plus<>(), 10L);
  check(gathered(out) == expected, "inclusive_scan behind a value");
  amity::exclusive_scan(policy, v.begin(), v.end(), out.begin(), 3L);
  std::exclusive_scan(plain.begin(), plain.end(), expected.begin(), 3L);
  check(gathered(out) == expected, "exclusive_scan");
  amity::transform_exclusive_scan(policy, v.begin(), v.end(), out.begin(), 3L, std::plus<>(), twice);
  std::transform_exclusive_scan(plain.begin(), plain.end(), expected.begin(), 3L, std::plus<>(), twice);
  check(gathered(out) == expected, "transform_exclusive_scan");
  amity::transform_inclusive_scan(policy, v.begin(), v.end(), out.begin(), std::plus<>(), twice);
  std::transform_inclusive_scan(plain.begin(), plain.end(), expected.begin(), std::plus<>(), twice);
  check(gathered(out) == expected, "transform_inclusive_scan");
  auto const in_place = v.clone();
  amity::inclusive_scan(policy, in_place.begin(), in_place.end(), in_place.begin());
  std::vector<long> plain_scanned(plain.size());
  std::inclusive_scan(plain.begin(), plain.end(), plain_scanned.begin());
  check(gathered(in_place) == plain_scanned, "in place");
}

void elements(int me, int n) {
  amity::partitioned_vector<std::string> words(100, "none", amity::block_layout(7));
  words[93] = "there";
  check(words[93] == "there" && static_cast<std::string>(words[92]) == "none", "elements that aren't bytes");
  check(words.blocks() == 7 && words.block_size() == 15 && words.where(15) == 1 % n, "layout");
  check(amity::count(ex::par, words.begin(), words.end(), std::string("none")) == 99, "counted where they are");
  amity::partitioned_vector<std::string> more(90);
  amity::copy(ex::par, words.begin() + 10, words.end(), more.begin());
  check(more[83] == "there", "copied between processes");
  auto const later = amity::reduce(ex::par(ex::task), words.begin(), words.end(), std::string());
  check(thrown<std::out_of_range>([&] { static_cast<void>(words.at(100)); }) ==
            "element 100 of a partitioned_vector of 100",
        "at");
  check(thrown<std::out_of_range>([n] {
          amity::partitioned_vector<int>(9, amity::block_layout({0, n}));
        }).find("does not exist") != std::string::npos,
        "a rank that does not exist");
  check(thrown<std::invalid_argument>([] { amity::block_layout(0); }) != "nothing", "no blocks");
  check(amity::partitioned_vector<int>().empty(), "of nothing");
  later.wait();

  // Goes along, and by name; goes with the last reference.
  words.register_as("words of " + std::to_string(me));
  amity::barrier_all();
  auto const same = amity::partitioned_vector<std::string>::connect_to("words of " + std::to_string((me + 1) % n));
  check(same.size() == 100 && same[93] == "there", "by name");
  check(amity::rpc((me + 1) % n, [](amity::partitioned_vector<std::string> v) { return std::string(v[93]); }, words)
                .get() == "there",
        "sent along");
  check(thrown<std::invalid_argument>([] { static_cast<void>(amity::partitioned_vector<int>::connect_to("none")); }) ==
            "partitioned_vector: none is registered as 'none'",
        "no such name");
  amity::barrier_all();
}

void memory_comes_back() {
  amity::barrier_all();
  std::size_t const before = amity::shared_segment_used();
  for (int i = 0; i < 10; ++i) static_cast<void>(amity::partitioned_vector<double>(100000).clone());
  amity::barrier_all();
  for (int i = 0; i < 2000 && amity::shared_segment_used() > before; ++i)
    amity::this_task::sleep_for(std::chrono::milliseconds(1));
  check(amity::shared_segment_used() <= before, "memory goes with the last reference");
  amity::barrier_all();
}

void together(int n) {
  auto const v = amity::partitioned_vector<long>::together(1000);
  std::size_t own = 0;
  for (const auto& part : v.local_parts())
    for (std::size_t i = 0; i < part.elements.size(); ++i, ++own) part.elements[i] = static_cast<long>(part.first + i);
  amity::barrier_all();
  check(own >= 1000 / static_cast<std::size_t>(n) - 1, "each has a part");
  check(amity::reduce(ex::par, v.begin(), v.end()) == 999 * 500, "one vector of all");
  std::string const wrong = thrown<std::out_of_range>(
      [&] { static_cast<void>(amity::partitioned_vector<long>::together(10, amity::block_layout(std::vector{n}))); });
  check(wrong.find("rank") != std::string::npos, "all hear that rank 0 could not make it: " + wrong);
  amity::barrier_all();
}

void failures() {
  amity::partitioned_vector<int> v(100, 1);
  std::string const what = thrown<std::runtime_error>(
      [&] { amity::for_each(ex::par, v.begin(), v.end(), [](int&) { throw std::runtime_error("planted"); }); });
  check(what.find("planted") != std::string::npos, "what an element's function throws: " + what);
  int local = 0;
  if (amity::rank_n() == 1) return;  // nothing travels
  check(thrown<std::invalid_argument>([&] {
          amity::for_each(ex::par, v.begin(), v.end(), [&local](int& x) { local += x; });
        }).find("address") != std::string::npos,
        "a reference to the caller's variable");
}

}  // namespace

int main() {
  int const me = amity::rank_me(), n = amity::rank_n();
  elements(me, n);
  together(n);
  memory_comes_back();
  failures();
  for (std::size_t const size : {0, 1, 7, 1000}) {
    auto const plain = numbers(size, static_cast<unsigned>(size) + 17);
    for (const amity::block_layout& layout :
         {amity::block_layout(), amity::block_layout(5), amity::block_layout(std::vector{n - 1})}) {
      elementwise(ex::par, plain, layout);
      elementwise(ex::seq, plain, layout);
      reductions(ex::par, plain, layout);
      reductions(ex::seq, plain, layout);
      scans(ex::par, plain, layout);
      scans(ex::seq, plain, layout);
    }
  }
  return test::end();
}
