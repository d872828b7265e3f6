/// One thread at a time calls the engine, by a lock. A fiber that sends takes the lock if it is free, and sends
/// itself. Else it leaves its message in the outbox, and the thread that holds the lock sends it. That thread looks
/// into the outbox once more after it has released the lock, so no message is left there (Dekker: the sender puts its
/// message, then tries the lock; the holder releases the lock, then looks).
///
/// Handlers run within a poll, under that lock. What they send goes to the outbox.

#include "amity/net/messages.hpp"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <random>
#include <vector>

#include "amity/base/copy_bytes.hpp"
#include "amity/base/report.hpp"
#include "amity/future/plain_task.hpp"
#include "amity/net/buffers.hpp"
#include "amity/net/engine_collectives.hpp"
#include "amity/net/handover.hpp"
#include "amity/net/internal/before_main.hpp"
#include "amity/net/internal/leaving.hpp"
#include "amity/net/internal/losses.hpp"
#include "amity/net/internal/naps.hpp"
#include "amity/net/internal/strangers.hpp"
#include "amity/net/internal/transport.hpp"
#include "amity/net/job.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/idle/patience.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/progress.hpp"
#include "amity/sched/loop/timer.hpp"
#include "amity/sched/profile/messages.hpp"
#include "amity/sched/tasks/observed.hpp"
#include "amity/sched/tasks/task.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/cpus.hpp"
#include "amity/sys/launcher.hpp"
#include "amity/sys/raw_syscall.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::net {
namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

/// A message that waits in the outbox, or, in a test, for its delivery.
struct parcel {
  parcel* next = nullptr;
  int rank = 0;  ///< the receiver's; the sender's where it waits for delivery
  message_header header;
  std::byte* bytes = nullptr;  ///< from malloc
  std::size_t size = 0;
  sched::instant kept_since = 0;  ///< where the function that it is for is not here
};

parcel* make_parcel(int rank, const message_header& h, std::byte* owned, const std::byte* bytes,
                    std::size_t size) noexcept {
  auto* const p = new (std::nothrow) parcel{nullptr, rank, h, owned, size, 0};
  if (p != nullptr && owned == nullptr && size != 0) {
    p->bytes = take_sendable(size);
    if (p->bytes != nullptr) base::copy_bytes(p->bytes, bytes, size);
  }
  if (p == nullptr || (size != 0 && p->bytes == nullptr))
    base::fatal("out of memory for a message of %zu bytes to rank %d", size, rank);
  return p;
}

// --- the state

/// What carries messages. Empty: this process has no job of several. Under the lock.
open_engine in_use;
/// What is looked at without the lock, since the engine may be closed meanwhile. Release: what the process knows of its
/// job, to those that look; pairs with engine_was_started.
std::atomic<bool> is_started{false};
bool engine_was_started() noexcept { return is_started.load(memory_order_acquire); }  // pairs with start_transport
// Relaxed: set before is_started, and the last two once more as the engine is closed.
std::atomic<const engine_collectives*> collectives{nullptr};
std::atomic<const char*> loss_hazard{nullptr};
std::atomic<bool> can_forget{false};

int own_rank = 0;
std::atomic<bool> is_running{false};

sys::spin_lock engine_lock;
bool sent_needs_polls = false;  ///< under the lock: something was sent, and the engine needs polls for it
std::atomic<parcel*> outbox{nullptr};

/// Counted messages, by the other rank: what went to lost ones, or came from them, must not keep the job from its end.
using counts = std::atomic<std::uint64_t>;
alignas(base::cache_line) counts none_sent[1], none_handled[1];  // of a process without a job
int ranks_counted = 1;
counts* sent = none_sent;
/// Bytes that the engine was given so far, by the receiver. Under the engine's lock.
std::uint64_t none_given[1];
std::uint64_t* given = none_given;
counts* handled = none_handled;
std::atomic<long> active{0};

/// Fibers that wait until less waits to be sent. Under the lock of their own.
struct waiting_sender {
  waiting_sender* next = nullptr;
  int to = 0;
  std::size_t most = 0;       ///< it goes on when no more bytes than these wait for that rank
  bool is_of_before = false;  ///< of those that were given to the engine before `given_before`
  std::uint64_t given_before = 0;
  sched::fiber* fiber = nullptr;
  std::atomic<bool> woken{false};
};
sys::spin_lock waiting_lock;
waiting_sender* waiting = nullptr;
std::atomic<bool> some_wait{false};

// --- delays, for tests: AMITY_TEST_NET_DELAYS=SEED holds messages back and delivers them in another order

struct delays {
  bool are_on = false;
  std::minstd_rand random;
  std::vector<parcel*> held;
};
delays& held_back() noexcept {
  static auto* const one = [] {
    auto* const d = new delays;
    if (const char* const seed = getenv("AMITY_TEST_NET_DELAYS")) {
      d->are_on = true;
      d->random.seed(static_cast<unsigned>(atoi(seed)) + 7919u * static_cast<unsigned>(own_rank) + 1);
    }
    return d;
  }();
  return *one;
}

// --- delivery, under the engine's lock

/// For functions that are not here yet: they come with the constructors of the program's static objects, or with a
/// library that is loaded. Under the engine's lock.
std::vector<parcel*>& unknown() noexcept {
  static auto* const one = new std::vector<parcel*>;
  return *one;
}
std::atomic<bool> some_unknown{false};
/// A poll is to look for their functions. seq_cst: set before the announcement, read by arm_engine.
std::atomic<bool> looks_for_unknown{false};

void watch_unknown() noexcept;

/// The next poll looks for its function: that may be registered just now (look_again_at_unknown).
void keep_unknown(parcel* p) noexcept {
  p->kept_since = sched::now();
  unknown().push_back(p);
  if (!some_unknown.exchange(true, memory_order_seq_cst)) watch_unknown();
  looks_for_unknown.store(true, memory_order_seq_cst);
  sent_needs_polls = true;
}

/// What a message is called in the timelines of its sender and its receiver. Equal ones are in their order, mostly.
std::uint32_t key_of(const message_header& h, std::size_t size) noexcept {
  std::uint64_t const mixed = (h.code * 0x9e3779b97f4a7c15u ^ h.word) * 0xbf58476d1ce4e5b9u + size;
  return static_cast<std::uint32_t>(mixed >> 32 ^ mixed);
}

/// A turn of a profile. Control messages, of the end of the job and the like, have no part in it.
[[gnu::cold, gnu::noinline]] void run_profiled(handler f, arrival& m, const message_header& h) noexcept {
  if ((h.code & control_bit) != 0) return f(m);
  sched::profile::in_handler const turn(reinterpret_cast<const void*>(f), m.from, key_of(h, m.size));
  f(m);
}

void deliver(int from, const message_header& h, const std::byte* bytes, std::byte* owned, std::size_t size) noexcept {
  if (is_lost(from)) return give_buffer(owned);
  handler const f = handler_of(h.code & ~control_bit);
  if (f == nullptr) return keep_unknown(make_parcel(from, h, owned, bytes, size));
  arrival m{from, h.word, bytes, size, owned};
  if (sched::tasks_are_observed()) [[unlikely]]
    run_profiled(f, m, h);
  else
    f(m);
  give_buffer(m.owned);
  // After it: an activity that the handler has begun is seen by whoever sees this.
  if ((h.code & control_bit) == 0) handled[from].fetch_add(1, memory_order_release);  // pairs with traffic_so_far
}

void arrived_in_any_form(int from, const message_header& h, const std::byte* bytes, std::byte* owned,
                         std::size_t size) noexcept {
  delays& d = held_back();
  if (!d.are_on) return deliver(from, h, bytes, owned, size);
  d.held.push_back(make_parcel(from, h, owned, bytes, size));
  sent_needs_polls = true;  // one to the own rank may come here without a poll
}

int deliver_some_held() noexcept {
  delays& d = held_back();
  int delivered = 0;
  for (std::size_t looks = d.held.size(); looks > 0 && !d.held.empty(); --looks) {
    if (d.random() % 4 == 0) continue;  // not yet
    std::size_t const i = d.random() % d.held.size();
    parcel* const p = d.held[i];
    d.held[i] = d.held.back();
    d.held.pop_back();
    deliver(p->rank, p->header, p->bytes, p->bytes, p->size);
    delete p;
    ++delivered;
  }
  return delivered;
}

void arrived(void*, int from, const message_header& h, const std::byte* bytes, std::size_t size) noexcept {
  arrived_in_any_form(from, h, bytes, nullptr, size);
}
void arrived_large(void*, int from, const message_header& h, std::byte* bytes, std::size_t size) noexcept {
  arrived_in_any_form(from, h, bytes, bytes, size);
}

// --- the lock

/// Something was given to the engine. Under the lock.
void note_sent() noexcept { sent_needs_polls = shortens_naps() || sent_needs_polls || in_use.needs_polls(); }

/// Why what is sent after this process has left its job is an error of the program's; null: it is dropped.
std::atomic<const char*> why_too_late{nullptr};

/// The receiver is lost, or this process has left the job: the engine may be closed.
void drop(int to, std::byte* owned) noexcept {
  // Relaxed: the thread that has called MPI_Finalize sends later, and it has set this.
  if (const char* const why = why_too_late.load(memory_order_relaxed))
    base::fatal("a message to rank %d comes too late: %s", to, why);
  give_buffer(owned);
}

/// Under the lock. `owned`: null, or the same bytes, which are the callee's.
void give_to_engine(int to, const message_header& h, const std::byte* bytes, std::byte* owned,
                    std::size_t size) noexcept {
  given[to] += sizeof h + size;
  if (owned != nullptr && size >= in_use.table->least_large) return in_use.send_large(to, h, owned, size);
  in_use.send(to, h, bytes, size);
  give_buffer(owned);
}

/// To the engine, or, for the own rank, straight into the hands of its handler. Under the lock.
void pass_on(parcel* p) noexcept {
  if (p->rank == own_rank) {
    arrived_in_any_form(p->rank, p->header, p->bytes, p->bytes, p->size);
  } else if (is_lost(p->rank)) {
    drop(p->rank, p->bytes);
  } else {
    give_to_engine(p->rank, p->header, p->bytes, p->bytes, p->size);
  }
  delete p;
  note_sent();
}

/// How many of those that were kept have found their functions.
int deliver_known() noexcept {
  if (!looks_for_unknown.load(memory_order_relaxed)) return 0;  // one that is set now leads to another poll
  looks_for_unknown.store(false, memory_order_relaxed);
  std::atomic_thread_fence(memory_order_seq_cst);  // before the looks; pairs with look_again_at_unknown
  int delivered = 0;
  for (parcel* const p : std::exchange(unknown(), {})) {
    if (handler_of(p->header.code & ~control_bit) == nullptr && !is_lost(p->rank)) {
      unknown().push_back(p);
      continue;
    }
    deliver(p->rank, p->header, p->bytes, p->bytes, p->size);
    delete p;
    ++delivered;
  }
  return delivered;
}

/// In the order in which they were put there. True: there were some.
bool empty_outbox() noexcept {
  parcel* newest = outbox.exchange(nullptr, memory_order_acquire);  // pairs with leave_in_outbox
  if (newest == nullptr) return false;
  parcel* oldest = nullptr;
  while (newest != nullptr) {
    parcel* const next = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = next;
  }
  while (oldest != nullptr) {
    parcel* const next = oldest->next;
    pass_on(oldest);
    oldest = next;
  }
  return true;
}

void wake_senders() noexcept;
extern sched::progress_source source;

/// What comes into the outbox from here on, another thread sees to, or this one.
void release_engine() noexcept {
  for (;;) {
    while (empty_outbox()) {
    }
    if (some_wait.load(memory_order_relaxed)) wake_senders();
    bool const needs_polls = std::exchange(sent_needs_polls, false);
    engine_lock.unlock();
    // A carrier may sleep until an event comes, and none will.
    if (needs_polls) sched::announce_progress(source);
    std::atomic_thread_fence(memory_order_seq_cst);  // before the look; pairs with leave_in_outbox
    if (outbox.load(memory_order_relaxed) == nullptr || !engine_lock.try_lock()) return;
  }
}

void leave_in_outbox(parcel* p) noexcept {
  parcel* head = outbox.load(memory_order_relaxed);
  do p->next = head;
  while (!outbox.compare_exchange_weak(head, p, memory_order_release, memory_order_relaxed));
  std::atomic_thread_fence(memory_order_seq_cst);  // before the lock is tried; pairs with release_engine
  if (engine_lock.try_lock()) release_engine();
}

// --- progress

/// All that has come from there was delivered.
bool has_handed_on(int rank) noexcept {
  if (!in_use.has_handed_on(rank)) return false;
  const auto is_of_rank = [rank](const parcel* p) { return p->rank == rank; };
  const std::vector<parcel*>& held = held_back().held;
  return std::none_of(held.begin(), held.end(), is_of_rank) &&
         std::none_of(unknown().begin(), unknown().end(), is_of_rank);
}

bool holds_some_back() noexcept { return !held_back().held.empty(); }

/// Under the lock.
int poll_and_count_ends() noexcept {
  int const taken = in_use.poll() + (held_back().are_on ? deliver_some_held() : 0);
  if (some_ends_are_noted()) {
    count_ends({has_handed_on, holds_some_back});
    if (some_ends_are_noted()) sent_needs_polls = true;
  }
  return taken;
}

/// As an engine's event: under the lock, in a poll or as something is sent.
void note_end_of(void*, int rank, const char* why) noexcept {
  note_end(rank, why);
  sent_needs_polls = true;
}

int poll_engine(sched::progress_source&) noexcept {
  if (!engine_lock.try_lock()) return 0;  // its holder polls, or is through in a moment
  int const taken = poll_and_count_ends() + deliver_known();
  if (taken != 0 && shortens_naps()) sent_needs_polls = true;
  release_engine();
  return taken;
}

bool is_wanted(const sched::progress_source&) noexcept { return is_running.load(memory_order_relaxed); }

bool arm_engine(sched::progress_source&) noexcept {
  engine_lock.lock();
  bool const armed = in_use.arm() && held_back().held.empty() && !some_ends_are_noted() &&
                     !looks_for_unknown.load(memory_order_seq_cst);
  release_engine();
  return armed;
}

constinit sched::progress_source source{.poll = poll_engine, .wanted = is_wanted, .arm = arm_engine, .is_of_job = true};

/// A task that ends the job if one of them is kept for long. Not before `main`: nobody knows how long that takes.
void watch_unknown() noexcept {
  auto look_on = []() noexcept {
    constexpr std::chrono::milliseconds while_waiting(500), long_time(10'000);
    for (;;) {
      sched::instant const look = sched::instant_after(while_waiting);
      while (sched::now() < look) sched::park_until(look);
      char why[250] = "";
      engine_lock.lock();
      bool const some = !unknown().empty();
      some_unknown.store(some, memory_order_seq_cst);  // before release_engine lets another be kept
      for (parcel* const p : unknown()) {
        if (is_before_main()) p->kept_since = sched::now();
        if (sched::now() < p->kept_since + sched::instant{std::chrono::nanoseconds(long_time).count()}) continue;
        snprintf(why, sizeof why,
                 "rank %d has sent a message (%016lx, %zu bytes) for a function that this process does not have, nor "
                 "has got within 10 s; do all ranks run the same build, and load the same libraries?",
                 p->rank, static_cast<unsigned long>(p->header.code), p->size);
        break;
      }
      release_engine();
      if (why[0] != 0) end_job(why);
      if (!some) return;
    }
  };
  sched::enqueue_arrived(
      amity::detail::new_plain_task(sched::this_worker(), nullptr, amity::detail::as_glue{std::move(look_on)}));
}

// --- slow receivers

bool is_too_much(int to) noexcept { return in_use.backlog(to) > most_backlog; }

/// Under the engine's lock. Of what was given to the engine for that rank after the wait began nobody knows whether it
/// has left; as much of the backlog is taken for that, so that a wait for what was there before ends.
bool waits_on(const waiting_sender& s) noexcept {
  std::uint64_t const later = s.is_of_before ? given[s.to] - s.given_before : 0;
  return in_use.backlog(s.to) > s.most + later;
}

/// Under the engine's lock.
void wake_senders() noexcept {
  waiting_sender* ready = nullptr;
  {
    std::lock_guard const held(waiting_lock);
    for (waiting_sender** link = &waiting; *link != nullptr;) {
      waiting_sender* const each = *link;
      if (waits_on(*each)) {
        link = &each->next;
        continue;
      }
      *link = each->next;
      each->next = ready;
      ready = each;
    }
    some_wait.store(waiting != nullptr, memory_order_relaxed);
  }
  while (ready != nullptr) {
    waiting_sender* const each = ready;
    ready = each->next;
    sched::fiber* const f = each->fiber;
    each->woken.store(true, memory_order_release);  // it may be gone now; pairs with wait_until_few_wait
    sched::unpark(f);
  }
}

/// Polls lead to a look at those who wait, as whatever is sent does.
void wait_until_few_wait(int to, std::size_t most, bool of_before) noexcept {
  waiting_sender me;
  me.to = to;
  me.most = most;
  me.is_of_before = of_before;
  me.fiber = sched::self();
  engine_lock.lock();
  while (empty_outbox()) {
  }
  me.given_before = given[to];
  if (waits_on(me)) {
    std::lock_guard const held(waiting_lock);
    me.next = waiting;
    waiting = &me;
    some_wait.store(true, memory_order_relaxed);
  } else {
    me.woken.store(true, memory_order_relaxed);
  }
  release_engine();
  while (!me.woken.load(memory_order_acquire)) sched::park();  // pairs with wake_senders
}

/// Until the receiver has taken half of what it may leave.
void wait_for_room(int to) noexcept { wait_until_few_wait(to, most_backlog / 2, false); }

}  // namespace

void look_again_at_unknown() noexcept {
  // After the function is in the table: this sees what is kept, or the next look finds the function (keep_unknown).
  std::atomic_thread_fence(memory_order_seq_cst);
  if (!some_unknown.load(memory_order_relaxed)) return;
  looks_for_unknown.store(true, memory_order_seq_cst);
  sched::announce_progress(source);
}

const engine_events transport_events{
    .arrived = arrived,
    .arrived_large = arrived_large,
    .lost = note_end_of,
    .taken_away = [](void*) noexcept { leave_before_network(); },
    .take_buffer = take_buffer,
    .give_buffer = give_buffer,
    .stranger = [](void*, const char* who, const char* why) noexcept { say_stranger(who, why); },
};

void see_end(int rank, const char* why) noexcept {
  engine_lock.lock();
  note_end(rank, why);
  if (in_use.table == nullptr) return engine_lock.unlock();  // the first poll counts it
  sent_needs_polls = true;
  release_engine();
}

std::byte* arrival::take() noexcept {
  if (owned != nullptr) return std::exchange(owned, nullptr);
  std::byte* const copy = take_buffer(size);
  if (copy != nullptr) base::copy_bytes(copy, bytes, size);
  return copy;
}

namespace {

void send_any(int to, std::uint64_t code, std::uint64_t word, const std::byte* bytes, std::byte* owned,
              std::size_t size, effect e) noexcept {
  message_header h{code, word};
  if (e == effect::control)
    h.code |= control_bit;
  else
    sent[to].fetch_add(1, memory_order_relaxed);
  if (sched::tasks_are_observed() && e == effect::counted) [[unlikely]]
    sched::profile::note_sent(to, key_of(h, size));
  if (!engine_was_started() && to == own_rank) return deliver(to, h, bytes, owned, size);
  if (to == own_rank || !engine_lock.try_lock()) return leave_in_outbox(make_parcel(to, h, owned, bytes, size));
  if (is_lost(to)) {
    drop(to, owned);
  } else {
    give_to_engine(to, h, bytes, owned, size);
  }
  note_sent();
  bool const too_much = is_too_much(to);
  release_engine();
  // Not in a handler, which finds the lock held; nor where a source of progress sends: room comes by polls.
  if (too_much && !sched::is_polling()) wait_for_room(to);
}

}  // namespace

void send(int to, std::uint64_t code, std::uint64_t word, const std::byte* bytes, std::size_t size, effect e) noexcept {
  send_any(to, code, word, bytes, nullptr, size, e);
}

void send_owned(int to, std::uint64_t code, std::uint64_t word, std::byte* bytes, std::size_t size, effect e) noexcept {
  send_any(to, code, word, bytes, bytes, size, e);
}

void await_handover(int to) noexcept {
  if (goes_on()) wait_until_few_wait(to, 0, true);
}

bool engine_has_collectives() noexcept {
  return is_running.load(memory_order_relaxed) && collectives.load(memory_order_relaxed) != nullptr;
}

void* begin_engine_call(const engine_call& c) noexcept {
  const char* why = nullptr;
  void* const request = collectives.load(memory_order_relaxed)->begin(c, &why);
  if (request == nullptr) end_job(why);
  return request;
}

bool engine_call_is_over(void* request) noexcept {
  const char* why = nullptr;
  bool const over = collectives.load(memory_order_relaxed)->is_over(request, &why);
  if (why != nullptr) end_job(why);
  return over;
}

namespace detail {

bool poll_a_moment(bool (*done)(void*), void* of) {
  // As long as MPI's libraries poll before they give the core away, and some times a wake.
  constexpr std::uint64_t alone_us = 5, yielding_us = 40;
  const sched::fiber& me = *sched::self();
  std::uint64_t const begun = sys::ticks();
  for (;;) {
    if (done(of)) {
      sched::let_arrivals_run();
      return true;
    }
    if (!is_running.load(memory_order_relaxed) || sched::others_ready(*me.on)) return false;
    if (sched::poll_progress() != 0) continue;
    std::uint64_t const waited = sys::ticks() - begun;
    if (waited > sys::ticks_of_microseconds(yielding_us)) return false;
    // Where ranks outnumber cores, the message may come from one that waits for this very core.
    if (sched::processes_share_cores.load(memory_order_relaxed) || waited > sys::ticks_of_microseconds(alone_us))
      sys::raw_syscall(SYS_sched_yield);
  }
}

}  // namespace detail

void begin_activity() noexcept { active.fetch_add(1, memory_order_relaxed); }
void end_activity() noexcept { active.fetch_sub(1, memory_order_release); }

std::uint64_t messages_sent() noexcept {
  std::uint64_t all = 0;
  for (int r = 0; r < ranks_counted; ++r) all += sent[r].load(memory_order_relaxed);
  return all;
}

traffic traffic_so_far() noexcept {
  traffic t;
  t.losses = mark_of_losses();
  // `handled` first: what a message has led to is in the other two then. Pairs with deliver.
  for (int r = 0; r < ranks_counted; ++r)
    if (!is_lost(r)) t.handled += handled[r].load(memory_order_acquire);
  t.active = active.load(memory_order_acquire);
  for (int r = 0; r < ranks_counted; ++r)
    if (!is_lost(r)) t.sent += sent[r].load(memory_order_relaxed);
  return t;
}

int start_transport(const open_engine& e, int rank, int size) noexcept {
  own_rank = rank;
  ranks_counted = size;
  sent = new counts[static_cast<std::size_t>(size)];
  handled = new counts[static_cast<std::size_t>(size)];
  given = new std::uint64_t[static_cast<std::size_t>(size)]();
  engine_lock.lock();
  in_use = e;
  engine_lock.unlock();
  collectives.store(e.table->collectives, memory_order_relaxed);
  loss_hazard.store(e.table->loss_hazard, memory_order_relaxed);
  can_forget.store(e.table->forget != nullptr, memory_order_relaxed);
  is_started.store(true, memory_order_release);  // pairs with engine_was_started
  bool const crowded = sys::node_is_crowded(sys::usable_cpus().usable, sys::rank_on_node());
  sched::processes_share_cores.store(crowded, memory_order_relaxed);
  source.fd = e.fd();
  is_running.store(true, memory_order_relaxed);
  if (source.fd < 0)
    if (int const error = begin_naps(source, e.table->longest_nap_us)) return error;
  return sched::attend(source);
}

bool engine_can_forget() noexcept { return can_forget.load(memory_order_relaxed); }

const char* hazard_of_losses() noexcept { return loss_hazard.load(memory_order_relaxed); }

void forget_rank(int rank) noexcept {
  engine_lock.lock();
  if (in_use.table->forget != nullptr) in_use.forget(rank);  // else this process has left the job
  some_wait.store(true, memory_order_relaxed);               // those who wait for room there look again
  release_engine();
}

void flush_transport() noexcept {
  for (;;) {
    engine_lock.lock();
    while (empty_outbox()) {
    }
    poll_and_count_ends();
    bool const flushed = in_use.is_flushed() && outbox.load(memory_order_relaxed) == nullptr;
    release_engine();
    if (flushed) return;
    sched::park_until(sched::instant_after(std::chrono::microseconds(100)));
  }
}

namespace {

/// In the place of one that is closed. The others are lost, so nothing but messages to the own rank comes this way.
constexpr engine no_engine{
    .name = "none",
    .open = [](const engine_facts&, char*, std::size_t) noexcept -> engine_instance* { return nullptr; },
    .know = [](engine_instance&, int, const char*) noexcept -> const char* { return nullptr; },
    .send = [](engine_instance&, int, const message_header&, const std::byte*, std::size_t) noexcept {},
    .send_large = [](engine_instance&, int, const message_header&, std::byte* bytes,
                     std::size_t) noexcept { give_buffer(bytes); },
    .poll = [](engine_instance&) noexcept { return 0; },
    .arm = [](engine_instance&) noexcept { return true; },
    .fd = [](engine_instance&) noexcept { return -1; },
    .backlog = [](engine_instance&, int) noexcept { return std::size_t{0}; },
    .needs_polls = [](engine_instance&) noexcept { return false; },
    .is_flushed = [](engine_instance&) noexcept { return true; },
    .close = [](engine_instance&) noexcept {},
};
constinit engine_instance nothing;

}  // namespace

void stop_transport(const char* why_over) noexcept {
  sched::dismiss(source);
  end_naps();
  is_running.store(false, memory_order_relaxed);
  engine_lock.lock();
  std::exchange(in_use, {&no_engine, &nothing}).close();
  can_forget.store(false, memory_order_relaxed);
  loss_hazard.store(nullptr, memory_order_relaxed);
  why_too_late.store(why_over, memory_order_relaxed);
  some_wait.store(true, memory_order_relaxed);  // nothing waits to be sent any more
  // Nobody polls from here on: what the own rank is sent is handled at once.
  delays& d = held_back();
  d.are_on = false;
  for (parcel* const p : std::exchange(d.held, {})) {
    deliver(p->rank, p->header, p->bytes, p->bytes, p->size);
    delete p;
  }
  release_engine();
}

void drop_what_comes_late() noexcept { why_too_late.store(nullptr, memory_order_relaxed); }

}  // namespace amity::net
