#include "amity/accel/internal/free_thread.hpp"

#include <pthread.h>
#include <signal.h>

#include "amity/sched/cores/locality.hpp"

namespace amity::accel::detail {
namespace {

struct call {
  void (*f)(void*) noexcept;
  void* of;
};

void* run(void* argument) {
  sched::set_free(pthread_self());
  auto* const c = static_cast<call*>(argument);
  // LLVM, which is in some drivers, gives the thread another stack for signals. At the end the thread's own is freed.
  stack_t own{};
  sigaltstack(nullptr, &own);
  c->f(c->of);
  sigaltstack(&own, nullptr);
  return nullptr;
}

}  // namespace

void call_on_free_thread(void (*f)(void*) noexcept, void* of) noexcept {
  call c{f, of};
  // Signals of the process are for threads of the program; the driver's threads inherit that, too.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  int const error = pthread_create(&thread, nullptr, run, &c);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) return f(of);
  pthread_join(thread, nullptr);
}

}  // namespace amity::accel::detail
