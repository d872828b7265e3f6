// A program that calls MPI itself, beside Amity, in several orders; the argument says which. Rank 0 prints `ok`.
//
// Each is built once for each family of MPI that is installed, and runs by that family's launcher.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <string>

#include "check.hpp"

using test::check;

namespace {

std::atomic<int> received{0};

int sum_by_mpi(int value) {
  int sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/// Calls of both kinds, by turns and at the same time.
void use_both(int me, int n) {
  int const ranks = n * (n - 1) / 2;
  for (int round = 0; round < 20; ++round) {
    check(sum_by_mpi(me) == ranks, "MPI_Allreduce");
    check(amity::rpc((me + 1) % n, [](int k) { return k + amity::rank_me(); }, round).get() == round + (me + 1) % n,
          "a call");
  }
  // While this one waits within MPI, others run what they were sent.
  amity::finish_spmd([&] {
    for (int i = 0; i < 100; ++i) amity::async_at(i % n, [] { ++received; });
    check(sum_by_mpi(1) == n, "MPI_Allreduce beside calls");
  });
  check(sum_by_mpi(received) == 100 * n, "calls beside MPI_Allreduce: " + std::to_string(received));
}

void initialise_mpi(const std::string& how) {
  int level = 0;
  if (how == "plain")
    MPI_Init(nullptr, nullptr);
  else
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
  check(how == "plain" || level == MPI_THREAD_MULTIPLE, "this MPI is for one thread");
}

}  // namespace

// before: MPI comes first; plain: by MPI_Init; after: Amity comes first; at_exit: MPI is finalised within exit(),
// before Amity's end; at_last: after it.
int main(int argc, char** argv) {
  std::string const how = argc > 1 ? argv[1] : "before";
  bool const amity_first = how == "after";
  if (!amity_first) initialise_mpi(how);
  if (how == "at_last") std::atexit([] { MPI_Finalize(); });  // such functions run from the last to the first
  int const me = amity::rank_me(), n = amity::rank_n();
  int begun = 0;
  MPI_Initialized(&begun);
  if (begun == 0) initialise_mpi(how);
  int rank = -1, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(rank == me && size == n, "MPI's ranks are Amity's");
  use_both(me, n);
  int const status = test::end();
  bool const is_ours = !amity_first || begun == 0;  // else Amity has initialised it (AMITY_NET=mpi)
  if (how == "at_exit")
    std::atexit([] { MPI_Finalize(); });
  else if (is_ours && how != "at_last")
    MPI_Finalize();
  return status;
}
