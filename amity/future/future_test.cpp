#include "amity/future/future.hpp"

#include <gtest/gtest.h>

#include <string>

namespace amity {
namespace {

future_errc code_of(auto&& f) {
  try {
    f();
  } catch (const future_error& e) {
    EXPECT_NE(std::string(e.what()).find("amity: "), std::string::npos);
    return e.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(future, misuse_has_names) {
  promise<int> p;
  future<int> f = p.get_future();
  EXPECT_EQ(code_of([&] { static_cast<void>(p.get_future()); }), future_errc::future_already_retrieved);
  p.set_value(1);
  EXPECT_EQ(code_of([&] { p.set_value(2); }), future_errc::promise_already_satisfied);
  EXPECT_EQ(f.get(), 1);
  EXPECT_EQ(code_of([&] { f.get(); }), future_errc::no_state);
  future<void> broken;
  { broken = promise<void>().get_future(); }
  EXPECT_EQ(code_of([&] { broken.get(); }), future_errc::broken_promise);
}

TEST(future, shared_ones_give_the_value_to_all) {
  promise<std::string> p;
  shared_future<std::string> a = p.get_future().share();
  shared_future<std::string> const b = a;
  p.set_value("x");
  EXPECT_EQ(a.get(), "x");
  EXPECT_EQ(&b.get(), &a.get());
  EXPECT_EQ(b.then([](shared_future<std::string> s) { return s.get() + "y"; }).get(), "xy");
}

TEST(future, then_is_called_when_it_is_ready) {
  promise<int> p;
  auto chain = p.get_future().then([](future<int> f) { return f.get() + 1; }).then(launch::sync, [](future<int> f) {
    return std::to_string(f.get());
  });
  EXPECT_FALSE(chain.is_ready());
  p.set_value(41);
  EXPECT_EQ(chain.get(), "42");
}

TEST(future, long_chains_need_no_stack) {
  promise<int> p;
  future<int> f = p.get_future();
  int const links = base::thread_sanitizer ? 3'000 : 100'000;
  for (int i = 0; i < links; ++i) f = f.then(launch::sync, [](future<int> g) { return g.get() + 1; });
  p.set_value(0);
  EXPECT_EQ(f.get(), links);
}

TEST(future, exceptions_pass_through_then) {
  auto f = make_exceptional_future<int>(std::string("bad")).then([](future<int> g) { return g.get(); });
  EXPECT_THROW(f.get(), std::string);
}

TEST(future, a_future_of_a_future_is_unwrapped) {
  promise<future<int>> outer;
  promise<int> inner;
  future<int> f(outer.get_future());
  outer.set_value(inner.get_future());
  EXPECT_FALSE(f.is_ready());
  inner.set_value(3);
  EXPECT_EQ(f.get(), 3);
  EXPECT_THROW(future<int>(make_exceptional_future<future<int>>(5)).get(), int);
}

TEST(future, packaged_tasks_put_their_result) {
  packaged_task<int(int)> t([p = std::make_unique<int>(2)](int x) { return x * *p; });
  auto f = t.get_future();
  t(21);
  EXPECT_EQ(f.get(), 42);
  EXPECT_EQ(code_of([&] { t(1); }), future_errc::promise_already_satisfied);
  t.reset();
  f = t.get_future();
  t(4);
  EXPECT_EQ(f.get(), 8);
}

TEST(future, ready_ones) {
  EXPECT_EQ(make_ready_future(2).get(), 2);
  make_ready_future().get();
}

}  // namespace
}  // namespace amity
