// Errors that come out of the library, each the first exception of its process: only then is it seen if the library
// throws it itself, with its own C++ runtime, which the program's unwinder knows nothing of.
#include <sys/wait.h>
#include <unistd.h>

#include <amity/accel.hpp>
#include <amity/amity.hpp>
#include <amity/pgas/object.hpp>
#include <amity/pgas/shared.hpp>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <vector>

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
  return throws<amity::exception_list>([] {
    amity::for_loop(amity::execution::par.with(amity::execution::static_chunk_size(1)), 0, 100, [](int i) {
      if (i == 50) throw 50L;
    });
  });
}
bool unknown_policy() {
  return throws<std::invalid_argument>([] { amity::execution::policy_executor const e("no such policy"); });
}

bool no_descriptor() {
  return throws<std::system_error>([] { auto const a = amity::attend(-1, [] {}); });
}

// Of devices; right where there is none.
namespace accel = amity::accel;
bool throws_of_a_device(bool (*f)(const accel::device&)) {
  auto const found = accel::local_devices().get();
  return found.empty() || f(found.front());
}
using ints = std::vector<int>;
constexpr const char* kernel_text = "AMITY_KERNEL void k(AMITY_GLOBAL int* x) { x[0] = 1; }";
accel::kernel<void(int*)> kernel_of(const accel::device& d) {
  return d.program(accel::source(kernel_text)).kernel<void(int*)>("k");
}

bool more_memory_than_there_is() {
  return throws_of_a_device([](const accel::device& d) {
    return throws<accel::out_of_memory>([&] { auto const b = d.allocate<char>(std::size_t{1} << 50); });
  });
}
bool range_beyond_the_end() {
  return throws_of_a_device([](const accel::device& d) {
    auto b = d.allocate<int>(4);
    return throws<std::out_of_range>([&] { b.write(ints{1, 2}, 3); });
  });
}
bool overlapping_copy() {
  return throws_of_a_device([](const accel::device& d) {
    auto b = d.allocate<int>(4);
    return throws<std::invalid_argument>([&] { copy(b, 0, b, 1, 2); });
  });
}
bool box_beyond_the_end() {
  return throws_of_a_device([](const accel::device& d) {
    auto b = d.allocate<int>(4);
    int there[9] = {};
    return throws<std::out_of_range>([&] { b.read_box({}, there, {}, {12, 3, 1}).get(); });
  });
}
bool empty_grid() {
  return throws_of_a_device([](const accel::device& d) {
    auto b = d.allocate<int>(1);
    auto const k = kernel_of(d);
    return throws<std::invalid_argument>([&] { k({.grid = 0}, b); });
  });
}
bool part_of_a_graph() {
  return throws_of_a_device([](const accel::device& d) {
    auto b = d.allocate<int>(1);
    accel::graph g(d);
    auto const k = kernel_of(d);
    return throws<std::invalid_argument>([&] { g.add(k, {.on = d.make_stream()}, b); });
  });
}
bool indivisible_device() {
  return throws_of_a_device([](const accel::device& d) {
    return throws<accel::device_error>([&] { auto const parts = d.split(1'000'000); });
  });
}
bool unknown_kernel() {
  return throws_of_a_device([](const accel::device& d) {
    auto b = d.allocate<int>(1);
    auto const k = d.program(accel::source(kernel_text)).kernel<void(int*)>("no_such");
    return throws<accel::kernel_error>([&] { k({}, b).get(); });
  });
}
bool bad_source() {
  return throws_of_a_device([](const accel::device& d) {
    return throws<accel::build_error>([&] { d.program(accel::file("/no/such/file")).build().get(); });
  });
}

// Of processes, of which there is one.
bool name_that_is_taken() {
  auto const one = amity::new_<ints>(0).get();
  amity::register_object("first_errors", one);
  return throws<std::invalid_argument>([&] { amity::register_object("first_errors", one); });
}
bool more_shared_memory_than_there_is() {
  return throws<amity::bad_shared_alloc>([] { amity::shared_array<char> const a(std::size_t{1} << 45); });
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
    {"a descriptor that there is not", no_descriptor},
    {"more memory than a device has", more_memory_than_there_is},
    {"a range beyond the end of a buffer", range_beyond_the_end},
    {"a copy onto itself", overlapping_copy},
    {"a box beyond the end of a buffer", box_beyond_the_end},
    {"an empty grid", empty_grid},
    {"a graph's part with a stream", part_of_a_graph},
    {"a device that can't be divided", indivisible_device},
    {"a kernel that there is not", unknown_kernel},
    {"a program that there is not", bad_source},
    {"a name that is taken", name_that_is_taken},
    {"more shared memory than there is", more_shared_memory_than_there_is},
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
