// Two ranks: the first calls the second, which works for a while in each call. Prints in which line the call's function
// begins, and the nanoseconds of work. Then a call comes while all workers of the second are busy.
#include <amity/amity.hpp>
#include <amity/distributed.hpp>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>

namespace {

std::int64_t spin_ms(int ms) {
  using std::chrono::steady_clock;
  const auto begin = steady_clock::now();
  const auto end = begin + std::chrono::milliseconds(ms);
  while (steady_clock::now() < end) {
  }
  return std::chrono::nanoseconds(steady_clock::now() - begin).count();
}

amity::promise<void> all_are_busy;  // of the first rank
std::atomic<bool> has_come{false};  // of the second

void call_into_the_busy() {
  if (amity::rank_me() == 0) {
    all_are_busy.get_future().wait();
    amity::rpc(1, [] { has_come = true; }).wait();
    return;
  }
  std::atomic<int> busy{0};
  amity::finish([&] {
    for (int i = 0; i < amity::worker_count(); ++i)
      amity::async([&] {
        if (++busy == amity::worker_count()) amity::rpc_ff(0, [] { all_are_busy.set_value(); });
        while (!has_come) {
        }
      });
  });
}

}  // namespace

int main() {
  if (amity::rank_me() == 0) {
    std::int64_t work = 0;
    const int line = __LINE__ + 1;
    for (int i = 0; i < 20; ++i)
      work += amity::rpc(
                  1, [](int ms) { return spin_ms(ms); }, 1 + i % 3)
                  .get();
    std::printf("remote calls\t%d\t%lld\t-1\n", line, static_cast<long long>(work));
  }
  amity::barrier_all();
  call_into_the_busy();
  amity::barrier_all();
  return 0;
}
