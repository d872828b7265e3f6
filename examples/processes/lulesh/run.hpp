#pragma once

// The explosion, step by step. `Loops` says how loops are parallel, `Neighbours` what other processes have to do with
// it.
#include <cmath>

#include "clock.hpp"
#include "deformation.hpp"
#include "domain.hpp"
#include "gas.hpp"
#include "motion.hpp"

namespace lulesh {

// For one process.
struct no_neighbours {
  static void add_up(std::vector<vec3>&) {}
  static void agree(std::vector<vec3>&, std::vector<vec3>&) {}
  static void show(std::vector<vec3>&) {}
  static step_limits least(const step_limits& mine) { return mine; }
};

// All energy is in the element at the origin; how much depends on the size of the mesh, so that the blast comes as far
// in any of them. The first step is short enough for it.
inline clock explode(domain& d) {
  double const scale = d.edge * d.place.edge / 45.0;
  double const energy = 3.948746e+7 * scale * scale * scale;
  if (d.place.at == std::array<int, 3>{}) d.energy[0] = energy;
  return clock(0.5 * std::cbrt(d.first_volume[0]) / std::sqrt(2 * energy));
}

template <class Loops, class Neighbours>
void run(domain& d, clock& t, int most_steps, Neighbours& others) {
  // Masses are added up as forces will be.
  for (int n = 0; n < d.nodes; ++n) d.force[n].x = d.node_mass[n];
  others.add_up(d.force);
  for (int n = 0; n < d.nodes; ++n) d.node_mass[n] = d.force[n].x;

  while (!t.at_end() && t.steps < most_steps) {
    t.tick();
    find_corner_forces<Loops>(d);
    gather_forces<Loops>(d);
    others.add_up(d.force);
    move_nodes<Loops>(d, t.step);
    others.agree(d.position, d.velocity);
    deform_elements<Loops>(d, t.step);
    others.show(d.strain);
    t.limits = others.least(respond<Loops>(d));
  }
}

}  // namespace lulesh
