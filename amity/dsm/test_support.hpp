#pragma once

/// For tests: a program of several processes, made by fork(), that have some pages in common.
///
///     EXPECT_EQ(run({.processes = 2, .pages = 4}, [](const node& n) {
///       if (n.own == 0) n.word(0) = 1;
///       else while (n.word(0) == 0) {}
///       return true;   // false: it has failed here
///     }), "");

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>

#include "amity/dsm/memory.hpp"
#include "amity/dsm/pager.hpp"

namespace amity::dsm::testing {

struct node {
  int own, count;
  std::byte* base;  ///< the pages: of process 0 first, then as many of process 1, ...
  pager& of_own;

  [[nodiscard]] std::byte* page(int n) const { return base + static_cast<std::size_t>(n) * page_size; }
  /// The first word of a page.
  [[nodiscard]] std::atomic<int>& word(int n, int index = 0) const {
    return reinterpret_cast<std::atomic<int>*>(page(n))[index];
  }
};

struct shape {
  int processes = 2;
  int pages = 4;             ///< of each process
  bool with_delays = false;  ///< each message waits for up to 50 us before it is taken
};

/// What went wrong; empty: nothing. Ends within 240 s.
std::string run(const shape& s, const std::function<bool(const node&)>& body);

/// All processes wait until all have come; `word` is one word of its own page, at first zero, and `round` counts from
/// 0.
void meet(const node& n, std::atomic<int>& word, int round);

}  // namespace amity::dsm::testing
