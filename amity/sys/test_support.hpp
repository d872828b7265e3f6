#pragma once

/// What the tests of several modules need from the system.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "amity/base/config.hpp"
#include "amity/sys/thread_activity.hpp"

namespace amity::sys {

/// fork(), for a test whose child goes on to use memory.
/// AddressSanitizer's allocator of gcc 12 has locks of its own and doesn't know about fork: if another thread holds one
/// at that moment (a thread that is being started does), the child waits for it for ever. So under it this waits, for
/// ten seconds at most, until all other threads sleep in the kernel. glibc's allocator needs no such care.
inline pid_t fork_for_test() {
  auto const others_sleep = [] {
    for (auto const& entry : std::filesystem::directory_iterator("/proc/self/task")) {
      int const tid = std::atoi(entry.path().filename().c_str());
      if (tid != gettid() && !is_blocked(tid)) return false;
    }
    return true;
  };
  if constexpr (base::address_sanitizer) {
    for (int i = 0; i < 10'000 && !others_sleep(); ++i) usleep(1000);
  }
  return fork();
}

}  // namespace amity::sys
