// The HabaneroUPC++ paper's names.
#include "amity/finish/habanero/habanero_cpp.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "amity/future/future_error.hpp"

namespace {

using namespace amity::habanero;

const bool four_workers = [] { return setenv("AMITY_THREADS", "4", 0) == 0; }();

TEST(habanero_cpp, a_finish_with_tasks_of_all_kinds) {
  std::atomic<int> first{0}, second{0}, third{0};
  std::vector<int> cells(30 * 40);
  int datum = 7;
  DDF_t* const ddf = ddf_create();
  finish([&]() {
    phaser_t ph;
    phaser_create(&ph, SIGNAL_WAIT, 2);
    async([&]() {
      ++first;
      ddf_put(ddf, &datum);
    });
    asyncAwait(ddf, [&]() { second += *static_cast<int*>(ddf_get(ddf)); });
    for (int i = 0; i < 3; ++i)
      asyncPhased(ph, SIGNAL_WAIT, [&]() {
        for (int phase = 0; phase < 5; ++phase) {
          ++third;
          phaser_next();
          EXPECT_GE(third, 3 * (phase + 1));
        }
      });
    phaser_drop(ph);
    forasync(2, FORASYNC_MODE_RECURSIVE, 0, 0, 30, 40, 0, 8,
             [&](long i, long j) { ++cells[static_cast<std::size_t>(i * 40 + j)]; });
  });
  ddf_free(ddf);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 7);
  EXPECT_EQ(third, 15);
  EXPECT_EQ(cells, std::vector<int>(30 * 40, 1));
}

TEST(habanero_cpp, a_task_waits_for_all_of_its_ddfs) {
  DDF_t** const list = ddf_create_n(4, true);
  EXPECT_EQ(list[3], nullptr);
  DDF_t* const another = ddf_create();
  std::atomic<int> put{0}, seen_by_some{0}, seen_by_all{0};
  finish([&] {
    asyncAwait(list[0], list[1], [&] { seen_by_some = put.load(); });
    asyncAwait(list, another, [&] { seen_by_all = put.load(); });
    for (DDF_t* each : {list[1], another, list[2], list[0]})
      async([&put, each] {
        ++put;
        ddf_put(each, nullptr);
      });
  });
  EXPECT_GE(seen_by_some, 2);
  EXPECT_EQ(seen_by_all, 4);
  EXPECT_EQ(ddf_wait(another), nullptr);
  for (int i = 0; i < 3; ++i) ddf_free(list[i]);
  free(list);
  ddf_free(another);
}

TEST(habanero_cpp, a_list_without_a_null_pointer) {
  DDF_t** const list = ddf_create_n(2, false);
  EXPECT_NE(list[1], nullptr);
  for (int i = 0; i < 2; ++i) ddf_free(list[i]);
  free(list);
}

TEST(habanero_cpp, a_get_before_the_put_and_a_second_put_are_errors) {
  DDF_t* const ddf = ddf_create();
  EXPECT_THROW(static_cast<void>(ddf_get(ddf)), std::logic_error);
  int datum = 0;
  ddf_put(ddf, &datum);
  EXPECT_EQ(ddf_get(ddf), &datum);
  try {
    ddf_put(ddf, &datum);
    FAIL() << "the second put went well";
  } catch (const amity::future_error& error) {
    EXPECT_EQ(error.code().value(), static_cast<int>(amity::future_errc::promise_already_satisfied));
  }
  ddf_free(ddf);
}

TEST(habanero_cpp, a_task_takes_part_in_all_of_its_parents_phasers) {
  std::atomic<int> arrived{0};
  finish([&] {
    phaser_t one, another;
    phaser_create(&one, SIGNAL_WAIT, 0);
    phaser_create(&another, SIGNAL_WAIT, 0);
    asyncPhased([&] {
      ++arrived;
      phaser_next();
    });
    asyncPhased(one, SIGNAL_ONLY, another, WAIT_ONLY, [&] {
      ++arrived;
      phaser_next();
    });
    phaser_next();
    EXPECT_GE(arrived, 1);
    phaser_drop(one);
    phaser_drop(another);
  });
  EXPECT_EQ(arrived, 2);
}

TEST(habanero_cpp, loops_of_one_to_three_dimensions_begin_where_they_are_told) {
  for (int const style : {int{FORASYNC_MODE_FLAT}, int{FORASYNC_MODE_RECURSIVE}}) {
    std::atomic<long> sum{0};
    finish([&] { forasync(1, style, 5, 10, 3, [&](long i) { sum += i; }); });
    EXPECT_EQ(sum, 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12 + 13 + 14);
    std::atomic<int> calls{0};
    finish([&] {
      forasync(3, style, 1, 2, 3, 4, 5, 6, 0, 0, 0, [&](long i, long j, long k) {
        EXPECT_TRUE(i >= 1 && i < 5 && j >= 2 && j < 7 && k >= 3 && k < 9);
        ++calls;
      });
    });
    EXPECT_EQ(calls, 4 * 5 * 6);
  }
  EXPECT_THROW(forasync(2, FORASYNC_MODE_FLAT, 0, 10, 0, [](long) {}), std::invalid_argument);
  EXPECT_THROW(forasync(1, 7, 0, 10, 0, [](long) {}), std::invalid_argument);
}

}  // namespace
