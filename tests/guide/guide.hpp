// What the programs of this folder have in common: each idiom
// gives a number that is known beforehand.
#pragma once

#include <cstdio>
#include <initializer_list>

namespace guide {

struct idiom {
  const char* name;
  long (*run)();
  long expected;
};

// The main program.
inline int check(std::initializer_list<idiom> idioms) {
  int wrong = 0;
  for (const idiom& i : idioms) {
    long const result = i.run();
    if (result == i.expected) continue;
    std::printf("%s gives %ld, not %ld\n", i.name, result,
                i.expected);
    ++wrong;
  }
  if (wrong == 0) std::puts("ok");
  return wrong;
}

// What the loops work on.
inline constexpr int n = 1000;
inline long f(int i) { return i % 7; }
inline bool rare(int i) { return i == 777; }
inline long fib_serial(int k) {
  return k < 2 ? k : fib_serial(k - 1) + fib_serial(k - 2);
}

template <class Numbers>
long sum_of(const Numbers& numbers) {
  long sum = 0;
  for (auto const x : numbers) sum += static_cast<long>(x);
  return sum;
}

}  // namespace guide
