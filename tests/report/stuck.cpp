// Programs that can't go on, each in its own way; the first argument says which. `wakeable` looks the same, but a
// thread that Amity knows nothing of is there, and could wake somebody.
#include <signal.h>
#include <unistd.h>

#include <amity/amity.hpp>
#include <cstdio>
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
  if (std::strcmp(how, "sleeping") == 0) {
    amity::finish([] { amity::async([] { amity::this_task::sleep_for(std::chrono::hours(1)); }); });
  }
}
