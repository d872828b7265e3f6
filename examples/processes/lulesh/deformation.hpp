#pragma once

// The second half of a step begins: what the motion of the nodes has made of the elements.
#include <cmath>

#include "domain.hpp"

namespace lulesh {

// How fast the volume grows, over the volume, from the axes and their change.
inline double expansion_of(const axes& a, const axes& change) {
  axes const areas = across(a);
  return (dot(change.xi, areas.xi) + dot(change.eta, areas.eta) + dot(change.zeta, areas.zeta)) / dot(a.eta, areas.eta);
}

template <class Loops>
void deform_elements(domain& d, double dt) {
  Loops::each(d.elements, [&d, dt](int e) {
    corners const p = d.at_corners(d.position, e), v = d.at_corners(d.velocity, e);
    double const volume = lulesh::volume(p), relative = volume / d.first_volume[e];
    if (relative <= 0) tell_of_lost_volume();
    d.volume_change[e] = relative - d.volume[e];
    d.volume[e] = relative;
    d.way[e] = shortest_way(p, volume);

    axes const a = axes_of(p), change = axes_of(v), areas = across(a);
    double const back = -dt / 2;  // in the middle of the step
    d.expansion[e] =
        expansion_of({a.xi + back * change.xi, a.eta + back * change.eta, a.zeta + back * change.zeta}, change);

    // From face to face an axis goes twice its length, and the areas are four times as large.
    constexpr double tiny = 1e-36;
    auto const thickness = [volume](const vec3& area) { return volume / std::sqrt(16 * dot(area, area) + tiny); };
    auto const strain = [volume](const vec3& area, const vec3& faster) {
      return 8 * dot(area, faster) / (volume + tiny);
    };
    d.thickness[e] = {thickness(areas.xi), thickness(areas.eta), thickness(areas.zeta)};
    d.strain[e] = {strain(areas.xi, change.xi), strain(areas.eta, change.eta), strain(areas.zeta, change.zeta)};
  });
}

}  // namespace lulesh
