#include "amity/future/combine.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <list>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "amity/sync/this_task.hpp"

namespace amity {
namespace {

TEST(combine, dataflow_unwraps_its_futures) {
  EXPECT_EQ(dataflow([](int a, int b) { return a + b; }, async([] { return 40; }), make_ready_future(2)).get(), 42);
  shared_future<int> s = async([] { return 1; }).share();
  EXPECT_EQ(
      dataflow([](int a, int b, const std::string& c) { return c + std::to_string(a + b); }, s, s, std::string("x"))
          .get(),
      "x2");
  EXPECT_EQ(dataflow([](int a) { return a; }, make_ready_future(), make_ready_future(3)).get(), 3);
}

TEST(combine, dataflow_gives_futures_to_those_who_take_them) {
  auto f = dataflow([](future<int> a) { return a.has_exception(); }, make_exceptional_future<int>(1));
  EXPECT_TRUE(f.get());
}

TEST(combine, dataflow_passes_exceptions_on_and_flattens) {
  EXPECT_THROW(dataflow([](int) {}, make_exceptional_future<int>(1)).get(), int);
  future<int> f = dataflow([](int a) { return async([a] { return a; }); }, make_ready_future(4));
  EXPECT_EQ(f.get(), 4);
}

TEST(combine, unwrapping_calls_with_values) {
  auto const add = [](int a, int b) { return a + b; };
  EXPECT_EQ(unwrapping(add)(async([] { return 2; }), 3), 5);
  EXPECT_EQ(async([] { return 4; }).then(unwrapping([](int x) { return x * x; })).get(), 16);
  std::vector<future<int>> some;
  for (int i = 0; i < 5; ++i) some.push_back(async([i] { return i; }));
  auto const sum = [](std::vector<int> v, const std::string& name) { return name + std::to_string(v[1] + v[4]); };
  EXPECT_EQ(unwrapping(sum)(std::move(some), std::string("sum ")), "sum 5");
  bool called = false;
  std::vector<future<void>> nothing;
  nothing.push_back(async([] {}));
  unwrapping([&] { called = true; })(async([] {}), std::move(nothing));
  EXPECT_TRUE(called);
  auto const wrong = async([]() -> int { throw std::runtime_error("no value"); }).share();
  EXPECT_THROW(unwrapping(add)(wrong, 1), std::runtime_error);
}

TEST(combine, async_await_runs_after_every_input) {
  promise<int> left, right;
  auto l = left.get_future().share();
  std::vector<future<int>> more;
  more.push_back(right.get_future());
  auto f = async_await(l, std::move(more), make_ready_future(), [l] { return l.get(); });
  EXPECT_FALSE(f.is_ready());
  left.set_value(1);
  EXPECT_FALSE(f.is_ready());
  right.set_value(2);
  EXPECT_EQ(f.get(), 1);
}

TEST(combine, when_all_of_many) {
  std::vector<future<int>> many;
  for (int i = 0; i < 1000; ++i) many.push_back(async([i] { return i; }));
  int total = 0;
  for (auto& f : when_all(std::move(many)).get()) total += f.get();
  EXPECT_EQ(total, 499'500);
  auto [a, b] = when_all(make_ready_future(1), async([] {})).get();
  EXPECT_EQ(a.get(), 1);
  EXPECT_TRUE(b.is_ready());
  EXPECT_TRUE(when_all(std::vector<future<int>>()).get().empty());
}

TEST(combine, when_any_and_some) {
  promise<int> p[3];
  std::vector<future<int>> f;
  for (auto& x : p) f.push_back(x.get_future());
  auto any = when_any(std::move(f));
  EXPECT_FALSE(any.is_ready());
  p[1].set_value(7);
  auto r = any.get();
  EXPECT_EQ(r.index, 1u);
  EXPECT_EQ(r.futures[1].get(), 7);
  r.futures.erase(r.futures.begin() + 1);
  auto some = when_some(2, std::move(r.futures));
  p[2].set_value(8);
  EXPECT_FALSE(some.is_ready());
  p[0].set_value(9);
  EXPECT_EQ(some.get().indices, (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(when_any(std::vector<future<int>>()).get().index, static_cast<std::size_t>(-1));
  EXPECT_LT(when_any(async([] {}), make_ready_future(1)).get().index, 2u);
}

TEST(combine, the_losers_of_a_race_may_be_thrown_away) {
  for (int i = 0; i < 200; ++i) {
    std::vector<future<int>> f;
    for (int k = 0; k < 4; ++k) f.push_back(async([k] { return k; }));
    auto r = when_any(std::move(f)).get();
    EXPECT_TRUE(r.futures[r.index].is_ready());
  }
}

TEST(combine, each_and_waits) {
  std::atomic<int> sum{0};
  std::vector<future<int>> f;
  for (int i = 0; i < 50; ++i) f.push_back(async([i] { return i; }));
  wait_all(f);
  EXPECT_LT(wait_any(f), 50u);
  wait_some(10, f);
  wait_each([&](future<int> x) { sum += x.get(); }, std::move(f));
  EXPECT_EQ(sum, 49 * 25);
}

TEST(combine, wait_all_throws_what_the_first_that_failed_holds) {
  std::atomic<bool> is_late_done{false};
  std::vector<future<int>> f;
  f.push_back(async([] { return 1; }));
  f.push_back(async([]() -> int { throw std::runtime_error("second"); }));
  f.push_back(async([&]() -> int {
    this_task::sleep_for(std::chrono::milliseconds(5));
    is_late_done = true;
    throw std::logic_error("third");
  }));
  const auto text = [](auto wait) -> std::string {
    try {
      wait();
    } catch (const std::exception& e) {
      return e.what();
    }
    return "nothing";
  };
  EXPECT_EQ(text([&] { wait_all(f); }), "second");
  EXPECT_TRUE(is_late_done);
  EXPECT_EQ(text([&] { wait_all(f.begin(), f.end()); }), "second");
  EXPECT_EQ(text([&] { wait_all(f[0], f[2], f[1]); }), "third");
  std::vector<future<void>> others;
  others.push_back(make_ready_future());
  EXPECT_EQ(text([&] { wait_all(others, f); }), "second");
  EXPECT_EQ(text([&] { wait_all(f[2], others, f); }), "third");
  EXPECT_FALSE(wait_all_nothrow(others, f[0]));
  EXPECT_EQ(text([&] { wait_all_n(f.begin(), 1); }), "nothing");
  EXPECT_TRUE(wait_all_nothrow(f));
  EXPECT_TRUE(wait_all_nothrow(f[1], f[0]));
  EXPECT_TRUE(wait_all_nothrow(f.begin() + 1, f.end()));
  EXPECT_FALSE(wait_all_nothrow(f[0]));
  EXPECT_FALSE(wait_all_nothrow_n(f.begin(), 1));
  EXPECT_TRUE(f[1].valid());
  EXPECT_EQ(text([&] { f[1].get(); }), "second");
}

TEST(combine, a_future_of_a_tuple_is_split) {
  auto [a, b] = split_future(async([] { return std::tuple<int, std::string>(1, "b"); }));
  EXPECT_EQ(b.get(), "b");
  EXPECT_EQ(a.get(), 1);
}

TEST(combine, deferred_inputs_are_begun) {
  EXPECT_EQ(dataflow([](int a) { return a; }, async(launch::deferred, [] { return 5; })).get(), 5);
  EXPECT_EQ(async(launch::deferred, [] { return 5; }).then([](future<int> f) { return f.get(); }).get(), 5);
}

TEST(combine, deferred_dataflows_wait_for_who_waits) {
  std::atomic<int> ran{0};
  auto f = dataflow(
      launch::deferred, [&](int a, int b) { return ++ran + a + b; }, make_ready_future(1), async([] { return 2; }));
  auto g = dataflow(
      launch::deferred, [&](int a) { return make_ready_future(++ran + a); }, make_ready_future(1));  // flattened
  EXPECT_EQ(f.wait_for(std::chrono::seconds(0)), std::future_status::deferred);
  EXPECT_EQ(g.wait_for(std::chrono::seconds(0)), std::future_status::deferred);
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(when_all(std::move(f), std::move(g))
                .then([](auto all) {
                  auto both = all.get();
                  return std::get<0>(both).get() + std::get<1>(both).get();
                })
                .get(),
            7);
}

TEST(combine, split_future_of_references) {
  int x = 1;
  auto [a, b] = split_future(make_ready_future(std::tuple<int&, std::string>(x, "b")));
  EXPECT_EQ(&a.get(), &x);
  EXPECT_EQ(b.get(), "b");
}

std::vector<future<int>> three() {
  std::vector<future<int>> all;
  for (int i = 0; i < 3; ++i) all.push_back(async([i] { return i; }));
  return all;
}

TEST(combine, futures_given_by_name_are_taken_over_and_shared_ones_copied) {
  std::vector<future<int>> many = three();
  EXPECT_EQ(when_all(many).get().size(), 3u);
  future<int> a = make_ready_future(1);
  shared_future<int> b = make_ready_future(2).share();
  auto both = when_all(a, b).get();
  EXPECT_FALSE(a.valid());
  EXPECT_EQ(std::get<0>(both).get() + std::get<1>(both).get() + b.get(), 5);
  std::vector<shared_future<int>> const readers{b, b};
  EXPECT_EQ(when_all(readers).get()[1].get(), 2);
  EXPECT_EQ(when_any(readers).get().futures.size(), 2u);
  EXPECT_TRUE(readers[0].valid());
}

TEST(combine, when_some_and_any_and_each_of_several_and_of_ranges) {
  std::vector<future<int>> many = three();
  auto some = when_some(2, many.begin(), many.end()).get();
  EXPECT_EQ(some.indices.size(), 2u);
  EXPECT_EQ(some.futures.size(), 3u);
  many = three();
  auto any = when_any(many.begin(), many.end()).get();
  EXPECT_EQ(any.futures[any.index].get(), static_cast<int>(any.index));

  promise<int> never;
  auto two = when_some(2, never.get_future(), make_ready_future(std::string("x")), make_ready_future()).get();
  EXPECT_EQ(two.indices, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(std::get<1>(two.futures).get(), "x");

  std::atomic<int> sum{0};
  auto add = [&](future<int> f) { sum += f.get(); };
  many = three();
  when_each(add, many.begin(), many.end()).get();
  when_each(add, make_ready_future(10), async([] { return 20; })).get();
  many = three();
  wait_each(add, many);
  wait_each(add, make_ready_future(100));
  EXPECT_EQ(sum, 3 + 30 + 3 + 100);
  EXPECT_THROW(when_each([](future<int>) { throw 1; }, make_ready_future(1)).get(), int);
}

TEST(combine, waits_for_several_and_for_ranges) {
  promise<int> never;
  future<int> a = never.get_future();
  shared_future<void> b = async([] {}).share();
  EXPECT_EQ(wait_any(a, b), 1u);
  wait_some(1, a, b);
  std::vector<future<int>> many = three();
  many.insert(many.begin(), std::move(a));
  EXPECT_NE(wait_any(many.begin(), many.end()), 0u);
  wait_some(3, many.begin(), many.end());
  EXPECT_TRUE(many[3].is_ready());
  EXPECT_EQ(wait_any(std::vector<future<int>>()), static_cast<std::size_t>(-1));
}

TEST(combine, split_future_of_pairs_and_arrays) {
  auto [a, b] = split_future(make_ready_future(std::pair(1, std::string("b"))));
  EXPECT_EQ(std::to_string(a.get()) + b.get(), "1b");
  auto parts = split_future(async([] { return std::array{1, 2, 3}; }));
  EXPECT_EQ(parts[0].get() + parts[1].get() + parts[2].get(), 6);
  for (auto& f : split_future(make_exceptional_future<std::array<int, 2>>(3))) EXPECT_THROW(f.get(), int);
}

template <class Container>
Container three_futures() {
  Container c;
  for (int i = 1; i <= 3; ++i) c.push_back(async([i] { return i; }));
  return c;
}

TEST(combine, lists_deques_and_arrays) {
  auto list = three_futures<std::list<future<int>>>();
  wait_all(list);
  EXPECT_LT(wait_any(list), 3U);
  wait_some(2, list);
  EXPECT_EQ(when_all(list).get().back().get(), 3);
  EXPECT_FALSE(list.front().valid());
  auto first = when_any(three_futures<std::deque<future<int>>>()).get();
  EXPECT_EQ(first.futures[first.index].get(), static_cast<int>(first.index) + 1);
  std::array<future<int>, 2> two{async([] { return 4; }), async([] { return 5; })};
  EXPECT_EQ(when_some(2, two).get().futures[1].get(), 5);
  std::array<future<int>, 2> more{async([] { return 6; }), async([] { return 7; })};
  auto const sum = [](std::array<int, 2> v, std::list<int> l) { return v[0] + v[1] + l.back(); };
  EXPECT_EQ(unwrapping(sum)(std::move(more), three_futures<std::list<future<int>>>()), 16);
  auto const count = [](std::deque<future<int>> x) { return x.size(); };
  EXPECT_EQ(dataflow(count, three_futures<std::deque<future<int>>>()).get(), 3U);
}

TEST(combine, the_first_so_many) {
  auto v = three_futures<std::vector<future<int>>>();
  wait_all_n(v.begin(), 2);
  wait_some_n(1, v.begin(), 2);
  EXPECT_LT(wait_any_n(v.begin(), 2), 2U);
  EXPECT_EQ(when_all_n(v.begin(), 2).get().size(), 2U);
  EXPECT_TRUE(v[2].valid());
  EXPECT_EQ(when_some_n(1, v.begin() + 2, 1).get().indices.size(), 1U);
  auto w = three_futures<std::list<future<int>>>();
  EXPECT_EQ(when_any_n(w.begin(), 1).get().index, 0U);
  std::atomic<int> sum{0};
  wait_each_n([&](future<int> f) { sum += f.get(); }, ++w.begin(), 2);
  EXPECT_EQ(sum, 5);
  EXPECT_TRUE(when_all().is_ready());
}

TEST(combine, each_may_ask_for_its_place) {
  std::atomic<int> right{0};
  auto const look = [&](std::size_t place, future<int> f) { right += f.get() == static_cast<int>(place) + 1 ? 1 : 0; };
  when_each(look, three_futures<std::list<future<int>>>()).get();
  when_each(look, async([] { return 1; }), async([] { return 2; })).get();
  EXPECT_EQ(right, 5);
}

TEST(combine, unwrap_gives_values_now) {
  EXPECT_EQ(unwrap(async([] { return 1; })), 1);
  EXPECT_EQ(unwrap(async([] { return 1; }), make_ready_future(), 2.5), std::tuple(1, 2.5));
  EXPECT_EQ(unwrap(three_futures<std::vector<future<int>>>()), (std::vector<int>{1, 2, 3}));
  shared_future<std::string> const word = async([] { return std::string("word"); }).share();
  EXPECT_EQ(unwrap(word), "word");
  static_assert(std::is_void_v<decltype(unwrap(make_ready_future(), make_ready_future()))>);
  EXPECT_THROW(unwrap(make_exceptional_future<int>(1)), int);
}

TEST(combine, split_future_of_vectors_and_shared_futures) {
  auto three = split_future(async([] { return std::vector<int>{1, 2, 3}; }), 4);
  EXPECT_EQ(three[2].get(), 3);
  EXPECT_THROW(three[3].get(), std::out_of_range);
  shared_future<std::tuple<int, std::string>> const both =
      async([] { return std::tuple(1, std::string("a")); }).share();
  auto parts = split_future(both);
  EXPECT_EQ(std::get<1>(parts).get(), "a");
  EXPECT_EQ(std::get<1>(both.get()), "a");
  shared_future<std::pair<int, int>> const pair = make_ready_future(std::pair(3, 4)).share();
  EXPECT_EQ(split_future(pair).second.get(), 4);
  shared_future<std::array<int, 2>> const array = make_ready_future(std::array{5, 6}).share();
  EXPECT_EQ(split_future(array)[1].get(), 6);
  EXPECT_EQ(array.get()[1], 6);
  EXPECT_EQ(split_future(shared_future<std::vector<int>>(make_ready_future(std::vector<int>{7})), 1)[0].get(), 7);
}

TEST(combine, a_container_given_by_name_keeps_its_size) {
  auto v = three_futures<std::vector<future<int>>>();
  EXPECT_EQ(when_some(1, v).get().futures.size(), 3U);
  ASSERT_EQ(v.size(), 3U);
  EXPECT_FALSE(v.front().valid());
  auto w = three_futures<std::list<future<int>>>();
  EXPECT_EQ(when_all(w).get().size(), w.size());
  EXPECT_EQ(unwrap(v = three_futures<std::vector<future<int>>>())[2], 3);
}

TEST(combine, futures_given_by_name_to_dataflow_and_unwrapping) {
  auto const add = [](int a, int b) { return a + b; };
  future<int> a = async([] { return 1; }), b = async([] { return 2; });
  EXPECT_EQ(dataflow(add, a, b).get(), 3);
  EXPECT_FALSE(a.valid());
  a = async([] { return 4; });
  EXPECT_EQ(unwrapping(add)(a, 1), 5);
  b = async([] { return 6; });
  EXPECT_EQ(unwrap(b), 6);
  auto v = three_futures<std::vector<future<int>>>();
  EXPECT_EQ(dataflow([](std::vector<future<int>>& all) { return all.back().is_ready(); }, std::ref(v)).get(), true);
  EXPECT_EQ(v.back().get(), 3);
}

TEST(combine, no_more_deferred_ones_are_begun_than_wanted) {
  int begun = 0;
  auto const one = [&] { return async(launch::deferred, [&] { ++begun; }); };
  auto f = when_some(2, one(), one(), one()).get();
  EXPECT_EQ(f.indices.size(), 2U);
  EXPECT_EQ(begun, 2);
  std::get<2>(f.futures).get();
  EXPECT_EQ(begun, 3);
  std::vector<future<void>> all;
  for (int i = 0; i < 3; ++i) all.push_back(one());
  EXPECT_EQ(wait_any(all), 0U);
  EXPECT_EQ(begun, 4);
}

TEST(split_future, what_is_empty_keeps_the_wait_and_the_exception) {
  promise<std::tuple<>> late;
  auto [tuple] = split_future(late.get_future());
  EXPECT_FALSE(tuple.is_ready());
  late.set_value(std::tuple<>());
  tuple.get();
  promise<std::array<int, 0>> failing;
  auto [array] = split_future(failing.get_future());
  failing.set_exception(std::make_exception_ptr(std::runtime_error("x")));
  EXPECT_THROW(array.get(), std::runtime_error);
  auto const shared = make_ready_future(std::tuple<>()).share();
  std::get<0>(split_future(shared)).get();
  std::get<0>(split_future(make_ready_future(std::array<int, 0>()).share())).get();
  shared.get();
}

}  // namespace
}  // namespace amity
