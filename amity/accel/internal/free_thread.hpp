#pragma once

/// An OS thread that may run on all CPUs of the process. Threads that a driver makes may run where their maker may;
/// and a worker, which opens a driver otherwise, may be bound to one CPU (OMP_PROC_BIND).

namespace amity::accel::detail {

/// Calls `f(of)` on such a thread; here, if there is none. Blocks the OS thread until `f` has returned. `f` waits
/// for nothing of Amity's, and throws nothing.
void call_on_free_thread(void (*f)(void* of) noexcept, void* of) noexcept;

template <class F>
void on_free_thread(F f) noexcept {
  call_on_free_thread([](void* of) noexcept { (*static_cast<F*>(of))(); }, &f);
}

}  // namespace amity::accel::detail
