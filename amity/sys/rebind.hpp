#pragma once

/// Leads calls that other objects of the process make elsewhere.
///
///     rebind_calls("sched_yield", reinterpret_cast<void*>(&mine), [](const char* needs) { return is_openmp(needs); });

#include <span>

#include "amity/base/config.hpp"

namespace amity::sys {

/// Calls of the C function `name` lead to `function`.
struct rebinding {
  const char* name;
  void* function;
};

/// Calls by each object that is loaded now, and that needs a library of which `concerns` says true, lead elsewhere from
/// now on: those through a procedure linkage table, and those of code that was compiled without one (-fno-plt), whose
/// pointers to the function are the same ones; read-only tables (-z now), too. Those in flight, and those through a
/// pointer that the program took before, go where they went. The object that the functions are in is left alone.
/// `concerns` null: all objects. How many slots were changed.
AMITY_API int rebind_calls(std::span<const rebinding> calls, bool (*concerns)(const char* needed)) noexcept;

/// A function of the C library, for those that stand in its place: two copies of this code in one process (the program
/// `amity`, and the library that is preloaded into it) rebind each other's calls, and would call one another for ever.
/// This pointer is in no table that is changed. Volatile: else the compiler makes a call of it that is.
template <auto* Function>
inline auto* volatile not_rebound = Function;

/// The same for one function.
AMITY_API int rebind_calls(const char* name, void* function, bool (*concerns)(const char* needed)) noexcept;

}  // namespace amity::sys
