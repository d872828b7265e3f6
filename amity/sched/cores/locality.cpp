#include "amity/sched/cores/locality.hpp"

#include <pthread.h>

#include <mutex>

#include "amity/base/lasting.hpp"

namespace amity::sched {

constinit sys::spin_lock affinity_lock;

namespace {

constinit base::lasting<sys::cpu_mask> kept;
sys::cpu_mask& everywhere = kept.value;
std::atomic<bool> somebody_is_confined{false};  // relaxed: a thread that is made by a confined one comes after it

bool move(pthread_t thread, const sys::cpu_mask& cpus) noexcept {
  std::lock_guard const nobody_moves_itself(affinity_lock);
  return !cpus.empty() && pthread_setaffinity_np(thread, cpus.bytes(), cpus.native()) == 0;
}

}  // namespace

bool confine(carrier& c, int locality, const sys::cpu_mask& cpus) noexcept {
  if (c.core.locality.load(std::memory_order_relaxed) == locality) return true;
  somebody_is_confined.store(true, std::memory_order_relaxed);
  c.core.locality.store(locality, std::memory_order_relaxed);
  return move(c.thread, cpus);
}

void release(carrier& c) noexcept {
  if (c.core.locality.exchange(0, std::memory_order_relaxed) != 0) move(c.thread, everywhere);
}

void set_free(pthread_t thread) noexcept {
  if (somebody_is_confined.load(std::memory_order_relaxed)) move(thread, everywhere);
}

sys::cpu_mask cpus_of(const carrier& c) noexcept {
  sys::cpu_mask cpus = everywhere.copy();
  std::lock_guard const it_does_not_move(affinity_lock);
  pthread_getaffinity_np(c.thread, cpus.bytes(), const_cast<cpu_set_t*>(cpus.native()));
  return cpus;
}

void stay_confined(carrier& c, const sys::cpu_mask& cpus) noexcept {
  if (c.core.locality.load(std::memory_order_relaxed) != 0) move(c.thread, cpus);
}

const sys::cpu_mask& process_cpus() noexcept { return everywhere; }

void remember_cpus() noexcept { everywhere = sys::cpu_mask::of_calling_thread(); }

}  // namespace amity::sched
