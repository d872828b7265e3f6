#pragma once

// The end of a step: viscosity of shocks, the equation of state, and how long the next step may be.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "clock.hpp"
#include "domain.hpp"

namespace lulesh {

// What holds the shock together: a part that grows with the speed of compression, and one with its square.
struct shock {
  double linear = 0, quadratic = 0;
};

// 1 in a smooth flow, where the neighbours along an axis are strained alike; 0 where they are not.
inline double smoothness(double own, double before, double behind) {
  double const norm = 1 / (own + 1e-36);
  before *= norm;
  behind *= norm;
  return std::clamp(std::min({(before + behind) / 2, 2 * before, 2 * behind}), 0.0, 1.0);
}

// R. Christensen's monotonic viscosity.
inline shock shock_of(const domain& d, int e) {
  if (d.expansion[e] > 0) return {};
  shock sum;
  const auto& beside = d.beside[e];
  auto const add = [&](double vec3::*axis, int number) {
    double const own = d.strain[e].*axis;
    double const smooth = smoothness(own, d.strain[beside[2 * number]].*axis, d.strain[beside[2 * number + 1]].*axis);
    double const compression = std::min(0.0, own * (d.thickness[e].*axis));
    sum.linear += compression * (1 - smooth);
    sum.quadratic += compression * compression * (1 - smooth * smooth);
  };
  add(&vec3::x, 0);
  add(&vec3::y, 1);
  add(&vec3::z, 2);
  double const density = d.mass[e] / (d.first_volume[e] * d.volume[e]);
  return {-0.5 * density * sum.linear, 2.0 / 3 * density * sum.quadratic};
}

// An ideal gas, whose numbers below a cut are zero.
struct gas {
  static constexpr double cut = 1e-7, least_energy = -1e15, two_thirds = 2.0 / 3;

  double energy, pressure = 0;

  static double cut_off(double x) { return std::fabs(x) < cut ? 0.0 : x; }
  static gas of(double energy, double compression) {
    return {energy, std::max(0.0, cut_off(two_thirds * (compression + 1) * energy))};
  }
  [[nodiscard]] double sound_speed(double compression, double volume) const {
    double const square = two_thirds * energy + volume * volume * two_thirds * (compression + 1) * pressure;
    return square <= 1.111111e-37 ? 3.333333e-19 : std::sqrt(square);
  }
};

// The energy at the end of the step follows from the work of pressure and viscosity, which follow from the energy: it
// is found by going half the step, then twice to its end.
inline void compress(domain& d, int e, const shock& s) {
  double const volume = std::clamp(d.volume[e], 1e-9, 1e9), change = d.volume_change[e];
  double const compression = 1 / volume - 1, half_compression = 1 / (volume - change / 2) - 1;
  double const before = d.pressure[e] + d.viscosity[e];
  auto const viscosity = [&](const gas& g, double at_compression, double at_volume) {
    return change > 0 ? 0.0 : g.sound_speed(at_compression, at_volume) * s.linear + s.quadratic;
  };
  auto const bounded = [](double energy) { return std::max(energy, gas::least_energy); };

  gas const half = gas::of(bounded(d.energy[e] - change / 2 * before), half_compression);
  double const between = half.pressure + viscosity(half, half_compression, 1 / (1 + half_compression));
  gas now = gas::of(bounded(gas::cut_off(half.energy + change / 2 * (3 * before - 4 * between))), compression);
  double const after = now.pressure + viscosity(now, compression, volume);
  now = gas::of(bounded(gas::cut_off(now.energy - (7 * before - 8 * between + after) * change / 6)), compression);

  d.viscosity[e] = change > 0 ? 0.0 : gas::cut_off(viscosity(now, compression, volume));
  d.energy[e] = now.energy;
  d.pressure[e] = now.pressure;
  d.sound_speed[e] = now.sound_speed(compression, volume);
  if (std::fabs(d.volume[e] - 1) < 1e-10) d.volume[e] = 1;
}

// An element that is not deformed bears any step.
inline step_limits limits_of(const domain& d, int e) {
  double const expansion = d.expansion[e], speed = d.sound_speed[e], way = d.way[e];
  if (expansion == 0) return {};
  double square = speed * speed;
  if (expansion < 0) square += 256 * way * way * expansion * expansion;  // the shock is faster than sound
  return {way / std::sqrt(square), 0.1 / (std::fabs(expansion) + 1e-20)};
}

template <class Loops>
step_limits respond(domain& d) {
  return Loops::least(d.elements, step_limits(), [&d](int e) {
    compress(d, e, shock_of(d, e));
    if (d.viscosity[e] > 1e12) throw std::domain_error("the viscosity of an element is out of bounds");
    return limits_of(d, e);
  });
}

}  // namespace lulesh
