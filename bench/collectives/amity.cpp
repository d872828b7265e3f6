// Collective operations of Amity, on spans. mpi.cpp has an MPI's.
//
//   amity run -n 4 build/bench/collectives_amity --only all_reduce --sizes 4,1048576
//   amity run -n 4 build/bench/collectives_amity --tune
#include <functional>

#include "amity/distributed.hpp"
#include "collectives/operations.hpp"
#include "collectives/tune.hpp"
#include "messages/amity_job.hpp"

namespace {

namespace co = amity::collectives;
using collectives::buffers;
using collectives::operation;

template <class F>
void repeat(long reps, F f) {
  for (long i = 0; i < reps; ++i) f().get();
}

void run(operation what, const buffers& on, long reps) {
  const co::communicator& world = co::world();
  auto const [mine, all, other] = on;
  std::plus<> const sum;
  switch (what) {
    case operation::broadcast:
      return repeat(reps, [&] { return co::broadcast(world, mine); });
    case operation::reduce:
      return repeat(reps, [&] { return co::reduce(world, mine, sum); });
    case operation::all_reduce:
      return repeat(reps, [&] { return co::all_reduce(world, mine, sum); });
    case operation::reduce_scatter:
      return repeat(reps, [&] { return co::reduce_scatter(world, all, mine, sum); });
    case operation::scatter:
      return repeat(reps, [&] { return co::scatter(world, all, mine); });
    case operation::gather:
      return repeat(reps, [&] { return co::gather(world, mine, all); });
    case operation::all_gather:
      return repeat(reps, [&] { return co::all_gather(world, mine, all); });
    case operation::all_to_all:
      return repeat(reps, [&] { return co::all_to_all(world, all, other); });
    case operation::scan:
      return repeat(reps, [&] { return co::inclusive_scan(world, mine, sum); });
    case operation::barrier:
      return repeat(reps, [&] { return co::barrier(world); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  return collectives::bench_main({.run = run, .join = ranks::join_amity, .tune = collectives::tune}, argc, argv);
}
