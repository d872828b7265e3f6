// [wrong]
#include <amity/amity.hpp>
#include <cstdio>

thread_local int current = 0;

bool keeps_it(int i) {
  current = i;
  amity::async([] { current = 0; }).get();
  return current == i;  // the other task may have written it
}
// [end]

// [right]
bool keeps_its_own(int i) {
  int const mine = i;
  amity::async([] { current = 0; }).get();
  return mine == i;
}
// [end]

// [main]
int main() {
  amity::accumulator<long> first, second;
  amity::finish([&] {
    for (int i = 1; i <= 100; ++i)
      amity::post([&, i] {
        first.put(keeps_it(i) ? 1 : 0);
        second.put(keeps_its_own(i) ? 1 : 0);
      });
  });
  std::printf("thread_local: %ld of 100, own variable: %ld\n",
              first.get(), second.get());
}
// [end]
