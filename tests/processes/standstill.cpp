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

namespace co = amity::collectives;

void barrier_as(const co::communicator& site) { co::barrier(site).get(); }

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
    // What comes again counts as the next use of the name, which lacks a site as the first does.
    {"a_site_twice",
     [](int me, int) {
       auto const meet = [] {
         barrier_as(co::create_local_communicator("x", co::num_sites_arg(2), co::this_site_arg(0)));
       };
       if (me != 0) return;
       auto const other = amity::async(meet);
       meet();
     }},
    {"a_site_of_another",
     [](int me, int n) {
       auto const create = [n](int site) {
         return co::create_communicator("x", co::num_sites_arg(n), co::this_site_arg(site));
       };
       auto const mine = me != 2 ? create(me) : co::communicator();
       amity::barrier_all();
       if (me == 2) return;
       auto const other = amity::async([mine] { barrier_as(mine); });
       if (me == 1) barrier_as(create(0));
       other.wait();
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
