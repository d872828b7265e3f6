// The same as amity.cpp by the operations of an MPI. One program for each MPI that is installed.
//
//   mpirun.mpich -n 4 build/bench/collectives_mpich --only all_reduce --sizes 4,1048576
#include "collectives/operations.hpp"
#include "messages/mpi_job.hpp"

namespace {

using collectives::buffers;
using collectives::operation;

const MPI_Comm world = MPI_COMM_WORLD;
const MPI_Datatype type = MPI_UINT32_T;

template <class F>
void repeat(long reps, F f) {
  for (long i = 0; i < reps; ++i) f();
}

/// In place at the root.
void reduce(collectives::element* mine, int count) {
  int rank = 0;
  MPI_Comm_rank(world, &rank);
  if (rank == 0)
    MPI_Reduce(MPI_IN_PLACE, mine, count, type, MPI_SUM, 0, world);
  else
    MPI_Reduce(mine, nullptr, count, type, MPI_SUM, 0, world);
}

void run(operation what, const buffers& on, long reps) {
  auto* const mine = on.mine.data();
  auto* const all = on.all.data();
  auto* const other = on.other.data();
  int const n = static_cast<int>(on.mine.size());
  switch (what) {
    case operation::broadcast:
      return repeat(reps, [&] { MPI_Bcast(mine, n, type, 0, world); });
    case operation::reduce:
      return repeat(reps, [&] { reduce(mine, n); });
    case operation::all_reduce:
      return repeat(reps, [&] { MPI_Allreduce(MPI_IN_PLACE, mine, n, type, MPI_SUM, world); });
    case operation::reduce_scatter:
      return repeat(reps, [&] { MPI_Reduce_scatter_block(all, mine, n, type, MPI_SUM, world); });
    case operation::scatter:
      return repeat(reps, [&] { MPI_Scatter(all, n, type, mine, n, type, 0, world); });
    case operation::gather:
      return repeat(reps, [&] { MPI_Gather(mine, n, type, all, n, type, 0, world); });
    case operation::all_gather:
      return repeat(reps, [&] { MPI_Allgather(mine, n, type, all, n, type, world); });
    case operation::all_to_all:
      return repeat(reps, [&] { MPI_Alltoall(all, n, type, other, n, type, world); });
    case operation::scan:
      return repeat(reps, [&] { MPI_Scan(MPI_IN_PLACE, mine, n, type, MPI_SUM, world); });
    case operation::barrier:
      return repeat(reps, [] { MPI_Barrier(world); });
  }
}

}  // namespace

int main(int argc, char** argv) { return collectives::bench_main({.run = run, .join = ranks::join_mpi}, argc, argv); }
