#include "amity/sched/host/internal/last_thread.hpp"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>

#include "amity/sched/cores/guest_load.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/fiber/registry.hpp"
#include "amity/sched/loop/monitor_state.hpp"
#include "amity/sched/loop/upcalls.hpp"
#include "amity/sys/thread_activity.hpp"

namespace amity::sched {
namespace {

using std::memory_order_relaxed;

/// The initial thread has left, and others that are no guests were there when the last guest went. A hint to the
/// monitor, which looks again.
std::atomic<bool> watched{false};

/// The initial thread ended as a guest: for the kernel it is there until its last destructor has run, which may be long
/// after the program's last thread went. Relaxed: stored under the pool's lock, which whoever ends later has held.
std::atomic<bool> initial_thread_left{false};

bool is_of_the_pool(int thread) noexcept {
  if (thread == monitor_thread()) return true;
  for (const fiber* f = first_known(); f != nullptr; f = f->next_known) {
    const carrier& c = *f->native;
    if (c.kind != carrier_kind::guest && c.thread_id.load(memory_order_relaxed) == thread) return true;
  }
  return false;
}

/// Besides the calling thread. In doubt there are some: a thread of the pool may be on its way to its first line.
bool sees_threads_of_the_program() noexcept {
  DIR* const folder = opendir("/proc/self/task");
  if (folder == nullptr) return true;
  bool found = false;
  while (const dirent* const entry = found ? nullptr : readdir(folder)) {
    int const thread = atoi(entry->d_name);  // 0: "." and ".."
    found = thread != 0 && thread != gettid() && !is_of_the_pool(thread) && !sys::has_ended(thread);
  }
  closedir(folder);
  return found;
}

/// Looks twice before it says no: a thread that ends while the folder is read moves those behind it up by one place,
/// and the kernel counts places.
bool has_threads_of_the_program() noexcept { return sees_threads_of_the_program() || sees_threads_of_the_program(); }

/// On a stack of its own: what runs at exit is the program's.
void* leave(void*) { exit(0); }

}  // namespace

void note_leaving_guest() noexcept {
  if (gettid() == getpid()) initial_thread_left.store(true, memory_order_relaxed);
}

void end_with_the_last() noexcept {
  if (initial_thread_left.load(memory_order_relaxed) || sys::has_ended(getpid())) {
    if (!has_threads_of_the_program()) exit(0);
    watched.store(true, memory_order_relaxed);
  }
  // Else it never was a guest, and nothing tells whether it stays or is in its last destructors.
  if (ensure_monitor()) arm_monitor();
}

bool awaits_the_last() noexcept { return watched.load(memory_order_relaxed); }

void end_if_all_have_gone() noexcept {
  if (!awaits_the_last()) {
    if (guests_there() != 0 || !sys::has_ended(getpid())) return;
    watched.store(true, memory_order_relaxed);
  }
  if (has_threads_of_the_program()) return;
  watched.store(false, memory_order_relaxed);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, leave, nullptr) != 0) exit(0);
}

void forget_last_thread() noexcept {
  initial_thread_left.store(false, memory_order_relaxed);
  watched.store(false, memory_order_relaxed);
}

}  // namespace amity::sched
