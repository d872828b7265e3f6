// Errors that come out of the library, each the first exception of its process: only then is it seen if the library
// throws it itself, with its own C++ runtime, which the program's unwinder knows nothing of.
#include <sys/wait.h>
#include <unistd.h>

#include <amity/amity.hpp>
#include <cstdio>
#include <memory>
#include <stdexcept>

namespace {

using amity::phaser;
using enum amity::phaser_mode;

/// `f` throws an E.
template <class E, class F>
bool throws(F f) {
  try {
    f();
  } catch (const E&) {
    return true;
  }
  return false;
}
template <class F>
bool is_misuse(F f) {
  return throws<amity::phaser_error>(f);
}
/// The same in a task that is registered in this mode.
template <class F>
bool is_misuse_as(amity::phaser_mode mode, F f) {
  bool is = false;
  amity::finish([&] {
    phaser p;
    amity::async_phased({{p, mode}}, [&, p]() mutable { is = is_misuse([&] { f(p); }); });
    p.drop();
  });
  return is;
}

bool degree_of_one() {
  return is_misuse([] { phaser const p(1); });
}
bool not_registered() {
  phaser p;
  p.drop();
  return is_misuse([&] { p.next(); });
}
bool more_than_the_parent() {
  return is_misuse_as(signal_only, [](phaser& p) { amity::async_phased({{p, signal_wait}}, [] {}); });
}
bool signal_by_a_waiter() {
  return is_misuse_as(wait_only, [](phaser& p) { p.signal(); });
}
bool wait_by_a_signaller() {
  return is_misuse_as(signal_only, [](phaser& p) { p.wait(); });
}
bool wait_for_oneself() {
  return is_misuse_as(signal_wait, [](phaser& p) { p.wait(); });
}
bool single_by_a_signaller() {
  return is_misuse_as(signal_only, [](phaser& p) { p.next_single([] {}); });
}
bool put_by_a_waiter() {
  return is_misuse_as(wait_only, [](phaser& p) { amity::phaser_accumulator<int>(p).put(1); });
}
bool thrown_in_a_single() {
  phaser p;
  return throws<int>([&] { p.next_single([] { throw 1; }); }) && p.phase() == 1;
}
bool broken_promise() {
  auto gone = std::make_unique<amity::promise<int>>();
  amity::future<int> f = gone->get_future();
  gone.reset();
  return throws<amity::future_error>([&] { f.get(); });
}
bool thrown_by_a_task() {
  return throws<std::runtime_error>(
      [] { amity::finish([] { amity::post([] { throw std::runtime_error("task"); }); }); });
}
bool thrown_by_an_element() {
  return throws<long>([] {
    amity::for_loop(amity::execution::par.with(amity::execution::static_chunk_size(1)), 0, 100, [](int i) {
      if (i == 50) throw 50L;
    });
  });
}
bool unknown_policy() {
  return throws<std::invalid_argument>([] { amity::execution::policy_executor const e("no such policy"); });
}

struct one_case {
  const char* name;
  bool (*is_right)();
};
constexpr one_case cases[] = {
    {"a phaser of degree 1", degree_of_one},
    {"next() without registration", not_registered},
    {"a mode that the parent has not", more_than_the_parent},
    {"signal() of one who waits", signal_by_a_waiter},
    {"wait() of one who signals", wait_by_a_signaller},
    {"wait() before signal()", wait_for_oneself},
    {"next_single() of one who signals", single_by_a_signaller},
    {"put() of one who waits", put_by_a_waiter},
    {"next_single's function throws", thrown_in_a_single},
    {"a broken promise", broken_promise},
    {"a task throws", thrown_by_a_task},
    {"an element's function throws", thrown_by_an_element},
    {"a policy that there is not", unknown_policy},
};

}  // namespace

int main() {
  int failed = 0;
  for (const one_case& c : cases) {
    pid_t const child = fork();  // before anything of Amity is used here
    if (child == 0) _exit(c.is_right() ? 0 : 1);
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
      std::printf("%s: %s (status %x)\n", c.name, "not thrown to the program", static_cast<unsigned>(status));
      ++failed;
    }
  }
  if (failed == 0) std::puts("ok");
  return failed == 0 ? 0 : 1;
}
