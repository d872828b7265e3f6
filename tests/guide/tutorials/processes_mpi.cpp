// Of docs/tutorials/processes.md.
// clang-format off
// [all]
#include <mpi.h>

#include <amity/distributed.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  int level = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  int const me = amity::rank_me(), n = amity::rank_n();
  int const answer = amity::rpc((me + 1) % n, [] { return amity::rank_me(); }).get();
  int sum = 0;
  MPI_Allreduce(&answer, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

  if (me == 0) std::printf("rank %d of MPI is rank %d of Amity; sum %d\n", rank, me, sum);
  MPI_Finalize();
  return rank == me ? 0 : 1;
}
// [end]
// clang-format on
