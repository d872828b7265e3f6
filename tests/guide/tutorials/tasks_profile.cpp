// Of docs/tutorials/tasks.md.
// clang-format off
// [all]
#include <amity/amity.hpp>
#include <cstdio>
#include <vector>

double sum_to(int n) {
  double sum = 0;
  for (int k = 1; k < n; ++k) sum += 1.0 / k;
  return sum;
}

int main() {
  std::vector<amity::future<double>> parts;
  for (int i = 0; i < 100; ++i)
    parts.push_back(amity::async(
        [i] { return sum_to(i * 10000); }));
  double all = 0;
  for (auto& part : parts) all += part.get();

  double last = amity::async([] {
                  auto half = amity::async(
                      [] { return sum_to(20000000); });
                  return 2 * half.get();
                }).get();
  std::printf("%.3f %.3f\n", all, last);
}
// [end]
// clang-format on
