#pragma once

// What the program is asked for, and what it says in the end.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "clock.hpp"
#include "domain.hpp"

namespace lulesh {

struct options {
  int edge = 30;  // elements along the edge of each process's cube
  int steps = std::numeric_limits<int>::max();
  bool quiet = false;

  // Whether they make sense.
  bool read(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      bool const has_number = i + 1 < argc;
      if (std::strcmp(argv[i], "-q") == 0)
        quiet = true;
      else if (std::strcmp(argv[i], "-s") == 0 && has_number)
        edge = std::atoi(argv[++i]);
      else if (std::strcmp(argv[i], "-i") == 0 && has_number)
        steps = std::atoi(argv[++i]);
      else
        return false;
    }
    return edge > 0 && edge <= 500 && steps > 0;
  }
  static constexpr const char* usage = "usage: lulesh [-s ELEMENTS_PER_EDGE] [-i STEPS] [-q]\n";
};

// What Livermore's LULESH 2.0.3 finds for a whole mesh: the energy at the origin, at the end or after some steps.
struct known_run {
  int whole_edge;
  bool to_end;
  int steps;
  double energy;
};
inline constexpr known_run known_runs[] = {
    {5, false, 10, 3.2459552444401223e+04},  {5, false, 50, 1.0130994942936148e+04},
    {10, false, 50, 8.1047957518451338e+04}, {15, false, 50, 2.7353685662753944e+05},
    {20, false, 50, 6.4838366014940536e+05}, {30, false, 20, 4.3803657644867636e+06},
    {30, false, 50, 2.1882948529948052e+06}, {40, false, 50, 5.1870692811597763e+06},
    {5, true, 72, 7.8536651021458447e+03},   {10, true, 231, 2.7205311684703469e+04},
    {15, true, 400, 5.7028937933283960e+04}, {20, true, 575, 9.6688559815778353e+04},
    {30, true, 932, 2.0250747850719938e+05}};

// Null: not known.
inline const known_run* find_known(int whole_edge, const clock& t) {
  for (const known_run& k : known_runs)
    if (k.whole_edge == whole_edge && (t.at_end() ? k.to_end : k.steps == t.steps)) return &k;
  return nullptr;
}

// The blast is the same along x and along y: how much the energies at z = 0 differ.
struct asymmetry {
  double largest = 0, total = 0, largest_relative = 0;

  explicit asymmetry(const domain& d) {
    for (int j = 0; j < d.edge; ++j)
      for (int i = j + 1; i < d.edge; ++i) {
        double const a = d.energy[i + d.edge * j], b = d.energy[j + d.edge * i], difference = std::fabs(a - b);
        largest = std::max(largest, difference);
        total += difference;
        if (difference > 0) largest_relative = std::max(largest_relative, difference / std::fabs(b));
      }
  }
};

// To be called where the origin is. Whether the result is right, as far as one knows.
inline bool report(const options& o, const domain& d, const clock& t, double seconds) {
  int const whole_edge = d.edge * d.place.edge, processes = d.place.edge * d.place.edge * d.place.edge;
  asymmetry const differences(d);
  const known_run* const known = find_known(whole_edge, t);
  double const error = known != nullptr ? std::fabs(d.energy[0] / known->energy - 1) : 0;
  bool const as_known = known == nullptr || (known->steps == t.steps && error < 1e-8);
  bool const right = as_known && d.energy[0] > 0 && differences.largest_relative < 1e-8;
  if (!o.quiet) {
    double const zones = static_cast<double>(d.elements) * processes * t.steps;
    std::printf("mesh:              %d^3 elements in %d processes\n", whole_edge, processes);
    std::printf("time:              %.6e after %d steps\n", t.time, t.steps);
    std::printf("energy at origin:  %.12e\n", d.energy[0]);
    std::printf("asymmetry:         %.3e at most, %.3e in all, %.3e relative\n", differences.largest, differences.total,
                differences.largest_relative);
    std::printf("elapsed:           %.3f s\n", seconds);
    std::printf("figure of merit:   %.6e zones/s\n", zones / seconds);
  }
  std::printf("%d^3 elements, %d steps: ", whole_edge, t.steps);
  if (known != nullptr)
    std::printf("energy off by %.1e: %s\n", error, right ? "right" : "wrong");
  else
    std::printf("nothing known to compare with, %s\n", right ? "symmetric" : "not symmetric: wrong");
  return right;
}

}  // namespace lulesh
