#pragma once

// The first half of a step: what forces the elements put on their corners, and how the nodes move.
#include <cmath>

#include "domain.hpp"

namespace lulesh {

// An element has one pressure, which hinders only motions that change its volume at its centre. Four others, the
// "hourglasses", would grow without end. A viscosity damps them: D. Flanagan and T. Belytschko, "A uniform strain
// hexahedron and quadrilateral with orthogonal hourglass control", 1981.
inline void add_hourglass_damping(const corners& p, const corners& v, const corners& gradient, double volume,
                                  double strength, corners& force) {
  constexpr double shapes[4][8] = {{1, 1, -1, -1, -1, -1, 1, 1},
                                   {1, -1, -1, 1, -1, 1, 1, -1},
                                   {1, -1, 1, -1, 1, -1, 1, -1},
                                   {-1, 1, -1, 1, 1, -1, 1, -1}};
  for (const auto& shape : shapes) {
    vec3 const in_place = 1 / volume * sum(shape, p);
    // The shape, less what a mere deformation of the element has of it.
    double pure[8];
    for (int c = 0; c < 8; ++c) pure[c] = shape[c] - dot(gradient[c], in_place);
    vec3 const against = strength * sum(pure, v);
    for (int c = 0; c < 8; ++c) force.add(c, pure[c] * against);
  }
}

template <class Loops>
void find_corner_forces(domain& d) {
  constexpr double damping = 3.0 * 0.01;
  Loops::each(d.elements, [&d](int e) {
    corners const p = d.at_corners(d.position, e), v = d.at_corners(d.velocity, e);
    axes const a = axes_of(p);
    if (dot(a.eta, across(a).eta) <= 0) tell_of_lost_volume();
    surface const s(p);
    double const pressure = d.pressure[e] + d.viscosity[e];
    corners force;
    for (int c = 0; c < 8; ++c) force.set(c, pressure * s.area[c]);
    double const volume = d.first_volume[e] * d.volume[e];
    add_hourglass_damping(p, v, s.gradient, volume, -damping * d.sound_speed[e] * d.mass[e] / std::cbrt(volume), force);
    for (int c = 0; c < 8; ++c) d.corner_force[8 * e + c] = force[c];
  });
}

// Each node gathers its own, so no two tasks write to the same place, and the order of additions is always the same.
template <class Loops>
void gather_forces(domain& d) {
  Loops::each(d.nodes, [&d](int n) {
    vec3 sum;
    for (int corner : d.forces_of_node[n]) sum += d.corner_force[corner];
    d.force[n] = sum;
  });
}

template <class Loops>
void move_nodes(domain& d, double dt) {
  constexpr double too_slow = 1e-7;
  auto const faster = [dt](double v, double force, double mass, bool held) {
    double const now = v + (held ? 0.0 : force / mass) * dt;
    return std::fabs(now) < too_slow ? 0.0 : now;
  };
  Loops::each(d.nodes, [&d, dt, faster](int n) {
    vec3 const f = d.force[n], before = d.velocity[n];
    double const m = d.node_mass[n];
    const auto& held = d.held[n];
    vec3 const v{faster(before.x, f.x, m, held[0]), faster(before.y, f.y, m, held[1]),
                 faster(before.z, f.z, m, held[2])};
    d.velocity[n] = v;
    d.position[n] += dt * v;
  });
}

}  // namespace lulesh
