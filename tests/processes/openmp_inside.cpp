// OpenMP regions inside remote tasks, inside a finish of all processes: a team's members wait for one another on the
// same workers that serve the other processes. The argument is the library with the regions (regions.c).
#include <dlfcn.h>

#include "check.hpp"

namespace {

using sum_function = long (*)(long, int*);
std::atomic<sum_function> sum_by_regions{nullptr};  // every process has its own
std::atomic<long> total{0};
std::atomic<int> most_threads{0};

long expected(long n) { return n * (n - 1) / 2; }

long in_region(long n) {
  int threads = 0;
  long const sum = sum_by_regions.load()(n, &threads);
  int seen = most_threads.load();
  while (seen < threads && !most_threads.compare_exchange_weak(seen, threads)) {
  }
  return sum;
}

}  // namespace

int main(int, char** argv) {
  int const me = amity::rank_me(), n = amity::rank_n();
  void* const library = dlopen(argv[1], RTLD_NOW);
  if (library == nullptr) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  sum_by_regions = reinterpret_cast<sum_function>(dlsym(library, "sum_by_regions"));
  amity::barrier_all();

  constexpr int rounds = 20;
  for (int round = 0; round < rounds; ++round)
    amity::finish_spmd([&] {
      for (int r = 0; r < n; ++r) {
        amity::async_at(r, [round] {
          total += in_region(1000 + round);
          // From within a task of another process, and back.
          amity::async_at((amity::rank_me() + 1) % amity::rank_n(), [round] { total += in_region(500 + round); });
        });
      }
      amity::async([round] { total += in_region(100 + round); });
    });
  long wanted = 0;
  for (int round = 0; round < rounds; ++round)
    wanted += n * (expected(1000 + round) + expected(500 + round)) + expected(100 + round);
  test::check(total == wanted, "sums: " + std::to_string(total) + ", not " + std::to_string(wanted));

  // A region whose members call other processes, and wait.
  auto answer = amity::async_at((me + 1) % n, [] { return in_region(2000); });
  test::check(in_region(3000) == expected(3000) && answer.get() == expected(2000), "regions at both ends");
  amity::barrier_all();
  test::check(most_threads >= 1, "teams");
  return test::end();
}
