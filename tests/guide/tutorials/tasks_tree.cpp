// [tree]
#include <amity/amity.hpp>
#include <atomic>
#include <cstdio>

void visit(int depth, std::atomic<long>& leaves) {
  if (depth == 0) {
    ++leaves;
    return;
  }
  for (int i = 0; i < 2; ++i)
    amity::post([=, &leaves] { visit(depth - 1, leaves); });
}
// [end]

// [fork_join]
long fib(int n) {
  if (n < 2) return n;
  if (n < 16) return fib(n - 1) + fib(n - 2);
  auto [a, b] = amity::fork_join([n] { return fib(n - 1); },
                                 [n] { return fib(n - 2); });
  return a + b;
}
// [end]

// [main]
int main() {
  std::atomic<long> leaves = 0;
  amity::finish([&] { visit(10, leaves); });

  long parts[4] = {};
  amity::task_group group;
  for (int i = 0; i < 4; ++i)
    group.run([&, i] { parts[i] = fib(10 + i); });
  group.wait();
  std::printf("%ld leaves, fib(13) is %ld, fib(25) is %ld\n",
              leaves.load(), parts[3], fib(25));
}
// [end]
