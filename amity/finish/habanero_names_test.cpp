// HClib's names, as its programs use them: futures, places and phasers by pointers.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "amity/base/config.hpp"
#include "amity/finish/habanero.hpp"

namespace {

namespace hclib = amity::habanero;

const bool four_workers = [] { return setenv("AMITY_THREADS", "4", 0) == 0; }();

TEST(habanero_names, a_chain_of_promises_that_is_made_from_its_end) {
  constexpr int n = 50;
  auto** const list = new hclib::promise_t<int*>*[n + 1];
  std::atomic<int> ran{0};
  hclib::launch([&] {
    hclib::finish([&] {
      for (int i = 0; i <= n; ++i) list[i] = new hclib::promise_t<int*>;
      for (int i = n; i >= 1; --i) {
        auto next = [&, i] {
          EXPECT_EQ(*list[i - 1]->get_future()->get(), i - 1);
          ++ran;
          list[i]->put(new int(i));
        };
        if (i % 2 == 0) {
          hclib::async_await(next, list[i - 1]->get_future());
        } else {
          std::vector<hclib::hclib_future_t*> futures;
          futures.push_back(list[i - 1]->get_future());
          hclib::async_await(next, futures);
        }
      }
      EXPECT_FALSE(list[n]->future().test());
      list[0]->put(new int(0));
    });
    for (int i = 0; i <= n; ++i) {
      EXPECT_TRUE(list[i]->get_future()->test());
      delete list[i]->future().get();
      delete list[i];
    }
  });
  delete[] list;
  EXPECT_EQ(ran, n);
}

TEST(habanero_names, null_pointers_are_nothing_to_wait_for) {
  std::atomic<int> ran{0};
  hclib::future_t<int>* const none = nullptr;
  hclib::finish([&] {
    hclib::async_await([&] { ++ran; }, none);
    hclib::async_await([&] { ++ran; }, nullptr, none);
    hclib::async_nb_await([&] { ++ran; }, std::vector<hclib::hclib_future_t*>{nullptr, none});
    hclib::async_await_at([&] { ++ran; }, none, static_cast<hclib::locale_t*>(nullptr));
  });
  EXPECT_EQ(ran, 4);
}

TEST(habanero_names, null_is_a_value_and_the_end_of_a_list) {
  hclib::promise_t<void*> nothing;
  hclib::promise_t<int*> zero;
  hclib::promise_t<std::vector<int>> numbers;
  std::atomic<int> ran{0};
  hclib::finish([&] {
    hclib::hclib_future_t* list[] = {nothing.get_future(), zero.get_future(), numbers.get_future(), nullptr};
    hclib::async_await([&] { ++ran; }, list);
    hclib::async_await([&] { ++ran; }, NULL, nothing.get_future(), NULL);
    nothing.put(NULL);
    zero.put(0);
    EXPECT_FALSE(numbers.get_future()->test());
    numbers.put({1, 2, 3});
  });
  EXPECT_EQ(ran, 2);
  EXPECT_EQ(nothing.get_future()->get(), nullptr);
  EXPECT_EQ(zero.get_future()->get(), nullptr);
  EXPECT_EQ(numbers.get_future()->get().size(), 3u);
}

TEST(habanero_names, without_their_namespace) {
  using namespace amity::habanero;
  int x = 1;
  promise_t<int&> reference;
  std::atomic<long> sum{0};
  launch([&] {
    finish([&] {
      async([&] { ++sum; });
      loop_domain_t const sides = {0, 10, 1, 3};
      forasync1D(&sides, [&](long i) { sum += i; });
      loop_domain_1d const loop(10);
      forasync1D(loop, [&](long i) { sum += i; });
      async_await([&] { sum += reference.future().get(); }, reference.get_future());
      reference.put(x);
    });
    auto two = async_future([] { return 2; });
    sum += two->wait();
  });
  EXPECT_EQ(sum, 1 + 45 + 45 + 1 + 2);
}

TEST(habanero_names, loops_in_one_task_and_in_so_many) {
  std::vector<long> order;
  hclib::finish([&] {
    hclib::loop_domain_1d const loop(3, 100);
    hclib::forasync1D(
        &loop, [&](long i) { order.push_back(i); }, true, hclib::FORASYNC_MODE_RECURSIVE);
  });
  ASSERT_EQ(order.size(), 97u);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], static_cast<long>(i) + 3);
  std::atomic<int> ran{0};
  hclib::finish([&] {
    hclib::forasync1D(
        hclib::loop_domain_1d(0, 16, 4), [&](long) { ++ran; }, false, hclib::FORASYNC_MODE_FLAT);
    hclib::forasync2D(
        hclib::loop_domain_2d(4, 4), [&](long, long) { ++ran; }, false);
  });
  EXPECT_EQ(ran, 32);
  EXPECT_EQ(hclib::loop_domain_1d(0, 16, 4).side[0].tile, 4);
  EXPECT_EQ(hclib::loop_domain_1d(1, 18, 4).side[0].tile, 5);
  EXPECT_THROW(hclib::loop_domain_1d(0, 16, 0), std::invalid_argument);
}

TEST(habanero_names, values_of_any_type_and_smart_pointers) {
  hclib::promise_t<std::string> text;
  hclib::promise_t<void> nothing;
  auto shared = std::make_shared<hclib::promise_t<double>>();
  auto number = std::make_unique<hclib::future_t<double>>(shared->future());
  auto length = hclib::async_future_await([&] { return text.future().wait().size(); }, text.get_future(),
                                          nothing.get_future(), number);
  EXPECT_FALSE(length->test());
  text.put("four");
  nothing.put();
  EXPECT_FALSE(length->test());
  shared->put(0.5);
  EXPECT_EQ(length->wait(), 4u);
  EXPECT_EQ(length->get(), 4u);
  EXPECT_EQ((*length).wait_and_get(), 4u);
  EXPECT_TRUE(length->test());
  EXPECT_THROW(text.put("five"), amity::future_error);
}

TEST(habanero_names, a_plain_pointer_to_a_result) {
  std::unique_ptr<hclib::future_t<int>> const mine(hclib::async_future([](int x) { return 2 * x; }, 21));
  EXPECT_EQ(mine->wait(), 42);
  std::vector<hclib::hclib_future_t*> all;
  auto first = hclib::async_nb_future([] { return 1; });
  all.push_back(mine.get());
  all.push_back(&first);
  std::unique_ptr<hclib::future_t<int>> const sum(
      hclib::async_nb_future_await([&] { return mine->get() + first->get(); }, all));
  EXPECT_EQ(sum->wait(), 43);
  EXPECT_TRUE(static_cast<bool>(first));
  EXPECT_FALSE(static_cast<bool>(hclib::future_pointer<int>()));
}

TEST(habanero_names, errors_come_out_of_wait) {
  auto failed = hclib::async_future([]() -> int { throw 42; });
  EXPECT_THROW(failed->wait(), int);
  auto after = hclib::async_future_await([] { return 1; }, failed);
  EXPECT_EQ(after->wait(), 1) << "which waits, and looks for itself";
  auto broken = std::make_unique<hclib::promise_t<int>>();
  hclib::future_t<int> const left = broken->future();
  broken.reset();
  EXPECT_THROW(left.wait(), amity::future_error);
}

TEST(habanero_names, finish_that_does_not_wait) {
  std::atomic<int> ran{0};
  hclib::launch([&] {
    std::unique_ptr<hclib::future_t<void>> const event(hclib::nonblocking_finish([&] {
      hclib::loop_domain_1d loop(256);
      hclib::forasync1D(
          &loop, [&](long) { ++ran; }, hclib::FORASYNC_MODE_FLAT);
    }));
    event->wait();
    EXPECT_EQ(ran, 256);
  });
}

TEST(habanero_names, loops_that_wait_and_loops_at_a_place) {
  hclib::locale_t* const here = hclib::get_closest_locale();
  hclib::promise_t<int> ready;
  std::atomic<long> sum{0};
  hclib::loop_domain_2d const domain(10, 20);
  auto done = hclib::forasync2D_future(
      domain, [&](long i, long j) { sum += i * ready.future().get() + j; }, hclib::FORASYNC_MODE_RECURSIVE, here,
      ready.get_future());
  EXPECT_FALSE(done->test());
  ready.put(100);
  done->wait();
  EXPECT_EQ(sum, 45 * 100 * 20 + 190 * 10);
  sum = 0;
  hclib::loop_domain_t const sides[] = {{0, 256, 1, 33}, {10, 0, -2, 0}};
  std::unique_ptr<hclib::future_t<void>> const one(hclib::forasync1D_future(
      sides, [&](long i) { sum += i; }, hclib::FORASYNC_MODE_FLAT));
  one->wait();
  EXPECT_EQ(sum, 255 * 256 / 2);
  hclib::finish([&] {
    hclib::forasync2D(
        sides, [&](long, long j) { sum -= j; }, hclib::FORASYNC_MODE_RECURSIVE);
  });
  EXPECT_EQ(sum, 255 * 256 / 2 - 256 * 30);
}

TEST(habanero_names, places) {
  ASSERT_GE(hclib::get_num_locales(), 1);
  for (int i = 0; i < hclib::get_num_locales(); ++i) {
    hclib::locale_t* const each = hclib::get_all_locales() + i;
    EXPECT_EQ(each->index(), i);
    hclib::locale_t* const same = *each;
    EXPECT_EQ(same, each);
  }
  hclib::locale_t* const machine = hclib::get_master_place();
  EXPECT_TRUE(*machine == amity::place::machine());
  EXPECT_TRUE(hclib::get_central_place() == *machine);
  std::atomic<int> ran{0};
  hclib::finish([&] {
    hclib::async_at([&] { ++ran; }, machine);
    hclib::async_nb_at([&] { ++ran; }, hclib::get_closest_locale());
    hclib::async_at(amity::place::machine(), [&] { ++ran; });
  });
  EXPECT_EQ(ran, 3);
  hclib::yield();
  hclib::yield_at(machine);
  EXPECT_EQ(hclib::get_num_workers(), amity::worker_count());
}

TEST(habanero_names, memory_at_a_place) {
  hclib::locale_t* const here = hclib::get_closest_locale();
  constexpr std::size_t n = 100000;
  auto taken = hclib::allocate_at(n, here);
  char* const memory = static_cast<char*>(taken->wait());
  EXPECT_EQ(hclib::memset_at(memory, 7, n, here)->wait(), memory);
  EXPECT_EQ(std::accumulate(memory, memory + n, 0L), 7L * n);
  auto more = hclib::reallocate_at(memory, 2 * n, here);
  char* const larger = static_cast<char*>(more->wait());
  hclib::promise_t<void> go;
  auto copied = hclib::async_copy_await(here, larger + n, here, larger, n, go.get_future());
  EXPECT_FALSE(copied->test());
  go.put();
  EXPECT_EQ(copied->wait(), larger + n);
  EXPECT_EQ(std::accumulate(larger, larger + 2 * n, 0L), 14L * n);
  char last = 0;
  hclib::hclib_future_t* inputs[] = {&copied, &more};
  hclib::async_copy_await_all(here, &last, here, larger + 2 * n - 1, 1, inputs, 2)->wait();
  EXPECT_EQ(last, 7);
  hclib::async_copy(*here, &last, hclib::get_central_place(), "x", 1)->wait();
  EXPECT_EQ(last, 'x');
  hclib::free_at(larger, here);
  hclib::free_at(hclib::allocate_at(0, here)->wait(), here);
  // The sanitizers' malloc ends the program instead.
  if (!amity::base::address_sanitizer && !amity::base::thread_sanitizer) {
    EXPECT_THROW(hclib::allocate_at(~std::size_t{0} / 2, here)->wait(), std::bad_alloc);
  }
}

TEST(habanero_names, values_that_many_change) {
  hclib::atomic_sum_t<int> sum = 5;
  hclib::atomic_max_t<int> most(-3);
  hclib::atomic_or_t<bool> any(false), none(false);
  hclib::atomic_t<std::vector<int>> all({});
  hclib::finish([&] {
    for (int i = 0; i < 1000; ++i)
      hclib::async([&, i] {
        sum += i;
        most.update(-i);
        any |= i == 77;
        none |= false;
        all.update([i](std::vector<int> now) {
          now.push_back(i);
          return now;
        });
      });
  });
  EXPECT_EQ(sum.get(), 499500 + 5);
  EXPECT_EQ(most.get(), 0);
  EXPECT_TRUE(any.get());
  EXPECT_FALSE(none.get());
  hclib::atomic_t<std::vector<int>> const copy(all);
  auto const joined = copy.gather([](std::vector<int> a, const std::vector<int>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  });
  EXPECT_EQ(joined.size(), 1000u);
  EXPECT_EQ(std::accumulate(joined.begin(), joined.end(), 0), 499500);
}

TEST(habanero_names, accumulators) {
  for (auto mode : {hclib::ACCUM_MODE_SEQ, hclib::ACCUM_MODE_LAZY, hclib::ACCUM_MODE_REC}) {
    hclib::accum_t* const sum = hclib::accum_create_int(hclib::ACCUM_OP_PLUS, mode, 3);
    hclib::accum_t* const most = hclib::accum_create_double(hclib::ACCUM_OP_MAX, mode, -1e300);
    hclib::accum_t* const least = hclib::accum_create_int(hclib::ACCUM_OP_MIN, mode, 500);
    hclib::accum_t* const product = hclib::accum_create_double(hclib::ACCUM_OP_PROD, mode, 3);
    hclib::accum_t* all[] = {sum, most};
    hclib::finish([&] {
      hclib::accum_register(all, 2);
      for (int i = 1; i <= 1000; ++i)
        hclib::async([=] {
          hclib::accum_put_int(sum, 1);
          hclib::accum_put_double(most, -i);
          hclib::accum_put_int(least, i);
          hclib::accum_put_double(product, i <= 3 ? i : 1);
        });
    });
    EXPECT_EQ(hclib::accum_get_int(sum), 1003);
    EXPECT_EQ(hclib::accum_get_double(most), -1);
    EXPECT_EQ(hclib::accum_get_int(least), 1);
    EXPECT_EQ(hclib::accum_get_double(product), 18);
    EXPECT_THROW(hclib::accum_put_double(sum, 1), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(hclib::accum_get_int(nullptr)), std::invalid_argument);
    for (hclib::accum_t* each : {sum, most, least, product}) hclib::accum_destroy(each);
  }
  EXPECT_THROW(static_cast<void>(hclib::accum_create_int(hclib::ACCUM_OP_NONE, hclib::ACCUM_MODE_LAZY, 0)),
               std::invalid_argument);
}

/// Of each phase, how many have begun it; nobody may be ahead by more than one.
struct phases {
  static constexpr int rounds = 100;
  std::atomic<int> begun[rounds] = {};
  int tasks = 0;
  void take_part() {
    for (int k = 0; k < rounds; ++k) {
      if (k != 0) {
        EXPECT_EQ(begun[k - 1], tasks);
      }
      ++begun[k];
      hclib::phaser_next();
    }
  }
};

TEST(habanero_names, phasers_that_are_handed_on_whole) {
  for (bool creator_drops : {false, true}) {
    phases all;
    all.tasks = creator_drops ? 3 : 4;
    hclib::finish([&] {
      hclib::async([&] {
        hclib::phaser_t ph;
        hclib::phaser_create(&ph, hclib::SIGNAL_WAIT, 2);
        auto const part = [](void* p) { static_cast<phases*>(p)->take_part(); };
        for (int i = 0; i < 3; ++i)
          hclib::async(part, &all, nullptr, nullptr, hclib::PHASER_TRANSMIT_ALL | hclib::ESCAPING_ASYNC);
        if (creator_drops)
          hclib::phaser_drop(ph);
        else
          all.take_part();
      });
    });
    for (auto& each : all.begun) EXPECT_EQ(each, all.tasks);
  }
}

TEST(habanero_names, who_drops_a_phaser_keeps_nothing_of_it) {
  for (int i = 0; i < 100; ++i) {
    hclib::phaser_t a, b;
    hclib::phaser_create(&a, hclib::SIGNAL_WAIT, 2);
    hclib::phaser_create(&b, hclib::WAIT_ONLY, 0);
    hclib::phaser_drop(a);
    hclib::phaser_drop(b);
    EXPECT_THROW(hclib::phaser_drop(b), amity::phaser_error);
    EXPECT_EQ(a.core().use_count(), 1);
    EXPECT_EQ(b.core().use_count(), 1);
  }
}

TEST(habanero_names, phasers_that_are_named) {
  phases all;
  all.tasks = 1;
  std::atomic<int> seen{0};
  hclib::finish([&] {
    hclib::phaser_t there, unused;
    hclib::phaser_create(&there, hclib::SIGNAL_WAIT, 1);
    hclib::phaser_create(&unused, hclib::SIGNAL_WAIT, 0);
    hclib::phaser_t phasers[] = {there};
    hclib::phaser_mode_t signal_wait[] = {hclib::SIGNAL_WAIT}, wait_only[] = {hclib::WAIT_ONLY};
    hclib::phased_t const both{1, phasers, signal_wait}, waits{1, phasers, wait_only};
    hclib::async([](void* p) { static_cast<phases*>(p)->take_part(); }, &all, nullptr, &both, hclib::NO_PROP);
    hclib::promise_t<void> go;
    hclib::hclib_future_t* inputs[] = {go.get_future(), nullptr};
    hclib::async(
        [](void* p) {
          for (int k = 0; k < phases::rounds; ++k) hclib::phaser_next();
          ++*static_cast<std::atomic<int>*>(p);
        },
        &seen, inputs, &waits, hclib::NO_PROP);
    hclib::async([](void* p) { ++*static_cast<std::atomic<int>*>(p); }, &seen, inputs, nullptr, hclib::NO_PROP);
    hclib::phaser_drop(unused);
    for (int k = 0; k < phases::rounds; ++k) {
      hclib::phaser_signal(there);
      if (k == 1) go.put();
      hclib::phaser_wait(there);
      EXPECT_GE(there.phase(), static_cast<std::uint64_t>(k) + 1);
    }
    hclib::phaser_drop(there);
    EXPECT_THROW(hclib::phaser_signal(there), amity::phaser_error);
  });
  EXPECT_EQ(seen, 2);
  hclib::finish([] { hclib::async([] { EXPECT_THROW(hclib::phaser_next(), amity::phaser_error); }); });
  hclib::phaser_t none;
  EXPECT_THROW(hclib::phaser_create(&none, hclib::SIGNAL_WAIT, -1), amity::phaser_error);
}

TEST(habanero_names, who_only_signals_may_run_ahead) {
  std::atomic<int> seen{0};
  hclib::finish([&] {
    hclib::async([&] {
      hclib::phaser_t ph;
      hclib::phaser_create(&ph, hclib::SIGNAL_WAIT, 0);
      hclib::phaser_t phasers[] = {ph};
      hclib::phaser_mode_t wait_only[] = {hclib::WAIT_ONLY};
      hclib::phased_t const waits{1, phasers, wait_only};
      hclib::async(
          [](void* p) {
            for (int k = 0; k < 10; ++k) {
              hclib::phaser_next();
              ++*static_cast<std::atomic<int>*>(p);
            }
          },
          &seen, nullptr, &waits, hclib::NO_PROP);
      for (int k = 0; k < 10; ++k) hclib::phaser_next();
    });  // whose end is as good as a drop
  });
  EXPECT_EQ(seen, 10);
}

}  // namespace
