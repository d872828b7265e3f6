// For programs of several processes that check themselves: each rank says what is wrong, and rank 0 says `ok` if
// nothing was on any.
#pragma once

#include <atomic>
#include <cstdio>
#include <string>

#include "amity/amity.hpp"

namespace test {

inline std::atomic<int> wrong{0};

inline void check(bool holds, const std::string& what) {
  if (holds) return;
  std::printf("rank %d: wrong: %s\n", amity::rank_me(), what.c_str());
  std::fflush(stdout);
  ++wrong;
}

// What `f` throws of that type, in words; "nothing": it threw nothing.
template <class E, class F>
std::string thrown(F f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  } catch (const std::exception& e) {
    return std::string("another one: ") + e.what();
  }
  return "nothing";
}

// The exit status of all ranks; collective.
inline int end() {
  static std::atomic<int> all{0};
  amity::barrier_all();
  amity::rpc(
      0, [](int n) { all += n; }, wrong.load())
      .get();
  amity::barrier_all();
  if (amity::rank_me() == 0 && all == 0) std::puts("ok");
  return wrong != 0;
}

}  // namespace test
