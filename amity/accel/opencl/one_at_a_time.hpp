#pragma once

/// OpenCL's functions, one call at a time. For drivers that are not safe among threads although OpenCL asks for it.

#include <mutex>

#include "amity/accel/opencl/functions.hpp"

namespace amity::accel::opencl {

/// Recursive: a driver may run an event's callback inside a call, and that callback may ask for the event's state.
inline std::recursive_mutex in_a_call;

/// `one_at_a_time<&functions::Flush>::put_into(table)` has `table.Flush` take the lock and go on to what stood there.
template <auto Member>
struct one_at_a_time;

template <typename R, typename... A, R (*functions::*Member)(A...)>
struct one_at_a_time<Member> {
  static inline R (*there)(A...) = nullptr;

  static R call(A... a) {
    std::lock_guard const one(in_a_call);
    return there(a...);
  }

  static void put_into(functions& all) {
    if (all.*Member == &call) return;
    there = all.*Member;
    all.*Member = &call;
  }
};

}  // namespace amity::accel::opencl
