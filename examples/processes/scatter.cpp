// Values of one process for all: the listing of the talk on HPX's hierarchical collectives (Strack et al., 2025), in
// its three forms: by messages to sites, as a call of all, in place.
//
//   amity run -n 4 build/examples/scatter
//
// With MPI it is
//
//   MPI_Comm_size(MPI_COMM_WORLD, &ranks);
//   MPI_Comm_rank(MPI_COMM_WORLD, &this_rank);
//   MPI_Scatter(data, 1, MPI_INT, &local_data, 1, MPI_INT, 0, MPI_COMM_WORLD);
//
// and waits; here each form gives a future, and the core has something else to do meanwhile.
#include <cstdio>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "amity/amity.hpp"

namespace {
namespace co = amity::collectives;

// The root and the others have each a function of their own, as in HPX.
int by_sites(std::size_t sites, std::size_t this_site, std::vector<int> data) {
  auto const client = co::create_communicator("scatter_direct", co::num_sites_arg(sites), co::this_site_arg(this_site));
  if (this_site == 0) return co::scatter_to(client, std::move(data)).get();
  return co::scatter_from<int>(client).get();
}

}  // namespace

int main() {
  auto const ranks = static_cast<std::size_t>(amity::rank_n()), this_rank = static_cast<std::size_t>(amity::rank_me());
  std::vector<int> data;
  if (this_rank == 0) {
    data.resize(ranks);
    std::iota(data.begin(), data.end(), 100);
  }
  int const one = by_sites(ranks, this_rank, data);

  // All call the same; what others than the root give is not looked at. Of any type.
  std::vector<std::string> names;
  for (int x : data) names.push_back("part " + std::to_string(x));
  std::string const two = co::scatter(co::world(), names).get();

  // In place, along a hierarchy of arity 2.
  auto const tree = co::create_hierarchical_communicator("scatter_tree", co::arity_arg(2));
  std::vector<int> part(1);
  co::scatter(tree, std::span(data), std::span(part)).get();

  auto const expected = static_cast<int>(100 + this_rank);
  bool const right = one == expected && two == "part " + std::to_string(expected) && part[0] == expected;
  int const all = co::all_reduce(co::world(), right ? 1 : 0, std::plus<>()).get();
  if (this_rank == 0)
    std::printf("%d of %zu processes have their part: %s\n", all, ranks, all == amity::rank_n() ? "right" : "wrong");
  return right ? 0 : 1;
}
