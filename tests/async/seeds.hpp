#pragma once

/// The main program of a test that is right or wrong for each seed. Its arguments: [first seed] [count].
///
///     int main(int argc, char** argv) { return run_seeds(argc, argv, 40, [](unsigned seed) { return run(seed); }); }

#include <cstdio>
#include <cstdlib>

#include "watchdog.hpp"

/// Says which seeds are wrong, and at last `ok` or `failed`; gives the exit status. `count`: seeds, if nobody says.
template <class Holds>
int run_seeds(int argc, char** argv, unsigned count, Holds holds) {
  unsigned const first = argc > 1 ? static_cast<unsigned>(std::atol(argv[1])) : 1;
  if (argc > 2) count = static_cast<unsigned>(std::atol(argv[2]));
  watchdog dog(argv[0]);
  bool right = true;
  for (unsigned seed = first; seed < first + count; ++seed) {
    dog.at(seed);
    if (holds(seed)) continue;
    std::printf("seed %u: wrong\n", seed);
    right = false;
  }
  std::puts(right ? "ok" : "failed");
  return !right;
}
