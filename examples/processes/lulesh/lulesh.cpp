// LULESH: shock waves of an explosion, in a mesh that moves with the gas (Sedov's problem), over processes and with all
// cores of each.
//
//   amity run -n 8 build/examples/lulesh -s 10 -i 50     # 1, 8, 27, ... processes, each with 10 x 10 x 10 elements
//
// As in the HabaneroUPC++ paper (Kumar et al., 2014): loops are tasks within a finish; what neighbours have to know is
// put into their memory within a finish of all processes. README.md says where to go on.
#include <chrono>
#include <cstdio>

#include "amity/amity.hpp"
#include "exchange.hpp"
#include "loops.hpp"
#include "report.hpp"
#include "run.hpp"

namespace {

// Null edge: the processes can't be a cube.
lulesh::place_in_cube find_place() {
  int const n = amity::rank_n(), me = amity::rank_me();
  int edge = 1;
  while (edge * edge * edge < n) ++edge;
  if (edge * edge * edge != n) return {0, {}};
  return {edge, {me % edge, me / edge % edge, me / edge / edge}};
}

}  // namespace

int main(int argc, char** argv) {
  lulesh::options o;
  lulesh::place_in_cube const place = find_place();
  bool const speaks = amity::rank_me() == 0;
  if (!o.read(argc, argv) || place.edge == 0) {
    if (speaks) std::fputs(place.edge == 0 ? "lulesh: takes 1, 8, 27, ... processes\n" : o.usage, stderr);
    return 1;
  }
  lulesh::domain d(o.edge, place);
  lulesh::clock t = lulesh::explode(d);
  lulesh::exchange neighbours(d);
  amity::barrier_all();
  auto const start = std::chrono::steady_clock::now();
  lulesh::run<lulesh::amity_loops>(d, t, o.steps, neighbours);
  double const mine = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  double const seconds = amity::reduce_all(mine, amity::op_fast_max).get();

  bool const right = !speaks || report(o, d, t, seconds);
  bool const all_right = amity::reduce_all(static_cast<int>(right), amity::op_fast_min).get() == 1;
  amity::barrier_all();  // nobody's memory goes before the others have read it
  return all_right ? 0 : 1;
}
