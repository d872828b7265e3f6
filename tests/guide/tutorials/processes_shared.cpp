// Of docs/tutorials/processes.md.
// clang-format off
// [all]
#include <amity/distributed.hpp>
#include <cstdio>

int main() {
  int const me = amity::rank_me();

  amity::shared_array<int> squares(12, 3);  // 12 elements in blocks of 3, dealt in turn
  for (int i = 0; i < 12; ++i)
    if (squares.where(i) == me) squares[i] = i * i;
  amity::barrier_all();
  if (me == 0) std::printf("squares[7] is %d, on rank %d\n", squares[7].get(), squares.where(7));

  amity::shared_array<long> next(1);  // a counter, on rank 0
  amity::atomic_domain<long> numbers;
  long const mine = numbers.fetch_add(next.pointer(0), 1).get();  // no two processes get the same
  amity::barrier_all();
  if (me == 0) std::printf("%ld numbers were taken\n", next[0].get());
  return mine < amity::rank_n() ? 0 : 1;
}
// [end]
// clang-format on
