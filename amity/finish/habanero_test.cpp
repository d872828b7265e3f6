#include "amity/finish/habanero.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "amity/future/when.hpp"

namespace amity {
namespace {

namespace hclib = amity::habanero;

const bool four_workers = [] { return setenv("AMITY_THREADS", "4", 0) == 0; }();

/// The caller runs at `core`; where a worker stands for several cores, at one of them.
bool is_at(place core) {
  return place::here() == core || worker_count() < static_cast<int>(place::all(place_kind::core).size());
}

TEST(habanero, launch_waits_for_all) {
  std::atomic<int> done{0};
  hclib::launch([&] {
    for (int i = 0; i < 10; ++i)
      hclib::async([&] {
        hclib::async_nb([&](int more) { done += more; }, 1);
        hclib::finish([&] { amity::async_nb_at([&] { ++done; }, hclib::get_closest_locale()); });
      });
  });
  EXPECT_EQ(done, 20);
  const char* const modules[] = {"system"};
  hclib::launch(modules, 1, [&] { async_nb_at(hclib::get_central_place(), [&] { ++done; }); });
  EXPECT_EQ(done, 21);
  EXPECT_THROW(hclib::launch([] { async_nb([] { throw 42; }); }), int);
  EXPECT_EQ(hclib::num_workers(), worker_count());
  EXPECT_EQ(hclib::get_all_locales_of_type(place_kind::machine).size(), 1u);
  hclib::launch([] { EXPECT_LT(hclib::current_worker(), hclib::num_workers()); });
}

TEST(habanero, futures) {
  place const here = place::here();
  EXPECT_EQ(async_future([](int a, int b) { return a * b; }, 6, 7).get(), 42);
  EXPECT_EQ(async_nb_future([] { return std::string("x"); }).get(), "x");
  EXPECT_TRUE(async_future_at(here, [=] { return is_at(here); }).get());
  EXPECT_TRUE(async_future_at([=] { return is_at(here); }, here).get());
  EXPECT_EQ(async_nb_future_at([] { return 1; }, here).get(), 1);
  EXPECT_EQ(async_at([] { return 1; }, here).get(), 1);
  EXPECT_THROW(async_future_at([]() -> int { throw 42; }, here).get(), int);
}

TEST(habanero, tasks_that_wait_for_futures) {
  place const here = place::here();
  promise<int> p;
  shared_future<int> const a = p.get_future().share();
  std::vector<shared_future<int>> const many(100, a);
  auto const add = [=] { return a.get() + 1; };
  auto const add_there = [=] { return is_at(here) ? a.get() + 1 : -1; };
  std::atomic<int> done{0};
  auto const count = [&] { done += a.get(); };
  std::vector<future<int>> all;
  finish([&] {
    all.push_back(async_await(add, a));
    all.push_back(async_await(a, many, add));
    all.push_back(async_await(add, many, a));
    all.push_back(async_future_await(add, a, a));
    all.push_back(async_nb_future_await(a, add));
    all.push_back(async_await_at(here, a, add_there));
    all.push_back(async_await_at(add_there, a, a, here));
    all.push_back(async_future_await_at(add_there, many, here));
    all.push_back(async_nb_future_await_at(here, a, many, add_there));
    async_nb_await(count, a);
    async_nb_await(a, many, count);
    async_nb_await_at(count, a, here);
    async_nb_await_at(here, many, count);
    for (auto const& f : all) EXPECT_FALSE(f.is_ready());
    EXPECT_EQ(done, 0);
    p.set_value(1);
  });
  EXPECT_EQ(done, 4);
  for (auto& f : all) EXPECT_EQ(f.get(), 2);
}

TEST(habanero, a_task_that_waited_throws_into_its_future_and_its_finish) {
  place const here = place::here();
  auto const ready = make_ready_future(1).share();
  auto const throws = []() -> int { throw 42; };
  future<int> f, g;
  EXPECT_THROW(finish([&] { f = async_await_at(throws, ready, here); }), int);
  EXPECT_THROW(f.get(), int);
  EXPECT_THROW(finish([&] { g = async_future_await(throws, ready); }), int);
  EXPECT_THROW(g.get(), int);
}

/// Each index of `low, low + stride, ...` once, in both modes, of the domain and of its address.
void all_of(const loop_domain_1d& domain, const std::vector<long>& expected) {
  for (int mode : {FORASYNC_MODE_FLAT, FORASYNC_MODE_RECURSIVE}) {
    std::vector<std::atomic<int>> hits(expected.size());
    auto const hit = [&](long i) {
      for (std::size_t k = 0; k < expected.size(); ++k)
        if (expected[k] == i) {
          ++hits[k];
          return;
        }
      ADD_FAILURE() << i;
    };
    finish([&] { forasync1D(&domain, hit, mode); });
    forasync1D_future(domain, hit, mode).get();
    for (auto const& h : hits) EXPECT_EQ(h, 2);
  }
}

TEST(habanero, loops_of_one_dimension) {
  all_of(loop_domain_1d(0), {});
  all_of(loop_domain_1d(1), {0});
  all_of(loop_domain_1d(5, 3), {});
  all_of(loop_domain_1d(-2, 7), {-2, -1, 0, 1, 2, 3, 4, 5, 6});
  all_of(loop_domain_1d(0, 10, 3), {0, 3, 6, 9});
  all_of(loop_domain_1d(0, 9, 3, 2), {0, 3, 6});
  all_of(loop_domain_1d(10, 0, -4), {10, 6, 2});
  all_of(loop_domain_1d(std::numeric_limits<long>::min(), std::numeric_limits<long>::max(),
                        std::numeric_limits<long>::max()),
         {std::numeric_limits<long>::min(), -1, std::numeric_limits<long>::max() - 1});
  std::vector<std::atomic<int>> hits(10000);
  finish([&] { forasync1D(loop_domain_1d(0, 10000, 1, 7), [&](int i) { ++hits[static_cast<std::size_t>(i)]; }); });
  for (auto const& h : hits) ASSERT_EQ(h, 1);
}

TEST(habanero, loops_of_more_dimensions) {
  for (int mode : {FORASYNC_MODE_FLAT, FORASYNC_MODE_RECURSIVE}) {
    std::vector<std::atomic<int>> flat(30 * 40), deep(4 * 5 * 6), strided(100);
    finish([&] {
      forasync2D(
          loop_domain_2d(30, 40), [&](long i, long j) { ++flat[static_cast<std::size_t>(i * 40 + j)]; }, mode);
      forasync3D(
          loop_domain_3d(4, 5, 6),
          [&](long i, long j, long k) { ++deep[static_cast<std::size_t>((i * 5 + j) * 6 + k)]; }, mode);
      loop_domain_2d const domain({0, 10, 2, 1}, {9, -1, -3, 2});
      forasync2D(
          &domain, [&](long i, long j) { ++strided[static_cast<std::size_t>(i * 10 + j)]; }, mode);
    });
    forasync2D_future(
        loop_domain_2d(0, 30, 0, 40), [&](long i, long j) { ++flat[static_cast<std::size_t>(i * 40 + j)]; }, mode)
        .get();
    forasync3D_future(
        loop_domain_3d({0, 4}, {0, 5, 1, 2}, {0, 6}),
        [&](long i, long j, long k) { ++deep[static_cast<std::size_t>((i * 5 + j) * 6 + k)]; }, mode)
        .get();
    for (auto const& h : flat) ASSERT_EQ(h, 2);
    for (auto const& h : deep) ASSERT_EQ(h, 2);
    for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(strided[i], i / 10 % 2 == 0 && i % 10 % 3 == 0 ? 1 : 0) << i;
  }
}

TEST(habanero, loops_at_places_and_behind_futures) {
  place const here = place::here();
  promise<void> go;
  shared_future<void> const gone = go.get_future().share();
  std::atomic<int> early{0}, late{0}, elsewhere{0};
  future<void> ended;
  finish([&] {
    forasync1D(
        loop_domain_1d(100),
        [&](long) {
          ++early;
          if (!is_at(here)) ++elsewhere;
        },
        FORASYNC_MODE_FLAT, here);
    forasync1D(
        loop_domain_1d(100), [&](long) { ++late; }, FORASYNC_MODE_RECURSIVE, gone);
    ended = forasync1D_future(
        loop_domain_1d(100), [&](long) { ++late; }, FORASYNC_MODE_RECURSIVE, here, gone, gone);
    EXPECT_FALSE(ended.is_ready());
    EXPECT_EQ(late, 0);
    go.set_value();
  });
  ended.get();
  EXPECT_EQ(early, 100);
  EXPECT_EQ(elsewhere, 0);
  EXPECT_EQ(late, 200);
}

TEST(habanero, errors_of_loops) {
  auto const nothing = [](long) {};
  EXPECT_THROW(finish([&] { forasync1D(loop_domain_1d(0, 1, 0), nothing); }), std::invalid_argument);
  EXPECT_THROW(finish([&] { forasync1D(loop_domain_1d(1), nothing, 2); }), std::invalid_argument);
  auto const throws = [](long i) { i == 7 ? throw 42 : i; };
  EXPECT_THROW(finish([&] { forasync1D(loop_domain_1d(20), throws); }), int);
  auto ended = forasync1D_future(loop_domain_1d(20), throws, FORASYNC_MODE_FLAT, place::here());
  EXPECT_THROW(ended.get(), int);
}

}  // namespace
}  // namespace amity
