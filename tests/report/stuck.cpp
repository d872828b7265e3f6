// Programs that can't go on, each in its own way; the first argument says which. `wakeable` looks the same, but a
// thread that Amity knows nothing of is there, and could wake somebody. `late` goes on in the end.
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <amity/amity.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

namespace {

amity::mutex first, second;
amity::sync::latch both(2);

[[gnu::noinline]] void lock_crosswise(amity::mutex& a, amity::mutex& b) {
  std::lock_guard outer(a);
  both.arrive_and_wait();
  std::lock_guard inner(b);
  asm volatile("");
}

[[gnu::noinline]] void wait_crosswise() {
  amity::finish([] {
    amity::async([] { lock_crosswise(first, second); });
    amity::async([] { lock_crosswise(second, first); });
  });
}

[[gnu::noinline]] void wait_for_a_promise() {
  amity::promise<int> nobody_keeps;
  nobody_keeps.get_future().get();
}

void on_signal(int) {}

/// Far more tasks than the system gives threads for: each waits for all others to begin.
constexpr int crowd = 400;

/// Of address space, beside what is in use: room for the stacks of some fibers.
void limit_memory() {
  unsigned long pages = 0;
  FILE* const statm = std::fopen("/proc/self/statm", "r");
  if (statm == nullptr || std::fscanf(statm, "%lu", &pages) != 1) std::abort();
  std::fclose(statm);
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = pages * static_cast<unsigned long>(sysconf(_SC_PAGESIZE)) + (256ul << 20);
  setrlimit(RLIMIT_AS, &limit);
}

[[gnu::noinline]] void meet(amity::sync::latch& all) {
  all.arrive_and_wait();
  asm volatile("");
}

void wait_for_more_threads_than_there_are() {
  amity::sync::latch all(crowd);
  amity::finish([&all] {
    for (int i = 0; i < crowd; ++i) amity::async([&all] { meet(all); });
  });
}

/// Some wait, others can't begin; but all that have begun go on as soon as this thread comes back from the kernel.
void wait_for_one_that_is_late() {
  constexpr int several_looks_ms = 4000;
  amity::sync::latch gate(1);
  amity::finish([&gate] {
    for (int i = 0; i < crowd; ++i) amity::async([&gate] { gate.wait(); });
    poll(nullptr, 0, several_looks_ms);
    gate.count_down();
  });
}

}  // namespace

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "";
  std::puts("ready");
  std::fflush(stdout);
  if (std::strcmp(how, "crosswise") == 0) wait_crosswise();
  if (std::strcmp(how, "promise") == 0) wait_for_a_promise();
  if (std::strcmp(how, "twice") == 0) {
    first.lock();
    first.lock();
  }
  if (std::strcmp(how, "wakeable") == 0) {
    std::thread other([] { pause(); });
    wait_for_a_promise();
  }
  if (std::strcmp(how, "handler") == 0) {
    signal(SIGUSR1, on_signal);
    wait_for_a_promise();
  }
  if (std::strcmp(how, "refused") == 0) {
    limit_memory();
    wait_for_more_threads_than_there_are();
  }
  if (std::strcmp(how, "late") == 0) {
    limit_memory();
    wait_for_one_that_is_late();
  }
  if (std::strcmp(how, "sleeping") == 0) {
    amity::finish([] { amity::async([] { amity::this_task::sleep_for(std::chrono::hours(1)); }); });
  }
}
