#include <amity/amity.hpp>
#include <cstdio>

int main() {
  amity::future<int> half = amity::async([] { return 21; });
  int const all = half.get() * 2;
  std::printf("%d by %d workers\n", all, amity::worker_count());
  return all == 42 ? 0 : 1;
}
