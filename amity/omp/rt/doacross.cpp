#include "amity/omp/rt/doacross.hpp"

#include <stdlib.h>

#include <atomic>
#include <cassert>
#include <iterator>
#include <mutex>
#include <new>

#include "amity/base/private_memory.hpp"
#include "amity/base/report.hpp"
#include "amity/omp/hooks/cluster.hpp"
#include "amity/omp/hooks/race.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/rt/loop.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/omp/rt/wait.hpp"
#include "amity/sched/tasks/deque.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::omp {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

namespace {

constexpr std::uint64_t nobody = ~std::uint64_t{0};

/// A parked thread; lies on its stack. It leaves the list before it returns, so that others may use it under the lock.
struct doacross_waiter {
  sched::fiber* fiber;
  std::uint64_t need;
  doacross_waiter* next;
};

}  // namespace

/// Dekker: a thread that posts stores `progress`, then looks at `awaited`; a thread that is about to park stores
/// `awaited`, then looks at `progress`. Where each thread has a core, posts are many and parks few: there the thread
/// that parks makes all threads of the process pass a barrier in between, and the one that posts needs none.
struct alignas(base::cache_line) doacross_slot {
  std::atomic<std::uint64_t> progress{0};      ///< all positions below it are posted
  std::atomic<std::uint64_t> awaited{nobody};  ///< the least progress that a parked thread needs
  std::atomic<std::uint64_t> served{0};        ///< chunks that used the slot and are done
  std::atomic<bool> absent{false};             ///< of a member that will not come; means nothing but with static
  sys::spin_lock lock;                         ///< of `waiters` and of stores to `awaited`
  doacross_waiter* waiters = nullptr;
};

struct alignas(base::cache_line) doacross_shared {
  std::uint32_t dimensions;
  std::uint32_t slots;
  doacross_slot* slot;
  doacross_dimension* dimension;
  std::uint64_t* words;  ///< names for a race detector; null without one
  bool posts_are_plain;  ///< a thread that parks sees to the barrier
};

namespace {

constexpr std::size_t position_words = 1024;

/// Asked once: the first time may take long.
bool barriers_work() noexcept {
  static bool const work = sys::barrier_on_all_threads();
  return work;
}

/// One allocation: the head, the slots, the dimensions, and the words if somebody wants them.
doacross_shared* make_shared(const team& tm, std::size_t n, const doacross_dimension* dimensions) noexcept {
  std::uint32_t const slots = 2 * static_cast<std::uint32_t>(tm.size);
  constexpr std::size_t line = base::cache_line;
  std::size_t size = sizeof(doacross_shared) + slots * sizeof(doacross_slot) + n * sizeof(doacross_dimension);
  std::size_t const words_at = size;
  if (race::is_on()) size += position_words * sizeof(std::uint64_t);
  size = (size + line - 1) / line * line;
  race::unseen const quiet;
  void* const memory = base::take_private(size, line);
  if (memory == nullptr) base::fatal("out of memory for a loop's dependences (%zu bytes)", size);
  auto* const d = new (memory) doacross_shared;
  d->dimensions = static_cast<std::uint32_t>(n);
  d->slots = slots;
  d->slot = reinterpret_cast<doacross_slot*>(d + 1);
  for (std::uint32_t i = 0; i < slots; ++i) new (&d->slot[i]) doacross_slot;
  d->dimension = reinterpret_cast<doacross_dimension*>(d->slot + slots);
  for (std::size_t i = 0; i < n; ++i) d->dimension[i] = dimensions[i];
  d->posts_are_plain = !tm.crowded && barriers_work();
  d->words = race::is_on() ? reinterpret_cast<std::uint64_t*>(static_cast<char*>(memory) + words_at) : nullptr;
  return d;
}

/// The number of leading dimensions with `total` iterations; 0: none have.
std::uint32_t find_lead(const doacross_shared& d, std::uint64_t more, std::uint64_t total) noexcept {
  std::uint64_t product = 1;  // wraps as the compiler's own multiplication does
  for (std::uint32_t i = 0; i < d.dimensions; ++i) {
    product *= d.dimension[i].count + more;
    if (product == total) return i + 1;
  }
  return 0;
}

/// How many dimensions a position can count, and how many positions a dealt iteration has then.
void measure(doacross_state& s) noexcept {
  const doacross_shared& d = *s.shared;
  s.inner = 1;
  for (s.used = s.lead; s.used < d.dimensions; ++s.used) {
    std::uint64_t const count = d.dimension[s.used].count + s.more;
    std::uint64_t inner = 0, all = 0;
    if (__builtin_mul_overflow(s.inner, count, &inner) || __builtin_mul_overflow(inner, s.total, &all) ||
        all >> 63 != 0)
      break;
    s.inner = inner;
  }
}

/// An iteration's number in its loop; beyond every count if the vector is before the loop's beginning.
std::uint64_t number_in(const doacross_dimension& d, std::int64_t value) noexcept {
  auto const offset = static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(d.lower);
  if (d.stride == 1) [[likely]]
    return offset;
  std::uint64_t const forward = d.stride < 0 ? 0 - offset : offset;
  if (forward >> 63 != 0) return nobody;
  return forward / (d.stride < 0 ? 0 - static_cast<std::uint64_t>(d.stride) : static_cast<std::uint64_t>(d.stride));
}

struct place {
  std::uint64_t dealt = 0;  ///< which of the dealt iterations it is in
  std::uint64_t position = 0;
  bool last = true;  ///< of those with its position
};

/// False: the vector is outside the loop.
bool locate(const doacross_state& s, const std::int64_t* vector, place& p) noexcept {
  const doacross_shared& d = *s.shared;
  for (std::uint32_t i = 0; i < d.dimensions; ++i) {
    std::uint64_t const count = d.dimension[i].count + s.more;
    std::uint64_t const number = number_in(d.dimension[i], vector[i]);
    if (number >= count) return false;
    if (i < s.lead) p.dealt = p.dealt * count + number;
    if (i < s.used) [[likely]]
      p.position = p.position * count + number;
    else
      p.last = p.last && number == count - 1;
  }
  return true;
}

/// Guided chunks have sizes of their own, but always the same ones: they are followed from the last one found.
doacross_chunk follow_guided(doacross_state& s, std::uint64_t dealt) noexcept {
  if (dealt < s.seen.begin) s.seen = {};
  while (dealt >= s.seen.end) {
    if (s.seen.end != 0) ++s.seen.number;
    s.seen.begin = s.seen.end;
    s.seen.end += guided_size(s.total - s.seen.begin, s.chunk, s.threads);
  }
  return s.seen;
}

/// Static: whose a dealt iteration is.
std::uint64_t owner_of(const doacross_state& s, std::uint64_t dealt) noexcept {
  if (s.chunk != 0) return dealt / s.chunk % s.threads;
  // The first `rest` threads have one iteration more.
  std::uint64_t const block = s.total / s.threads, rest = s.total % s.threads, longer = rest * (block + 1);
  return dealt < longer ? dealt / (block + 1) : rest + (dealt - longer) / block;
}

/// Dynamic and guided: the number of the chunk that has it.
std::uint64_t chunk_with(doacross_state& s, std::uint64_t dealt) noexcept {
  return s.kind == schedule_kind::guided ? follow_guided(s, dealt).number : dealt / s.chunk;
}

/// The slot that tells about a dealt iteration; null: it is the caller's own, which runs them in order.
doacross_slot* slot_of(doacross_state& s, int me, std::uint64_t dealt) noexcept {
  doacross_slot* const slot = s.shared->slot;
  if (s.kind != schedule_kind::static_) {
    if (dealt >= s.in_hand.begin && dealt < s.in_hand.end) return nullptr;
    return &slot[chunk_with(s, dealt) % s.shared->slots];
  }
  std::uint64_t const owner = owner_of(s, dealt);
  return owner == static_cast<std::uint64_t>(me) ? nullptr : &slot[owner];
}

// --- in a team with members in other processes: there are no slots, but progress of members (static) or chunks, which
// another process keeps

[[gnu::cold, gnu::noinline]] void post_across(thread& t, std::uint64_t progress) noexcept {
  doacross_state& s = t.doacross;
  if (progress <= s.posted) return;
  s.posted = progress;
  bool const is_members = s.kind == schedule_kind::static_;
  auto const me = static_cast<std::uint64_t>(t.number);
  cluster::post({s.loop_across, is_members ? cluster::key_of_member(me) : s.in_hand.number}, progress);
}

[[gnu::cold, gnu::noinline]] void wait_across(thread& t, std::uint64_t dealt, std::uint64_t need) noexcept {
  doacross_state& s = t.doacross;
  bool const is_members = s.kind == schedule_kind::static_;
  if (!is_members && dealt >= s.in_hand.begin && dealt < s.in_hand.end) return;  // it runs them in order
  std::uint64_t const owner = is_members ? owner_of(s, dealt) : 0;
  if (is_members && owner == static_cast<std::uint64_t>(t.number)) return;
  std::uint64_t const key = is_members ? cluster::key_of_member(owner) : chunk_with(s, dealt);
  if (s.known_key == key && s.known_progress >= need) return;
  s.known_progress = cluster::await_post({s.loop_across, key}, need);
  s.known_key = key;
}

/// The least that one of the parked threads needs. Requires: the lock.
void announce(doacross_slot& slot) noexcept {
  std::uint64_t least = nobody;
  for (doacross_waiter* w = slot.waiters; w != nullptr; w = w->next)
    if (w->need < least) least = w->need;
  slot.awaited.store(least, memory_order_seq_cst);  // pairs with advance
}

/// Takes those that `progress` satisfies off the list and wakes them.
[[gnu::noinline]] void release(doacross_slot& slot, std::uint64_t progress) noexcept {
  std::lock_guard const hold(slot.lock);
  for (doacross_waiter** link = &slot.waiters; *link != nullptr;) {
    doacross_waiter* const w = *link;
    if (w->need > progress) {
      link = &w->next;
      continue;
    }
    *link = w->next;
    sched::unpark(w->fiber);
  }
  announce(slot);
}

void advance(const doacross_shared& d, doacross_slot& slot, std::uint64_t progress) noexcept {
  // Release for those who wait. The poster's half of Dekker is a fence of the processor's, or, where those who park
  // make it pass one, of the compiler's. (A store with a fence waits for the line that the others poll, at each
  // iteration.)
  if (d.posts_are_plain) {
    slot.progress.store(progress, memory_order_release);
    std::atomic_signal_fence(memory_order_seq_cst);
  } else {
    slot.progress.store(progress, memory_order_seq_cst);
  }
  if (slot.awaited.load(memory_order_seq_cst) <= progress) [[unlikely]]
    release(slot, progress);
}

[[gnu::noinline]] void await(thread& t, doacross_slot& slot, std::uint64_t need) noexcept {
  bool const is_members = t.doacross.kind == schedule_kind::static_;
  auto const done = [&] {
    return slot.progress.load(memory_order_seq_cst) >= need ||      // pairs with advance
           (is_members && slot.absent.load(memory_order_seq_cst));  // pairs with be_absent_from_doacross
  };
  sched::spinner spin(*t.fiber);
  if (spin_in_team<meanwhile::nothing>(t, *t.team, spin, done)) return;
  doacross_waiter me{t.fiber, need, nullptr};
  {
    std::lock_guard const hold(slot.lock);
    me.next = slot.waiters;
    slot.waiters = &me;
    announce(slot);
  }
  if (t.doacross.shared->posts_are_plain) static_cast<void>(sys::barrier_on_all_threads());  // it worked before
  while (!done()) sched::park();
  {
    std::lock_guard const hold(slot.lock);
    for (doacross_waiter** link = &slot.waiters; *link != nullptr; link = &(*link)->next)
      if (*link == &me) {  // the position came before the poster looked
        *link = me.next;
        announce(slot);
        break;
      }
  }
  spin.finished();
}

}  // namespace

void begin_doacross(thread& t, std::size_t n, const doacross_dimension* dimensions) noexcept {
  team& tm = *t.team;
  if (tm.size == 1) return;
  doacross_state& s = t.doacross;
  s = {};
  s.across = tm.outside != 0;
  s.loop_across = t.loops_met - tm.first.loop;
  if (enter_loop(t, s.joined)) {
    s.joined->duty = absent_duty::posts;
    s.joined->memory = make_shared(tm, n, dimensions);
    publish_loop(t, *s.joined);
  }
  s.shared = static_cast<doacross_shared*>(s.joined->memory);
}

void be_absent_from_doacross(thread& t, loop_descriptor& joined) noexcept {
  const team& tm = *t.team;
  if (tm.outside != 0) {
    // With another schedule nobody asks for the member's.
    std::uint64_t const loop = joined.sequence.load(memory_order_relaxed) / 2 - tm.first.loop;
    return cluster::post({loop, cluster::key_of_member(static_cast<std::uint64_t>(t.number))}, nobody - 1);
  }
  doacross_slot& slot = static_cast<doacross_shared*>(joined.memory)->slot[t.number];
  slot.absent.store(true, memory_order_seq_cst);  // pairs with await
  std::lock_guard const hold(slot.lock);
  // They leave the list themselves: with another schedule the slot is not the member's, and they have to wait on.
  for (doacross_waiter* w = slot.waiters; w != nullptr; w = w->next) sched::unpark(w->fiber);
}

void deal_doacross(thread& t, const schedule& how, std::uint64_t total) noexcept {
  doacross_state& s = t.doacross;
  if (s.joined == nullptr || s.dealt) return;
  s.dealt = true;
  s.kind = how.kind == schedule_kind::automatic ? schedule_kind::static_ : how.kind;
  s.threads = static_cast<std::uint64_t>(t.team->size);
  s.total = total;
  s.chunk = how.chunk > 0 && how.kind != schedule_kind::automatic ? static_cast<std::uint64_t>(how.chunk) : 0;
  if (s.kind == schedule_kind::static_)
    s.mine = &s.shared->slot[t.number];  // there are as many as members, wherever these are
  else if (s.chunk == 0)
    s.chunk = 1;
  if (total == 0) return;  // the counts need not mean anything
  s.lead = find_lead(*s.shared, 0, total);
  if (s.lead == 0) s.lead = find_lead(*s.shared, s.more = 1, total);
  if (s.lead == 0)
    base::fatal("ordered(%u): the schedule deals out %llu iterations, which no product of the leading loops' counts is",
                s.shared->dimensions, static_cast<unsigned long long>(total));
  measure(s);
}

void begin_doacross_chunk(thread& t) noexcept {
  doacross_state& s = t.doacross;
  const loop_state& l = t.loop;
  std::uint64_t const number = s.kind == schedule_kind::guided ? follow_guided(s, l.begin).number : l.begin / s.chunk;
  s.in_hand = {number, l.begin, l.end};
  assert(s.kind != schedule_kind::guided || (s.seen.begin == l.begin && s.seen.end == l.end));
  doacross_slot& slot = s.shared->slot[number % s.shared->slots];
  if (s.across) [[unlikely]] {
    s.posted = 0;
    s.mine = &slot;
    return;
  }
  std::uint64_t const turn = number / s.shared->slots;
  if (slot.served.load(memory_order_acquire) != turn) [[unlikely]]  // pairs with finish_doacross_chunk
    wait_in_team<meanwhile::nothing>(t, *t.team, t.team->loop_parked,
                                     [&] { return slot.served.load(memory_order_seq_cst) == turn; });
  s.mine = &slot;
}

void finish_doacross_chunk(thread& t) noexcept {
  doacross_state& s = t.doacross;
  if (s.mine == nullptr) return;
  if (s.across) [[unlikely]] {
    post_across(t, s.in_hand.end * s.inner);
    s.mine = nullptr;
    s.in_hand = {};
    return;
  }
  advance(*s.shared, *s.mine, s.in_hand.end * s.inner);
  s.mine->served.store(s.in_hand.number / s.shared->slots + 1,
                       memory_order_seq_cst);  // pairs with begin_doacross_chunk
  notify(*t.team, t.team->loop_parked);
  s.mine = nullptr;
  s.in_hand = {};
}

namespace {

/// For a race detector: what is said of a position, and of few others.
const volatile void* word_of(const doacross_shared& d, const place& p) noexcept {
  return &d.words[p.position % position_words];
}

}  // namespace

std::size_t doacross_dimensions(const thread& t) noexcept {
  return t.doacross.joined == nullptr ? 0 : t.doacross.shared->dimensions;
}

void post_doacross(thread& t, const std::int64_t* vector) noexcept {
  const doacross_state& s = t.doacross;
  place p;
  if (s.mine == nullptr || !locate(s, vector, p)) return;
  if (cold::any()) [[unlikely]] {
    race::release(word_of(*s.shared, p));
    ompt::iteration_depends(t, ompt::dependence_type::source, vector, doacross_dimensions(t));
  }
  std::uint64_t const progress = p.position + (p.last ? 1 : 0);
  if (s.across) [[unlikely]]
    return post_across(t, progress);
  if (progress > s.mine->progress.load(memory_order_relaxed)) advance(*s.shared, *s.mine, progress);
}

namespace {

inline void wait_for(thread& t, const place& p) noexcept {
  doacross_state& s = t.doacross;
  if (s.across) [[unlikely]]
    return wait_across(t, p.dealt, p.position + 1);
  doacross_slot* const slot = slot_of(s, t.number, p.dealt);
  std::uint64_t const need = p.position + 1;
  if (slot == nullptr) return;
  auto& seen = s.seen_of[(slot - s.shared->slot) % std::size(s.seen_of)];
  if (seen.slot == slot && seen.progress >= need) return;
  seen = {slot, slot->progress.load(memory_order_acquire)};  // pairs with advance
  if (seen.progress < need) await(t, *slot, need);
}

[[gnu::cold, gnu::noinline]] void wait_observed(thread& t, const std::int64_t* vector, const place& p) noexcept {
  ompt::iteration_depends(t, ompt::dependence_type::sink, vector, doacross_dimensions(t));
  wait_for(t, p);
  race::acquire(word_of(*t.doacross.shared, p));
}

}  // namespace

void wait_doacross(thread& t, const std::int64_t* vector) noexcept {
  doacross_state& s = t.doacross;
  place p;
  if (s.joined == nullptr || !locate(s, vector, p)) return;
  if (cold::any()) [[unlikely]]
    wait_observed(t, vector, p);
  else
    wait_for(t, p);
}

void end_doacross(thread& t) noexcept {
  doacross_state& s = t.doacross;
  if (s.joined == nullptr) return;
  if (s.kind == schedule_kind::static_) {
    if (s.across)
      post_across(t, nobody - 1);
    else if (s.mine != nullptr)
      advance(*s.shared, *s.mine, nobody - 1);
  } else {
    finish_doacross_chunk(t);
  }
  s.mine = nullptr;
  loop_descriptor& d = *s.joined;
  s.joined = nullptr;
  leave_loop(t, d);
}

}  // namespace amity::omp
