// What an example takes, for those who ask: `fib --help`.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

// Ends the program if its first argument is an option: no example has others.
inline void answer_help(int argc, char** argv, const char* takes) {
  if (argc < 2 || argv[1][0] != '-') return;
  bool const asked = std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0;
  std::fprintf(asked ? stdout : stderr, "usage: %s %s\n", argv[0], takes);
  std::exit(asked ? EXIT_SUCCESS : EXIT_FAILURE);
}
