// Handles of distributed things that are made before `main` and destroyed after the process has left its job; calls in
// destructors of static objects. The first argument says how the program ends. Others may be in `main` already while
// this process still makes its static objects: what they call waits.
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"

using test::check;

namespace {

struct account {
  int sum = 0;
  int add(int n) { return sum += n; }
};

int me() { return amity::rank_me(); }
int next() { return (amity::rank_me() + 1) % amity::rank_n(); }

// Made first, destroyed last.
struct late {
  ~late() {
    if (amity::rank_n() == 1) return;
    amity::rpc_ff(next(), [] { std::abort(); });
    amity::finish([] { amity::rpc_ff(next(), [] { std::abort(); }); });
    using amity::lost_rank;
    const std::string left = "this process has left the job";
    const auto says_so = [&left](auto f) {
      if (std::string const words = test::thrown<lost_rank>(f); words.find(left) == std::string::npos) {
        std::printf("rank %d: wrong: a call after the end throws '%s'\n", me(), words.c_str());
        std::fflush(stdout);
        std::_Exit(1);
      }
    };
    says_so([] { amity::rpc(next(), [] {}).get(); });
    says_so([] { static_cast<void>(amity::new_<account>(next()).get()); });
    if (amity::rpc(me(), [] { return 7; }).get() != 7) std::_Exit(1);  // the own process is there
  }
} const last_of_all;

amity::shared_var<int> count;
amity::shared_lock lock;
amity::shared_array<int> table(100, 10);
amity::dist_object<std::vector<int>> mine(std::vector<int>(10, me()));
amity::team half = amity::team_world().split(me() % 2, me());
amity::collectives::communicator all = amity::collectives::create_communicator("statics");
amity::object_ref<account> of_next = amity::new_<account>(next()).get();
int const from_next = amity::rpc(
                          next(), [](int n) { return n + 1; }, 41)
                          .get();
amity::global_ptr<int> memory = amity::new_array<int>(10);
std::vector<amity::object_ref<account>> accounts, from_others;
amity::future<int> never_taken;
amity::promise<int> left_open;
amity::future<int> of_left_open = left_open.get_future();
amity::atomic_domain<int> atomics({amity::atomic_op::fetch_add, amity::atomic_op::load});
thread_local std::optional<amity::dist_object<int>> of_thread;

// What other processes call before this one's `main`.
int task(int by) {
  lock.lock();
  count = count + by;
  lock.unlock();
  return by;
}

amity::dist_object<int>& in_function() {
  static amity::dist_object<int> one(me());
  return one;
}

void use_all() {
  int const n = amity::rank_n();
  for (int r = 0; r < n; ++r)
    check(amity::rpc(
              r, [](int by) { return task(by); }, 1)
                  .get() == 1,
          "a call of a task");
  amity::barrier_all();
  check(count.get() == n * n, "each has called each once");
  check(from_next == 42, "a call before main");
  check(of_next.call<&account::add>(5).get() == 5, "an object that was made before main");
  check(mine.fetch(next()).get() == std::vector<int>(10, next()), "a distributed object that was made before main");
  amity::collectives::barrier(all).get();
  for (int i = 0; i < 10; ++i) accounts.push_back(amity::new_<account>(next()).get());
  amity::rpc(
      next(), [](std::vector<amity::object_ref<account>> a) { from_others = std::move(a); }, accounts)
      .get();
  of_thread.emplace(me());
  check(*in_function() == me(), "a distributed object in a function");
  never_taken = amity::rpc(next(), [] {
    amity::this_task::sleep_for(std::chrono::milliseconds(20));
    return 4;
  });
}

}  // namespace

int main(int, char** argv) {
  use_all();
  if (int const status = test::end(); status != 0) return status;
  std::string const how = argv[1];
  if (how == "exit") std::exit(0);
  if (how == "some_exit" && me() == 0) std::exit(0);
  if (how == "task") amity::async([] { std::exit(0); }).get();
  if (how == "thread") std::thread([] { std::exit(0); }).join();
  if (how == "both") std::thread([] { std::exit(0); }).detach();
  if (how == "quick_exit") std::fflush(stdout), std::quick_exit(0);
  return 0;
}
