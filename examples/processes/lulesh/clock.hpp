#pragma once

// How far each step goes.
#include <cmath>

namespace lulesh {

// The longest steps that the elements bear.
struct step_limits {
  double courant = 1e20;  // a wave must not go through an element
  double hydro = 1e20;    // and no volume change too much

  void lower(const step_limits& other) {
    if (other.courant < courant) courant = other.courant;
    if (other.hydro < hydro) hydro = other.hydro;
  }
};

struct clock {
  static constexpr double end = 1e-2, longest = 1e-2;

  double time = 0, step;
  int steps = 0;
  step_limits limits;  // from the step before

  explicit clock(double first_step) : step(first_step) {}
  [[nodiscard]] bool at_end() const { return time >= end; }

  // Begins a step. It may be at most 1.2 times as long as the one before; one that would be less than 1.1 times as long
  // stays as it was.
  void tick() {
    if (steps != 0) {
      double wanted = 1e20;
      if (limits.courant < wanted) wanted = limits.courant / 2;
      if (limits.hydro < wanted) wanted = limits.hydro * 2 / 3;
      double const ratio = wanted / step;
      if (ratio >= 1 && ratio < 1.1)
        wanted = step;
      else if (ratio > 1.2)
        wanted = step * 1.2;
      step = std::fmin(wanted, longest);
    }
    // Neither beyond the end, nor so near to it that the last step would be very short.
    double left = end - time;
    if (left > step && left < 4 * step / 3) left = 2 * step / 3;
    if (left < step) step = left;
    time += step;
    ++steps;
  }
};

}  // namespace lulesh
