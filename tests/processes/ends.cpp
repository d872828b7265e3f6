// How a job ends; ends.py starts it and looks. The first argument says what is to happen, on the last rank mostly.
#include <unistd.h>

#include <cstring>

#include "check.hpp"

int main(int argc, char** argv) {
  std::string const how = argc > 1 ? argv[1] : "";
  if (how == "never") return 0;  // it has not joined the job; its end does
  if (how == "some_never" && std::getenv("AMITY_TEST_NEVER") != nullptr) return 0;
  int const me = amity::rank_me(), n = amity::rank_n();
  bool const last = me == n - 1;
  amity::barrier_all();
  std::printf("pid %d\n", getpid());
  std::fflush(stdout);
  if (how == "throws" && last) throw std::runtime_error("planted in main");
  if (how == "task_throws" && me == 0) amity::rpc_ff(n - 1, [] { throw std::logic_error("planted in a task"); });
  if (how == "sleeps") sleep(60);
  if (how == "waits") {
    if (me == 0) sleep(60);
    amity::barrier_all();
  }
  static std::atomic<bool> endless{true};
  while (how == "computes" && endless.load(std::memory_order_relaxed)) {
  }
  if (how == "other_table") {
    namespace co = amity::collectives;
    if (last) co::tuning::use_rules({{co::tuning::operation::reduce, 0, 0, {co::tuning::method::lanes}}});
    static_cast<void>(co::all_reduce(co::world(), me, std::plus<>()).get());
  }
  if (how == "status") return last ? 3 : 0;
  if (how == "leaves") {  // while the others wait for it
    if (last) std::exit(5);
    amity::barrier_all();
  }
  if (how == "aborts" && last) std::abort();
  if (how == "late") {
    if (me == 0) usleep(200'000);
    amity::rpc_ff((me + 1) % n, [] { amity::rpc_ff(0, [] { std::puts("late"), std::fflush(stdout); }); });
  }
  return 0;
}
