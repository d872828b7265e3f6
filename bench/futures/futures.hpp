// The problems of this folder, each solved by every program of it in its own way. All of them do next to nothing in a
// step, so that little is measured but the step itself.
//
//   long chain(int n) { ... }                                       // in serial.cpp, tbb.cpp, ...
//   const idiom this_idiom = {.begin = begin, .chain = chain, ...};
//
// What an idiom has no means for is null.
#pragma once

namespace futures {

/// What a step computes: not known to the compiler beforehand.
inline long step(long x) {
  asm volatile("" : "+r"(x));
  return x + 1;
}

struct idiom {
  void (*begin)(int threads);  // before anything else, once
  // n steps one after the other, made before the first of them is begun; the result is n.
  long (*chain)(int n);       // each a task
  long (*chain_sync)(int n);  // each called by the one before it
  // n tasks; the sum of step(0) ... step(n - 1).
  long (*fan)(int n);   // and one that waits for all
  long (*tree)(int n);  // and one for each two, up to the root
  // n times there and back between two that wait for each other; the result is n.
  long (*ping_pong)(int n);
  // n tasks, each awaited before the next one is begun; the sum as above.
  long (*await)(int n);
  // n coroutines, each awaited by the one that began it; the result is n.
  long (*nested)(int n);
  // The values 0 ... n - 1 from a generator; the sum of the steps from there.
  long (*generate)(int n);
};

extern const idiom this_idiom;

}  // namespace futures
