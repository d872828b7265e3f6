// The locks of programs that gcc before 4.4 compiled (OpenMP 2.5): omp_*_lock@OMP_1.0. Their nestable lock is two ints,
// aligned as such, and belongs to the thread that set it.
#include <atomic>
#include <cstdint>
#include <new>

#include "amity/sync/mutex.hpp"
#include "amity/sync/parking.hpp"

using amity::sync::mutex;

namespace {

// A number for each thread; one word of TLS for programs of before 2009.
std::uint32_t my_number() noexcept {
  static std::atomic<std::uint32_t> numbers{0};
  static __thread std::uint32_t mine = 0;
  if (mine == 0) mine = numbers.fetch_add(1, std::memory_order_relaxed) + 1;  // relaxed: only has to differ
  return mine;
}

struct old_nest_lock {
  std::atomic<std::uint32_t> owner;  // 0: free
  std::uint32_t depth;               // the owner's

  int try_lock() noexcept {
    const std::uint32_t me = my_number();
    // Relaxed: nobody but us stores our number.
    if (owner.load(std::memory_order_relaxed) == me) return static_cast<int>(++depth);
    std::uint32_t nobody = 0;
    if (!owner.compare_exchange_strong(nobody, me, std::memory_order_acquire,
                                       std::memory_order_relaxed))  // pairs with unlock
      return 0;
    return static_cast<int>(depth = 1);
  }
  void lock() noexcept {
    while (try_lock() == 0) amity::sync::park_at(this, [this] { return owner.load(std::memory_order_relaxed) != 0; });
  }
  void unlock() noexcept {
    if (--depth != 0) return;
    owner.store(0, std::memory_order_release);  // pairs with try_lock
    amity::sync::unpark_some(this, 1);          // always: there is no room to note that somebody waits
  }
};
static_assert(sizeof(old_nest_lock) == 8 && alignof(old_nest_lock) == 4);

}  // namespace

extern "C" {

void omp_init_lock_at_OMP_1_0(mutex* lock) { new (lock) mutex; }
void omp_destroy_lock_at_OMP_1_0(mutex*) {}
void omp_set_lock_at_OMP_1_0(mutex* lock) { lock->lock(); }
void omp_unset_lock_at_OMP_1_0(mutex* lock) { lock->unlock(); }
int omp_test_lock_at_OMP_1_0(mutex* lock) { return lock->try_lock(); }

void omp_init_nest_lock_at_OMP_1_0(old_nest_lock* lock) { new (lock) old_nest_lock{}; }
void omp_destroy_nest_lock_at_OMP_1_0(old_nest_lock*) {}
void omp_set_nest_lock_at_OMP_1_0(old_nest_lock* lock) { lock->lock(); }
void omp_unset_nest_lock_at_OMP_1_0(old_nest_lock* lock) { lock->unlock(); }
int omp_test_nest_lock_at_OMP_1_0(old_nest_lock* lock) { return lock->try_lock(); }

void omp_init_lock__at_OMP_1_0(mutex* lock) { new (lock) mutex; }
void omp_destroy_lock__at_OMP_1_0(mutex*) {}
void omp_set_lock__at_OMP_1_0(mutex* lock) { lock->lock(); }
void omp_unset_lock__at_OMP_1_0(mutex* lock) { lock->unlock(); }
int omp_test_lock__at_OMP_1_0(mutex* lock) { return lock->try_lock(); }

void omp_init_nest_lock__at_OMP_1_0(old_nest_lock* lock) { new (lock) old_nest_lock{}; }
void omp_destroy_nest_lock__at_OMP_1_0(old_nest_lock*) {}
void omp_set_nest_lock__at_OMP_1_0(old_nest_lock* lock) { lock->lock(); }
void omp_unset_nest_lock__at_OMP_1_0(old_nest_lock* lock) { lock->unlock(); }
int omp_test_nest_lock__at_OMP_1_0(old_nest_lock* lock) { return lock->try_lock(); }

}  // extern "C"
