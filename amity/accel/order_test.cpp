/// Operations on one buffer keep their order, whatever streams they take; what they need lives until their end; errors
/// reach those that depend on them, once.

#include <gtest/gtest.h>

#include <numeric>

#include "amity/accel/test_device.hpp"
#include "amity/finish/finish.hpp"
#include "amity/future/combine.hpp"

namespace amity::accel::test {
namespace {

/// x = x * a + b: the order matters.
void affine(const std::vector<std::byte*>& buffers, const std::vector<const std::byte*>& values) {
  unsigned x, a, b;
  std::memcpy(&x, buffers[0], sizeof x);
  std::memcpy(&a, values[0], sizeof a);
  std::memcpy(&b, values[1], sizeof b);
  x = x * a + b;
  std::memcpy(buffers[0], &x, sizeof x);
}
/// out += in
void add(const std::vector<std::byte*>& buffers, const std::vector<const std::byte*>&) {
  unsigned in, out;
  std::memcpy(&in, buffers[0], sizeof in);
  std::memcpy(&out, buffers[1], sizeof out);
  out += in;
  std::memcpy(buffers[1], &out, sizeof out);
}

struct Order : testing::Test {
  test_driver driver;
  device d = new_test_device(driver);
  program p = [this] {
    driver.kernels = {{"affine", affine}, {"add", add}};
    return d.program(source(""));
  }();
  kernel<void(unsigned*, unsigned, unsigned)> step = p.kernel<void(unsigned*, unsigned, unsigned)>("affine");
  kernel<void(const unsigned*, unsigned*)> sum = p.kernel<void(const unsigned*, unsigned*)>("add");

  unsigned value(const buffer<unsigned>& b) { return b.read().get().at(0); }
};

TEST_F(Order, OfOneBufferIsThatOfTheCalls) {
  auto b = d.upload(std::vector<unsigned>{1});
  unsigned expected = 1;
  for (unsigned i = 1; i <= 500; ++i) {
    step({}, b, 3, i);
    expected = expected * 3 + i;
  }
  EXPECT_EQ(value(b), expected);
}

TEST_F(Order, OfManyBuffersIsAsIfOneAfterTheOther) {
  constexpr std::size_t buffers = 7;
  std::minstd_rand random(42);
  std::vector<buffer<unsigned>> b;
  std::vector<unsigned> expected(buffers);
  for (std::size_t i = 0; i < buffers; ++i) {
    expected[i] = static_cast<unsigned>(i);
    b.push_back(d.upload(std::vector<unsigned>{expected[i]}));
  }
  for (int i = 0; i < 3000; ++i) {
    std::size_t const from = random() % buffers, to = (from + 1 + random() % (buffers - 1)) % buffers;
    switch (random() % 5) {
      case 0:
        step({}, b[from], 5, 7);
        expected[from] = expected[from] * 5 + 7;
        break;
      case 1:
        b[from].fill(static_cast<unsigned>(i));
        expected[from] = static_cast<unsigned>(i);
        break;
      case 2:
        copy(b[from], b[to]);
        expected[to] = expected[from];
        break;
      case 3:
        ASSERT_EQ(value(b[from]), expected[from]) << i;
        break;
      default:
        sum({}, b[from], b[to]);
        expected[to] += expected[from];
    }
  }
  for (std::size_t i = 0; i < buffers; ++i) EXPECT_EQ(value(b[i]), expected[i]) << i;
}

TEST_F(Order, IsKeptBetweenDevicesThatKnowNothingOfOneAnother) {
  test_driver other_driver(2);
  device const other = new_test_device(other_driver);
  auto here = d.upload(std::vector<unsigned>{1});
  auto there = other.allocate<unsigned>(1);
  unsigned expected = 1;
  for (int i = 0; i < 200; ++i) {
    step({}, here, 3, 1);
    expected = expected * 3 + 1;
    copy(here, there);
    copy(there, here);
  }
  EXPECT_EQ(value(here), expected);
  EXPECT_EQ(value(there), expected);
}

TEST_F(Order, OfManyThreadsHasNoCircles) {
  constexpr int tasks = 8, rounds = 200;
  auto x = d.upload(std::vector<unsigned>{0}), y = d.upload(std::vector<unsigned>{0});
  finish([&] {
    for (int t = 0; t < tasks; ++t)
      async([&, t] {
        for (int i = 0; i < rounds; ++i)
          t % 2 == 0 ? step({}, x, 1, 1), sum({}, x, y) : (step({}, y, 1, 1), sum({}, y, x));
      });
  });
  EXPECT_GE(value(x), unsigned{tasks / 2 * rounds});
}

TEST_F(Order, OfExplicitStreamsIsTheirOwn) {
  auto b = d.upload(std::vector<unsigned>{1});
  auto const s = d.make_stream();
  for (unsigned i = 0; i < 50; ++i) step({.on = s}, b, 2, 1);
  unsigned expected = 1;
  for (unsigned i = 0; i < 50; ++i) expected = expected * 2 + 1;
  EXPECT_EQ(value(b), expected);
}

TEST_F(Order, FuturesOfTheHostComeBeforeWhatTakesThem) {
  promise<unsigned> factor;
  promise<void> go;
  promise<std::vector<unsigned>> values;
  auto b = d.allocate<unsigned>(1);
  b.write(values.get_future(), 1);
  step({}, b, factor.get_future(), 1u);
  step({.after = {go.get_future().share()}}, b, 2, 0);
  auto last = b.read();
  EXPECT_FALSE(last.is_ready());
  go.set_value();
  factor.set_value(10);
  EXPECT_FALSE(last.is_ready());
  values.set_value({4});
  EXPECT_EQ(last.get().at(0), 82u);
}

TEST_F(Order, WhatAnOperationNeedsLivesUntilItsEnd) {
  driver.pause(true);
  int const before = driver.memories_alive;
  future<std::vector<unsigned>> result;
  {
    auto b = d.upload(std::vector<unsigned>{5});
    step({}, b, 2, 1);
    result = b.read();
  }
  EXPECT_EQ(driver.memories_alive, before + 1);
  driver.pause(false);
  EXPECT_EQ(result.get().at(0), 11u);
  EXPECT_EQ(driver.memories_alive, before);
}

TEST_F(Order, ReadsRunBesideOneAnother) {
  auto b = d.upload(std::vector<unsigned>{5});
  std::vector<future<std::vector<unsigned>>> reads;
  for (int i = 0; i < 100; ++i) reads.push_back(b.read());
  for (auto& r : reads) EXPECT_EQ(r.get().at(0), 5u);
}

TEST_F(Order, AFinishWaitsForOperations) {
  auto b = d.upload(std::vector<unsigned>{1});
  b.ready().get();
  int const before = driver.commands;
  finish([&] {
    for (int i = 0; i < 100; ++i) step({}, b, 1, 1);
  });
  EXPECT_EQ(driver.commands, before + 100);
}

TEST_F(Order, OperationsWork1000InARow) {
  auto b = d.upload(std::vector<unsigned>{0});
  for (int i = 0; i < 1000; ++i) step({}, b, 1, 1).get();
  EXPECT_EQ(value(b), 1000u);
}

// --- errors

TEST_F(Order, AFailureReachesThoseThatDependOnItWithItsWords) {
  auto b = d.upload(std::vector<unsigned>{1}), unrelated = d.upload(std::vector<unsigned>{7});
  b.ready().get();
  driver.pause(true);
  driver.next_failure = 1;
  auto failing = step({}, b, 2, 2);
  auto after = step({}, b, 2, 2);
  auto result = b.read();
  driver.pause(false);
  for (auto* f : {&failing, &after}) {
    try {
      f->get();
      ADD_FAILURE() << "it should have failed";
    } catch (const device_error& e) {
      EXPECT_NE(std::string(e.what()).find("launch on test device 0 (thread) failed: the test's error -5"),
                std::string::npos)
          << e.what();
    }
  }
  EXPECT_THROW(result.get(), device_error);
  EXPECT_EQ(value(unrelated), 7u);
}

TEST_F(Order, AFailureThatNobodySawIsNotForgotten) {
  auto b = d.upload(std::vector<unsigned>{1});
  b.ready().get();
  driver.next_failure = 1;
  {
    auto const lost = step({}, b, 2, 2);
    lost.wait();
  }
  EXPECT_THROW(value(b), device_error);
  b.fill(3);  // all of it is new
  EXPECT_EQ(value(b), 3u);
}

TEST_F(Order, AFailureThatWasSeenIsOver) {
  auto b = d.upload(std::vector<unsigned>{1});
  b.ready().get();
  driver.next_failure = 1;
  EXPECT_THROW(step({}, b, 2, 2).get(), device_error);
  EXPECT_EQ(value(b), 1u);
}

TEST_F(Order, AnUnknownKernelTouchesNothing) {
  auto b = d.upload(std::vector<unsigned>{1});
  auto const missing = p.kernel<void(unsigned*)>("missing");
  EXPECT_THROW(missing({}, b).get(), kernel_error);
  EXPECT_EQ(value(b), 1u);
}

TEST_F(Order, ABuildThatFailsReachesTheReader) {
  auto b = d.upload(std::vector<unsigned>{1});
  auto const bad = d.program(source("bad")).kernel<void(unsigned*)>("any");
  static_cast<void>(bad({}, b));
  try {
    value(b);
    ADD_FAILURE() << "it should have failed";
  } catch (const build_error& e) {
    EXPECT_EQ(e.log(), "line 1: bad");
  }
}

TEST_F(Order, ErrorsOfHostFuturesReachThoseThatWaitForThem) {
  auto b = d.upload(std::vector<unsigned>{1});
  promise<void> go;
  auto launched = step({.after = {go.get_future().share()}}, b, 2, 2);
  go.set_exception(std::make_exception_ptr(std::runtime_error("planted")));
  EXPECT_THROW(launched.get(), std::runtime_error);
  EXPECT_EQ(value(b), 1u);
}

TEST_F(Order, AFinishThrowsWhatAnOperationFailedWith) {
  auto b = d.upload(std::vector<unsigned>{1});
  b.ready().get();
  driver.next_failure = 1;
  EXPECT_ANY_THROW(finish([&] { step({}, b, 2, 2); }));
}

TEST_F(Order, FailuresPassFromDeviceToDevice) {
  test_driver other_driver(2);
  device const other = new_test_device(other_driver);
  auto here = d.upload(std::vector<unsigned>{1});
  auto there = other.allocate<unsigned>(1);
  here.ready().get();
  driver.pause(true);
  driver.next_failure = 1;
  auto failing = step({}, here, 2, 2);
  copy(here, there);
  auto read = there.read();
  driver.pause(false);
  EXPECT_THROW(read.get(), device_error);
}

TEST_F(Order, AnEndThatTheDriverDoesNotTellIsSeen) {
  driver.loses_announcements = true;
  auto b = d.upload(std::vector<unsigned>{0});
  for (int i = 0; i < 20; ++i) {
    driver.pause(true);
    auto f = step({}, b, 1, 1);
    auto waits = async([&f] { f.get(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // all sleep now
    driver.pause(false);
    waits.get();
  }
  EXPECT_EQ(value(b), 20u);
}

// --- misuse

TEST_F(Order, MisuseIsRefusedWithWords) {
  auto b = d.upload(std::vector<unsigned>{1, 2, 3});
  test_driver other_driver(2);
  device const other = new_test_device(other_driver);
  auto foreign = other.allocate<unsigned>(1);
  EXPECT_THROW(step({.grid = 0}, b, 1, 1), std::invalid_argument);
  EXPECT_THROW(step({.block = {0, 1}}, b, 1, 1), std::invalid_argument);
  EXPECT_THROW(step({.block = 2000}, b, 1, 1), std::invalid_argument);
  EXPECT_THROW(step({}, foreign, 1, 1), std::invalid_argument);
  EXPECT_THROW(step({.on = other.make_stream()}, b, 1, 1), std::invalid_argument);
  EXPECT_THROW(b.write(std::vector<unsigned>(3), 1), std::out_of_range);
  EXPECT_THROW(static_cast<void>(b.read(4, 0)), std::out_of_range);
  EXPECT_THROW(b.fill(1, 1, std::size_t(-1)), std::out_of_range);
  EXPECT_THROW(copy(b, 0, b, 1, 2), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(d.allocate<double>(std::size_t(-1) / 4)), out_of_memory);
  try {
    b.write(std::vector<unsigned>(10), 2);
  } catch (const std::out_of_range& e) {
    EXPECT_STREQ(e.what(), "write: [2, 2 + 10) is not within the 3 that are there");
  }
  EXPECT_EQ(b.read().get(), (std::vector<unsigned>{1, 2, 3}));
}

TEST_F(Order, NothingIsNothing) {
  auto none = d.upload(std::vector<unsigned>{});
  EXPECT_EQ(none.size(), 0u);
  EXPECT_TRUE(none.read().get().empty());
  none.fill(1).get();
  none.write(std::vector<unsigned>{}).get();
}

}  // namespace
}  // namespace amity::accel::test
