#include "amity/sched/loop/progress.hpp"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <new>

#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/fiber/registry.hpp"
#include "amity/sched/idle/patience.hpp"
#include "amity/sched/loop/internal/claim.hpp"
#include "amity/sched/loop/internal/progress.hpp"
#include "amity/sched/loop/internal/switch.hpp"
#include "amity/sched/loop/monitor_state.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/loop/upcalls.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/raw_syscall.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::sched {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

std::atomic<progress_source*> first_progress_source{nullptr};

namespace {

/// Held by the fiber that polls or arms, for as long as that takes; guards the list, too.
sys::spin_lock polling;
/// The carrier that sleeps for all sources (E3). Written by carriers in their loops, and read by those that wake it.
std::atomic<carrier*> attendant{nullptr};
/// Relaxed: the monitor only asks whether it has changed.
std::atomic<std::uint64_t> polls{0};

/// Descriptors are -1 until the first attend() of the process. Relaxed: a thread that uses them has seen a
/// source.
std::atomic<int> all_events{-1};  ///< an epoll: those of the sources, each for one event
std::atomic<int> wakes{-1};       ///< an eventfd: by which the attendant is woken without an event

progress_source* first() noexcept {
  return first_progress_source.load(memory_order_acquire);  // pairs with attend
}
progress_source* after(const progress_source& s) noexcept {
  return s.next.load(memory_order_acquire);  // pairs with attend
}

long control(int what, int fd, progress_source* s, std::uint32_t events) noexcept {
  epoll_event event{};
  event.events = events;
  event.data.ptr = s;
  return sys::raw_syscall(SYS_epoll_ctl, all_events.load(memory_order_relaxed), what, fd,
                          reinterpret_cast<long>(&event));
}

/// Under the lock. 0, or the system's error.
int open_descriptors() noexcept {
  if (all_events.load(memory_order_relaxed) >= 0) return 0;
  int const events = epoll_create1(EPOLL_CLOEXEC);
  int const wake = events < 0 ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake < 0) {
    int const error = errno;
    if (events >= 0) close(events);
    return error;
  }
  all_events.store(events, memory_order_relaxed);
  wakes.store(wake, memory_order_relaxed);
  return 0;
}

/// The event of `s` was told: somebody is to poll it (E2).
void fire(progress_source& s) noexcept { s.armed.store(false, memory_order_seq_cst); }

/// Takes what the kernel has told. True: some source has something. In the loop, too.
bool take_events() noexcept {
  constexpr int most = 16;
  epoll_event told[most];
  bool some = false;
  for (long n = most; n == most;) {
    n = sys::raw_syscall(SYS_epoll_pwait, all_events.load(memory_order_relaxed), reinterpret_cast<long>(told), most, 0,
                         0, 0);
    for (long i = 0; i < n; ++i) {
      fire(*static_cast<progress_source*>(told[i].data.ptr));
      some = true;
    }
  }
  return some;
}

/// How long one may sleep beside sources that tell of nothing; 0: there are none that are wanted.
unsigned shortest_nap() noexcept {
  unsigned shortest = 0;
  for (const progress_source* s = first(); s != nullptr; s = after(*s))
    if (s->nap_us != 0 && s->wanted(*s) && (shortest == 0 || s->nap_us < shortest)) shortest = s->nap_us;
  return shortest;
}

/// A nap is over. True: there are sources for which it was one.
bool end_nap() noexcept {
  bool some = false;
  for (progress_source* s = first(); s != nullptr; s = after(*s))
    if (s->nap_us != 0 && s->wanted(*s)) {
      fire(*s);
      some = true;
    }
  return some;
}

/// As what a thread sleeps for events. Wakes are the attendant's alone: the monitor, which may sleep beside it for a
/// moment, must not take one that it was sent (E3).
enum class sleeper { as_attendant, as_monitor };

/// Sleeps until an event, a wake of the attendant's, or for `ns`; below 0: without end.
bool sleep_on_events(long ns, sleeper as) noexcept {
  unsigned const nap = shortest_nap();
  bool const naps = nap != 0 && (ns < 0 || ns > static_cast<long>(nap) * 1000);
  if (naps) ns = static_cast<long>(nap) * 1000;
  timespec limit{ns / 1'000'000'000, ns % 1'000'000'000};
  pollfd any[] = {{all_events.load(memory_order_relaxed), POLLIN, 0}, {wakes.load(memory_order_relaxed), POLLIN, 0}};
  long const ready = sys::raw_syscall(SYS_ppoll, reinterpret_cast<long>(any), as == sleeper::as_attendant ? 2 : 1,
                                      ns < 0 ? 0 : reinterpret_cast<long>(&limit), 0, 0);
  if (ready > 0 && any[1].revents != 0) {
    std::uint64_t count;
    sys::raw_syscall(SYS_read, any[1].fd, reinterpret_cast<long>(&count), sizeof count);
  }
  bool const told = ready > 0 && any[0].revents != 0 && take_events();
  return (naps && ready == 0 && end_nap()) || told;
}

/// Holds `polling` for the calling thread. Its fiber, if it has one, keeps its carrier meanwhile (E5). False: another
/// thread holds it.
class poll_lock {
 public:
  enum class if_taken { wait, give_up };
  explicit poll_lock(if_taken what) noexcept {
    if (what == if_taken::wait)
      polling.lock();
    else if (!polling.try_lock())
      return;
    fiber_ = current_fiber;
    if (fiber_ != nullptr) fiber_->keeps_carrier = true;
    held_ = true;
  }
  poll_lock(const poll_lock&) = delete;
  poll_lock& operator=(const poll_lock&) = delete;
  ~poll_lock() {
    if (!held_) return;
    if (fiber_ != nullptr) fiber_->keeps_carrier = false;
    polling.unlock();
  }
  [[nodiscard]] explicit operator bool() const noexcept { return held_; }

 private:
  fiber* fiber_ = nullptr;
  bool held_ = false;
};

}  // namespace

bool wake_for_progress() noexcept {
  carrier* const c = attendant.load(memory_order_seq_cst);
  if (c != nullptr && wake_carrier(*c, nullptr)) return true;
  for (carrier* v = first_scheduler(); v != nullptr; v = v->next_scheduler)
    if (v->asleep.load(memory_order_seq_cst) != 0 && !is_reserved(*v) && wake_carrier(*v, nullptr)) return true;
  return false;
}

namespace {

/// Under the lock. True: its next event will be told.
bool arm(progress_source& s) noexcept {
  if (s.armed.load(memory_order_relaxed)) return true;
  // Before `arm` looks: what is announced afterwards finds it armed. Dekker with announce_progress (E1).
  s.armed.store(true, memory_order_seq_cst);
  if (s.arm != nullptr && !s.arm(s)) {
    s.armed.store(false, memory_order_relaxed);
    return false;
  }
  // Last: the event may be told at once.
  if (s.fd >= 0 && control(EPOLL_CTL_MOD, s.fd, &s, EPOLLIN | EPOLLRDHUP | EPOLLONESHOT) != 0) fire(s);
  return true;
}

}  // namespace

int attend_without_fiber(progress_source& s) noexcept {
  if (s.is_attended.load(memory_order_acquire)) return 0;  // pairs with the store below: it is in the list
  {
    poll_lock const ours(poll_lock::if_taken::wait);
    if (s.is_attended.load(memory_order_relaxed)) return 0;
    if (int const error = open_descriptors()) return error;
    if (s.fd >= 0)
      if (long const refused = control(EPOLL_CTL_ADD, s.fd, &s, 0)) return static_cast<int>(-refused);
    s.armed.store(false, memory_order_relaxed);
    s.next.store(first_progress_source.load(memory_order_relaxed), memory_order_release);  // pairs with after
    first_progress_source.store(&s, memory_order_seq_cst);  // before the looks at carriers that sleep; pairs with first
    s.is_attended.store(true, memory_order_release);
  }
  stir(s);
  return 0;
}

int attend(progress_source& s) noexcept {
  have_fiber_for_progress();
  return ensure_monitor() ? attend_without_fiber(s) : last_refusal().error;
}

void dismiss(progress_source& s) noexcept {
  poll_lock const ours(poll_lock::if_taken::wait);
  if (!s.is_attended.load(memory_order_relaxed)) return;
  std::atomic<progress_source*>* link = &first_progress_source;
  while (link->load(memory_order_relaxed) != &s) link = &link->load(memory_order_relaxed)->next;
  link->store(s.next.load(memory_order_relaxed), memory_order_release);  // pairs with first and after
  s.is_attended.store(false, memory_order_relaxed);
  if (s.fd >= 0) control(EPOLL_CTL_DEL, s.fd, nullptr, 0);
}

void stir(progress_source& s) noexcept {
  fire(s);
  wake_for_progress();
  arm_monitor();  // where no carrier sleeps, the monitor sees whether any polls (E4)
}

void stir_here(progress_source& s) noexcept {
  fire(s);
  arm_monitor();  // as in stir
}

void announce_progress(progress_source& s) noexcept {
  // The caller has set what the source has, and now reads `armed`; the fiber that arms sets that, then looks (E1). And
  // this clears `armed`, then reads `asleep`; a carrier that sleeps sets that, then looks (E2). All seq_cst.
  if (!s.armed.exchange(false, memory_order_seq_cst)) return;
  if (!wake_for_progress()) arm_monitor();
}

int poll_progress() noexcept {
  poll_lock const ours(poll_lock::if_taken::give_up);
  if (!ours) return 0;
  int taken = 0;
  for (progress_source* s = first(); s != nullptr; s = after(*s)) {
    if (!s->wanted(*s)) continue;
    int const n = s->poll(*s);
    if (n == 0) continue;
    taken += n;
    fire(*s);  // what it has told of may be what was taken just now: it is armed anew
  }
  polls.fetch_add(1, memory_order_relaxed);
  if (taken != 0) arm_monitor();  // E4
  return taken;
}

bool is_polling() noexcept {
  fiber* const f = self_or_null();
  return f != nullptr && f->keeps_carrier;
}

bool progress_in_sight() noexcept {
  for (const progress_source* s = first_progress_source.load(memory_order_seq_cst); s != nullptr; s = after(*s))
    if (!s->armed.load(memory_order_seq_cst) && s->wanted(*s)) return true;
  return false;
}

bool progress_needs_cores() noexcept {
  for (const progress_source* s = first(); s != nullptr; s = after(*s))
    if (s->needs_cores.load(memory_order_relaxed) && s->wanted(*s)) return true;
  return false;
}

bool arm_progress() noexcept {
  poll_lock const ours(poll_lock::if_taken::wait);
  bool all = true;
  for (progress_source* s = first(); s != nullptr; s = after(*s))
    if (s->wanted(*s) && !arm(*s)) all = false;
  return all;
}

bool poll_before_park(fiber& f) noexcept {
  std::uint64_t const begun = sys::ticks();
  do {
    int const taken = poll_progress();
    if (consume_permit(f)) return true;
    // What came may be a task that this fiber waits for; and a fiber that is ready has waited long enough.
    if (taken != 0 || others_ready(*f.on)) return false;
    // A member of a team may park a million times a second; a fiber with tasks waits for what comes from outside.
  } while (f.tasks != nullptr && sys::ticks() - begun < sys::ticks_of_microseconds(patience::before_park_us));
  return false;
}

bool begin_to_attend(carrier& c) noexcept {
  if (c.kind == carrier_kind::shell || is_reserved(c)) return false;
  carrier* nobody = nullptr;
  return attendant.compare_exchange_strong(nobody, &c, memory_order_seq_cst, memory_order_relaxed);
}

void end_attending() noexcept {
  attendant.store(nullptr, memory_order_seq_cst);
  ask_for_monitor();  // E4; it is there (attend): at most it has to be woken
}

void sleep_for_progress(instant due) noexcept {
  instant const left = due == never ? -1 : due - now();
  if (due == never || left > 0) static_cast<void>(sleep_on_events(static_cast<long>(left), sleeper::as_attendant));
}

void wake_attendant() noexcept {
  std::uint64_t const one = 1;
  sys::raw_syscall(SYS_write, wakes.load(memory_order_relaxed), reinterpret_cast<long>(&one), sizeof one);
}

progress_state state_of_progress() noexcept {
  progress_state now;
  for (const progress_source* s = first(); s != nullptr; s = after(*s)) {
    if (!s->wanted(*s)) continue;
    now.wanted = true;
    now.wanted_here = now.wanted_here || !s->is_of_job;
    now.armed = now.armed && s->armed.load(memory_order_relaxed);
  }
  now.attended = attendant.load(memory_order_relaxed) != nullptr;
  now.polls = polls.load(memory_order_relaxed);
  return now;
}

bool watch_progress(long ns) noexcept { return sleep_on_events(ns, sleeper::as_monitor); }

void forget_progress() noexcept {
  for (progress_source* s = first(); s != nullptr; s = after(*s)) s->is_attended.store(false, memory_order_relaxed);
  first_progress_source.store(nullptr, memory_order_relaxed);
  new (&polling) sys::spin_lock;  // somebody may have held it
  attendant.store(nullptr, memory_order_relaxed);
  // They are the parent's, too: what the child did to them would happen to the parent.
  for (std::atomic<int>* fd : {&all_events, &wakes})
    if (int const open = fd->exchange(-1, memory_order_relaxed); open >= 0) close(open);
  forget_inbox();
}

}  // namespace amity::sched
