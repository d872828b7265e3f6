// A worker that was woken for a task and gets no core is not replaced: one more OS thread would have none either,
// and would run beside it as soon as there are cores again. Two workers; the second one's OS thread runs only when
// nobody else wants a core, and threads of the program's want all of them.
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <amity/amity.hpp>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

/// As the kernel has it: "amity-1" is the helper, those with higher numbers were made for fibers.
std::string name_of_kernel_thread() {
  char name[17] = {};
  prctl(PR_GET_NAME, name);
  return name;
}

/// Its number; 0: there is none.
int kernel_thread(const std::string& name) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string found;
    std::ifstream(entry.path() / "comm") >> found;
    if (found == name) return std::stoi(entry.path().filename());
  }
  return 0;
}

bool give_last_rank(int kernel_thread) {
  sched_param const none{};
  return sched_setscheduler(kernel_thread, SCHED_IDLE, &none) == 0;
}

/// Two of the CPUs, for all threads that are made from here on.
bool stay_on_two_cpus() {
  cpu_set_t all, two;
  CPU_ZERO(&two);
  if (sched_getaffinity(0, sizeof all, &all) != 0) return false;
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&two) < 2; ++cpu)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &two);
  return sched_setaffinity(0, sizeof two, &two) == 0;
}

}  // namespace

int main() {
  if (!stay_on_two_cpus()) return std::puts("skipped: the CPUs can't be chosen"), 77;
  amity::finish([] { amity::async([] {}); });
  std::string const helper = "amity-1", main_thread = name_of_kernel_thread();
  int number = 0;
  for (int tries = 0; number == 0 && tries < 10'000; ++tries) {  // it names itself when it begins
    number = kernel_thread(helper);
    usleep(1000);
  }
  if (number == 0) return std::printf("failed: no OS thread is called %s\n", helper.c_str()), 1;
  if (!give_last_rank(number)) return std::puts("skipped: the system refuses SCHED_IDLE"), 77;

  std::atomic<bool> over{false};
  std::vector<std::thread> others;
  for (int i = 0; i < 3; ++i)
    others.emplace_back([&over] {
      while (!over.load(std::memory_order_relaxed)) {
      }
    });
  int strangers = 0;
  for (int round = 0; round < 20; ++round) {
    auto name = amity::async(name_of_kernel_thread);
    auto const until = clock_type::now() + 60ms;  // many looks of the monitor, and less than its patience
    while (clock_type::now() < until) {
    }
    std::string const ran_on = name.get();
    if (ran_on == helper || ran_on == main_thread) continue;
    ++strangers;
    std::printf("round %d: the task ran on %s\n", round, ran_on.c_str());
  }
  over = true;
  for (auto& t : others) t.join();
  std::puts(strangers != 0 ? "failed" : "ok");
  return strangers != 0;
}
