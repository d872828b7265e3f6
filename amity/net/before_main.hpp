#pragma once

/// The time before `main`, while static objects of the program are made. A process may join its job in one's
/// constructor. Then others may call it that are further, with functions that use objects which this process has not
/// made. Such calls wait here until its `main` begins: README.md, "Before main".

#include <atomic>

#include "amity/base/config.hpp"
#include "amity/base/language.hpp"

namespace amity::sched {
struct task;
}

namespace amity::net {

namespace detail {
/// Written by the main thread. Others only take it as a hint, or look again under a lock (keep_until_main).
AMITY_API extern std::atomic<bool> before_main;
}  // namespace detail

/// `main` has not begun. False where that can't be known: in a program that has loaded this library by dlopen.
[[nodiscard]] inline bool is_before_main() noexcept { return detail::before_main.load(std::memory_order_relaxed); }

/// True: the task is queued when `main` begins. False: `main` has begun.
[[nodiscard]] AMITY_API bool keep_until_main(sched::task& t) noexcept;

}  // namespace amity::net
