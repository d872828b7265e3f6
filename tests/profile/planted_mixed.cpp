// Regions of OpenMP in tasks of C++, and the reverse: what is planted in one must not count in the other. Prints lines
// as planted_tasks.cpp does.
#include <amity/amity.hpp>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>

namespace {

using std::chrono::steady_clock;

std::int64_t now() { return steady_clock::now().time_since_epoch().count(); }
std::int64_t spin_ms(int ms) {
  const std::int64_t begin = now();
  while (now() - begin < ms * INT64_C(1000000)) {
  }
  return now() - begin;
}
void say(const char* what, int line, std::int64_t work) {
  std::printf("%s\t%d\t%lld\t-1\n", what, line, static_cast<long long>(work));
}

constexpr int rounds = 5;

void regions_in_a_task() {
  std::atomic<std::int64_t> task{0}, region{0};
  int line_of_region = 0;
  const int line_of_task = __LINE__ + 1;
  amity::async([&] {
    for (int i = 0; i < rounds; ++i) {
      task += spin_ms(3);
      line_of_region = __LINE__ + 1;
#pragma omp parallel num_threads(2)
      region += spin_ms(4);
      task += spin_ms(3);
    }
  }).get();
  say("tasks", line_of_task, task);
  say("parallel region", line_of_region, region);
}

void tasks_in_a_region() {
  std::atomic<std::int64_t> task{0}, region{0};
  std::atomic<int> line_of_task{0};
  int line_of_region = 0;
  line_of_region = __LINE__ + 1;
#pragma omp parallel num_threads(2)
  {
    region += spin_ms(6);
    amity::finish([&] {
      line_of_task = __LINE__ + 2;
      for (int i = 0; i < 2 * rounds; ++i) amity::async([&] { task += spin_ms(2); });
    });
    region += spin_ms(6);
  }
  say("tasks", line_of_task, task);
  say("parallel region", line_of_region, region);
}

}  // namespace

int main() {
  regions_in_a_task();
  tasks_in_a_region();
  return 0;
}
