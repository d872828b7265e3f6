// Parallel algorithms where OpenMP and tasks are: in each thread of a region, in tasks, and with regions in their
// bodies.
#include <omp.h>

#include <algorithm>
#include <amity/amity.hpp>
#include <cstdio>
#include <random>
#include <vector>

namespace {

namespace ex = amity::execution;
std::atomic<int> wrong{0};

void check(bool holds, const char* what) {
  if (holds) return;
  std::printf("wrong: %s\n", what);
  ++wrong;
}

std::vector<int> numbers(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> v(n);
  for (int& x : v) x = static_cast<int>(random() % 1000000);
  return v;
}

/// Sorts, scans and sums; the answers don't depend on where it runs.
void work(unsigned seed, ex::parallel_policy policy) {
  auto v = numbers(20000 + seed * 111, seed);
  auto expected = v;
  std::sort(expected.begin(), expected.end());
  amity::sort(policy, v.begin(), v.end());
  check(v == expected, "sort");
  std::vector<long> sums(v.size());
  amity::inclusive_scan(policy, v.begin(), v.end(), sums.begin(), std::plus<>(), 0L);
  check(sums.back() == amity::reduce(policy, v.begin(), v.end(), 0L), "scan and sum");
  check(amity::count_if(policy, v.begin(), v.end(), [](int x) { return x < 500000; }) ==
            std::lower_bound(v.begin(), v.end(), 500000) - v.begin(),
        "count");
}

void in_regions(ex::parallel_policy policy) {
#pragma omp parallel num_threads(4)
  {
    work(static_cast<unsigned>(omp_get_thread_num()), policy);
#pragma omp barrier
#pragma omp single
    for (unsigned i = 0; i < 4; ++i) {
#pragma omp task firstprivate(i)
      work(10 + i, policy);
    }
  }
}

void with_regions_inside(ex::parallel_policy policy) {
  std::vector<int> sums(40);
  amity::for_loop(policy, 0, 40, [&](int i) {
    int sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int j = 0; j < 100; ++j) sum += i * j;
    sums[static_cast<std::size_t>(i)] = sum;
  });
  for (int i = 0; i < 40; ++i) check(sums[static_cast<std::size_t>(i)] == i * 4950, "a region in a loop");
}

void in_tasks(ex::parallel_policy policy) {
  std::vector<amity::future<void>> all;
  for (unsigned i = 0; i < 6; ++i)
    all.push_back(amity::async([i, policy] { i % 2 == 0 ? work(20 + i, policy) : with_regions_inside(policy); }));
  for (auto& f : all) f.get();
}

}  // namespace

int main() {
  for (auto policy : {ex::par, ex::par.with(ex::static_chunk_size(500)), ex::par.with(ex::dynamic_chunk_size(300))}) {
    for (int round = 0; round < 3; ++round) {
      in_regions(policy);
      with_regions_inside(policy);
      in_tasks(policy);
    }
  }
  std::puts(wrong != 0 ? "failed" : "ok");
  return wrong != 0;
}
