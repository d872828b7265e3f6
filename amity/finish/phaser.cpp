#include "amity/finish/phaser.hpp"

#include <mutex>

#include "amity/sync/condition_variable.hpp"
#include "amity/sync/mutex.hpp"

namespace amity::detail {

/// Who waits for it is said to wait for a phaser.
class phase_variable : public sync::condition_variable {
 public:
  template <class Lock, class Predicate>
  void wait(Lock& lock, Predicate done) noexcept {
    while (!done()) block(lock, sched::never, nothing, sched::wait_kind::phaser);
  }
};

/// All under the lock. `late`: those who signal and have not signalled the current phase; when it comes to 0, the next
/// phase begins.
struct phaser_core {
  sync::mutex lock;
  phase_variable advanced;
  std::uint64_t phase = 0;
  std::uint64_t late = 0;
  std::uint64_t signallers = 0;
  std::uint64_t furthest = 0;  ///< phases that somebody had signalled who has left
  registration* first = nullptr;
};

namespace {

bool signals(const registration& r) noexcept { return (static_cast<unsigned>(r.mode) & 1u) != 0; }
bool waits(const registration& r) noexcept { return (static_cast<unsigned>(r.mode) & 2u) != 0; }

/// Begins phases as long as all signals for the current one are there: those who are ahead may have given some.
void advance(phaser_core& c) noexcept {
  while (c.late == 0 && c.signallers != 0) {
    ++c.phase;
    for (const registration* r = c.first; r != nullptr; r = r->next)
      if (signals(*r) && r->signalled == c.phase) ++c.late;
  }
  c.advanced.notify_all();
}

void signal_locked(phaser_core& c, registration& r) noexcept {
  if (r.signalled++ == c.phase && --c.late == 0) advance(c);
}

}  // namespace

std::shared_ptr<phaser_core> new_phaser() { return std::make_shared<phaser_core>(); }

void register_with(registration& r, const registration* parent) {
  phaser_core& c = *r.core;
  if (parent != nullptr && (static_cast<unsigned>(r.mode) & ~static_cast<unsigned>(parent->mode)) != 0)
    throw phaser_error("amity: async_phased: a task can't be registered with a mode that its parent has not");
  std::lock_guard guard(c.lock);
  // Where the parent is: it has to signal what the parent has not signalled.
  r.signalled = parent != nullptr && signals(*parent) ? parent->signalled : c.phase;
  r.passed = parent != nullptr ? parent->passed : c.phase;
  if (signals(r)) {
    ++c.signallers;
    if (r.signalled == c.phase) ++c.late;
  }
  r.active = true;
  r.next = c.first;
  c.first = &r;
}

void signal(registration& r) {
  if (!signals(r)) throw phaser_error("amity: phaser::signal: the task is registered to wait only");
  phaser_core& c = *r.core;
  std::lock_guard guard(c.lock);
  if (waits(r) && r.signalled > r.passed) return;  // done already; only those who never wait may be ahead
  signal_locked(c, r);
}

void next_phase(registration& r) {
  phaser_core& c = *r.core;
  std::unique_lock guard(c.lock);
  if (signals(r) && (!waits(r) || r.signalled == r.passed)) signal_locked(c, r);
  ++r.passed;
  // Without anybody who signals there is nothing to wait for.
  if (waits(r)) c.advanced.wait(guard, [&] { return c.phase >= r.passed || c.signallers == 0; });
}

void deregister(registration& r) noexcept {
  if (!r.active) return;
  phaser_core& c = *r.core;
  std::lock_guard guard(c.lock);
  r.active = false;
  registration** link = &c.first;
  while (*link != &r) link = &(*link)->next;
  *link = r.next;
  if (!signals(r)) return;
  --c.signallers;
  if (r.signalled == c.phase) --c.late;
  if (c.furthest < r.signalled) c.furthest = r.signalled;
  // Nobody is left whom a phase could wait for: what was signalled ahead is over.
  if (c.signallers == 0 && c.phase < c.furthest) c.phase = c.furthest;
  if (c.late == 0) advance(c);
}

std::uint64_t phase_of(phaser_core& core) noexcept {
  std::lock_guard guard(core.lock);
  return core.phase;
}

void throw_not_registered() {
  throw phaser_error("amity: phaser: the calling task is not registered with it; async_phased registers one");
}

}  // namespace amity::detail
