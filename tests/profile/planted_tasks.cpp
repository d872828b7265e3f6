// Time that is planted in tasks of C++: in async within a finish, in futures, in a parallel algorithm, in a wait, and
// in the program alone. Each is measured here, too, by the clock on the wall, so that other programs on the machine
// change both figures alike. Prints for each the line where its function begins, what it is in the profile, and
// nanoseconds of work and of waiting (-1: not measured).
#include <amity/amity.hpp>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

using std::chrono::steady_clock;

std::int64_t now() { return steady_clock::now().time_since_epoch().count(); }
std::int64_t spin_ms(int ms) {
  const std::int64_t begin = now();
  while (now() - begin < ms * INT64_C(1000000)) {
  }
  return now() - begin;
}
void say(const char* what, int line, std::int64_t work, std::int64_t waiting) {
  std::printf("%s\t%d\t%lld\t%lld\n", what, line, static_cast<long long>(work), static_cast<long long>(waiting));
}

constexpr int rounds = 20;

void tasks_in_a_finish() {
  std::atomic<std::int64_t> work{0};
  const int line = __LINE__ + 3;
  amity::finish([&] {
    for (int i = 0; i < rounds; ++i) amity::async([&work] { work += spin_ms(3); });
  });
  say("tasks", line, work, -1);
}

void futures() {
  std::int64_t work = 0;
  std::vector<amity::future<std::int64_t>> all;
  const int line = __LINE__ + 2;
  for (int i = 0; i < rounds; ++i) all.push_back(amity::async([i] { return spin_ms(1 + i % 3); }));
  for (auto& each : all) work += each.get();
  say("tasks", line, work, -1);
}

// A task that waits for another, which is on another core: what it waits is its own.
void a_task_that_waits() {
  amity::promise<void> may_go;
  std::atomic<std::int64_t> waited{0};
  auto gate = may_go.get_future();
  const int line = __LINE__ + 1;
  auto waiter = amity::async([&] {
    const std::int64_t begin = now();
    gate.wait();
    waited += now() - begin;
  });
  spin_ms(60);
  may_go.set_value();
  waiter.get();
  say("tasks", line, 0, waited);
}

void an_algorithm() {
  std::atomic<std::int64_t> work{0};
  std::array<int, 30> items{};
  const int line = __LINE__ + 1;
  amity::for_each(amity::execution::par, items.begin(), items.end(), [&](int) { work += spin_ms(2); });
  say("parallel algorithm", line, work, -1);
}

// Work within work is counted once: a task runs others on top while it waits.
void nested() {
  std::atomic<std::int64_t> outer{0}, inner{0};
  const int line_outer = __LINE__ + 2;
  amity::finish([&] {
    amity::async([&] {
      outer += spin_ms(5);
      amity::finish([&] {
        for (int i = 0; i < rounds; ++i) amity::async([&inner] { inner += spin_ms(2); });
      });
      outer += spin_ms(5);
    });
  });
  say("tasks", line_outer, outer, -1);
  say("tasks", line_outer + 4, inner, -1);
}

}  // namespace

int main() {
  tasks_in_a_finish();
  futures();
  a_task_that_waits();
  an_algorithm();
  nested();
  return 0;
}
