// A job in which nothing can go on, in several ways, and some in which it only seems so. standstill.py says what each
// is to print. Argument: which.

#include <amity/amity.hpp>
#include <amity/distributed.hpp>
#include <cstdio>
#include <cstring>
#include <functional>

namespace {

amity::promise<int>& forgotten() {
  static auto* const one = new amity::promise<int>;
  return *one;
}
amity::future<int> answer() { return forgotten().get_future(); }

/// Longer than it takes to find a standstill.
constexpr std::chrono::milliseconds long_time(5000);

void compute(std::chrono::milliseconds time) {
  auto const end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) continue;
}

struct way {
  const char* name;
  void (*go)(int me, int n);
};
const way ways[] = {
    {"promises", [](int, int) { answer().get(); }},
    {"one_in_a_barrier", [](int me, int) { me == 0 ? static_cast<void>(answer().get()) : amity::barrier_all(); }},
    {"one_in_a_collective",
     [](int me, int) {
       if (me == 0) answer().get();
       amity::collectives::all_reduce(amity::collectives::world(), 1, std::plus<>()).get();
     }},
    {"a_call_waits",
     [](int me, int n) {
       if (me == 0) amity::rpc(n - 1, [] { return answer().get(); }).get();
     }},
    {"a_circle_of_calls",
     [](int me, int n) {
       static amity::mutex lock;
       lock.lock();
       amity::barrier_all();
       amity::rpc((me + 1) % n, [] { lock.lock(); }).get();
     }},
    {"a_call_waits_and_nobody_else",
     [](int me, int n) {
       if (me == 0) amity::rpc_ff(n - 1, [] { answer().get(); });
     }},
    // --- these go on
    {"one_computes",
     [](int me, int) {
       if (me == 0) compute(long_time);
       amity::barrier_all();
     }},
    {"one_sleeps",
     [](int me, int) {
       if (me == 0) amity::this_task::sleep_for(long_time);
       amity::barrier_all();
     }},
    {"a_call_sleeps",
     [](int me, int n) {
       if (me == 0) amity::rpc(n - 1, [] { amity::this_task::sleep_for(long_time); }).get();
     }},
};

}  // namespace

int main(int, char** argv) {
  for (const way& w : ways)
    if (std::strcmp(w.name, argv[1]) == 0) {
      w.go(amity::rank_me(), amity::rank_n());
      if (amity::rank_me() == 0) std::puts("ok");
      return 0;
    }
  std::puts("there is no such way");
  return 2;
}
