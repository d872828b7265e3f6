// [all]
#include <amity/amity.hpp>
#include <cstdio>

long sum_to(int n) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 1; i <= n; ++i) sum += i;
  return sum;
}

int main() {
  // An OpenMP region in each of two tasks.
  amity::future<long> a = amity::async(sum_to, 1000);
  amity::future<long> b = amity::async(sum_to, 2000);

  // Tasks in the threads of a region.
  long squares = 0;
#pragma omp parallel for reduction(+ : squares)
  for (int i = 1; i <= 100; ++i)
    squares += amity::async([i] { return i * i; }).get();

  std::printf("%ld, %ld, %ld\n", a.get(), b.get(), squares);
}
// [end]
