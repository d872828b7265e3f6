#pragma once

// For the tests of this module.

#include <thread>
#include <vector>

namespace amity::sync {

/// Calls work(0) to work(n - 1), each on a thread of the program's, and waits for all.
template <class Work>
void run_threads(int n, Work work) {
  std::vector<std::thread> all;
  for (int i = 0; i < n; ++i) all.emplace_back([&, i] { work(i); });
  for (auto& one : all) one.join();
}

}  // namespace amity::sync
