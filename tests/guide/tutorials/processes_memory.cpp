// Of docs/tutorials/processes.md.
// clang-format off
// [all]
#include <amity/distributed.hpp>
#include <cstdio>
#include <vector>

int main() {
  int const me = amity::rank_me(), n = amity::rank_n(), right = (me + 1) % n;

  // Four numbers in this process's shared memory, and a way for the others to find them.
  amity::dist_object<amity::global_ptr<double>> halo(amity::allocate<double>(4));
  amity::global_ptr<double> const there = halo.fetch(right).get();

  std::vector<double> const edge(4, 10.0 * me);
  amity::rput(edge.data(), there, edge.size()).get();  // the values have arrived
  amity::barrier_all();                                // everybody's have

  double const* const mine = halo->local();  // an ordinary pointer: it is this process's memory
  std::printf("rank %d has %g from its left neighbour\n", me, mine[3]);

  double const back = amity::rget(there).get();
  if (back != edge[0]) return 1;

  amity::barrier_all();  // nobody reads or writes it any more
  amity::deallocate(*halo);
}
// [end]
// clang-format on
