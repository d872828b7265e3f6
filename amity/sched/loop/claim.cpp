#include "amity/sched/loop/internal/claim.hpp"

#include "amity/sched/cores/contention.hpp"
#include "amity/sched/cores/locality.hpp"
#include "amity/sched/loop/internal/switch.hpp"
#include "amity/sched/loop/internal/task_source.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/thread_pointer.hpp"
#include "amity/trace/counters.hpp"

namespace amity::sched {

std::atomic<const task_source*> tasks_of_process{nullptr};

namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_seq_cst;

// At a carrier's own chains, in vain, before it clears their bit.
constexpr unsigned looks_before_clearing = 32;

// How long a carrier leaves ready fibers to an awake home before it takes them. Both are less than it looks around.
constexpr std::uint64_t grace_ns = 400;         // it looks for work too, and needs no longer than that to take it
constexpr std::uint64_t busy_grace_ns = 8'000;  // it runs another fiber, and the next one soon

}  // namespace

void return_permit(carrier& c, ready_group& g, std::uint64_t mask) noexcept {
  g.ready.fetch_or(mask, memory_order_seq_cst);
  publish(g, mask, wake::now, &c);
}

void unclaim(carrier& c, fiber& f) noexcept {
  // As in land, for a fiber that is not at home (README, step S3).
  f.claimed.store(0, memory_order_seq_cst);
  std::uintptr_t const seat = f.seat.load(memory_order_seq_cst);
  if (seat != 0 && own_permit(f)) publish(*group_of(seat), mask_of(seat), wake::now, &c);
}

void return_claim(carrier& c, ready_group& g, std::uint64_t mask, fiber* claimed) noexcept {
  if (claimed != nullptr) unclaim(c, *claimed);
  return_permit(c, g, mask);
}

fiber* claim_at(carrier& c, carrier& owner) noexcept {
  auto const claim_from_list = [&c](ready_group* g) -> fiber* {
    for (; g != nullptr; g = g->next)
      if (fiber* f = claim_from(c, *g)) {
        c.recent = g;
        return f;
      }
    return nullptr;
  };
  unsigned start = 0;
  if (c.recent != nullptr && c.recent->home == &owner) {
    if (fiber* f = claim_from_list(c.recent->next)) return f;  // the rest of its chain; all of it comes last
    start = c.recent->index + 1u;
  }
  std::uint64_t const summary = owner.summary.load(memory_order_relaxed);
  for (std::uint64_t rest = std::rotr(summary, static_cast<int>(start % 64)); rest != 0; rest &= rest - 1) {
    unsigned const index = (start + static_cast<unsigned>(__builtin_ctzll(rest))) % 64;
    if (fiber* f = claim_from_list(owner.chain[index].load(memory_order_acquire))) return f;
    if (chain_ready(owner, index)) continue;
    // A barrier's next release is on its way, as a rule: the thread that gives it should find the bit set, and in its
    // own cache.
    if (&owner == &c && ++c.vain_looks < looks_before_clearing) continue;
    c.vain_looks = 0;
    // Nothing here: clear the bit, then look again. Pairs with publish, which sets the permit first and looks at the
    // bit afterwards; both seq_cst, so one of the two sees the other (README, step S1).
    std::uint64_t const bit = std::uint64_t{1} << index;
    owner.summary.fetch_and(~bit, memory_order_seq_cst);
    if (chain_ready(owner, index)) owner.summary.fetch_or(bit, memory_order_seq_cst);
  }
  return nullptr;
}

fiber* claim_elsewhere(carrier& c, std::uint64_t idle_since, std::uint64_t now) noexcept {
  std::uint64_t const idle = now - idle_since;
  // What it has left lying is its own to run: a carrier that takes another team's members makes two leaders wait.
  if (c.left != nullptr) {
    const carrier& home = *c.left->home;
    bool const still_left = home.asleep.load(memory_order_relaxed) != 0 && may_run_fibers_of(c, home);
    if (fiber* f = still_left ? claim_from(c, *c.left) : nullptr) {
      trace::count(c.stats.steals);
      return f;
    }
    c.left = nullptr;
  }
  for (carrier* v = first_scheduler(); v != nullptr; v = v->next_scheduler) {
    if (v == &c || v->summary.load(memory_order_relaxed) == 0 || !may_run_fibers_of(c, *v)) continue;
    // `running` is written at every switch: a look at it slows that carrier down, and comes last.
    if (v->asleep.load(memory_order_relaxed) == 0 && !is_shared(*v, now) &&
        (idle < sys::ticks_of_microseconds(grace_ns) / 1000 ||
         (idle < sys::ticks_of_microseconds(busy_grace_ns) / 1000 && v->running.load(memory_order_relaxed) != nullptr)))
      continue;
    if (fiber* f = claim_at(c, *v)) {
      trace::count(c.stats.steals);
      return f;
    }
  }
  return nullptr;
}

namespace {

/// Gives `f`, which runs tasks, its permit, and claims it.
fiber* claim_offered(carrier& c, const fiber* f) noexcept {
  if (f == nullptr) return nullptr;
  std::uintptr_t const seat = f->seat.load(memory_order_relaxed);
  ready_group& g = *group_of(seat);
  std::uint64_t const mask = mask_of(seat);
  g.ready.fetch_or(mask, memory_order_seq_cst);
  fiber* const claimed = try_claim(c, g, __builtin_ctzll(mask));
  if (claimed == nullptr) publish(g, mask, wake::now, &c);  // it has not landed yet
  return claimed;
}

}  // namespace

fiber* claim_for_tasks(carrier& c) noexcept {
  const task_source* source = source_of_tasks();
  if (source == nullptr) [[likely]]
    return nullptr;
  return claim_offered(c, source->offer(c));
}

fiber* claim_stand_in(carrier& c, worker& w) noexcept { return claim_offered(c, source_of_tasks()->stand_in(w)); }

fiber* claim_as_shell(carrier& c) noexcept {
  if (fiber* f = claim_to_end(c)) return f;
  if (fiber* f = claim_signalled(c)) return f;
  fiber* wanted = c.wanted.exchange(nullptr, memory_order_acquire);  // pairs with send_to_own_threads
  if (wanted == nullptr && identity_mode() == sys::thread_pointer_mode::fixed && own_permit(*c.native))
    wanted = c.native;
  if (wanted == nullptr) return nullptr;
  std::uintptr_t const seat = wanted->seat.load(memory_order_relaxed);
  if (seat == 0) return nullptr;
  fiber* f = try_claim(c, *group_of(seat), __builtin_ctzll(mask_of(seat)));
  if (f == wanted || f == nullptr) return f;
  // The seat was given to another meanwhile; that one belongs elsewhere.
  return_claim(c, *group_of(seat), mask_of(seat), f);
  return nullptr;
}

bool shell_has_work(const carrier& c) noexcept {
  if (c.wanted.load(memory_order_seq_cst) != nullptr) return true;
  return identity_mode() == sys::thread_pointer_mode::fixed && own_permit(*c.native) &&
         c.native->claimed.load(memory_order_seq_cst) == 0;
}

fiber* claim_to_end(carrier& c) noexcept {
  if (c.ends.load(memory_order_relaxed) == 0) return nullptr;
  return c.ends.exchange(0, memory_order_acquire) != 0 ? c.native : nullptr;  // pairs with end_shell
}

fiber* claim_signalled(carrier& c) noexcept {
  if (c.signalled.load(memory_order_relaxed) == nullptr) return nullptr;
  return c.signalled.exchange(nullptr, memory_order_acquire);  // pairs with send_round (program_signals.cpp)
}

bool work_in_sight(carrier& c) noexcept {
  bool const reserved = is_reserved(c);
  if (c.kind == carrier_kind::guest && own_permit(*c.native)) return true;
  if (const task_source* source = source_of_tasks(); source != nullptr && source->in_sight(c)) return true;
  for (carrier* v = first_scheduler(); v != nullptr; v = v->next_scheduler) {
    if ((reserved && v != &c) || !may_run_fibers_of(c, *v)) continue;
    for (std::uint64_t rest = v->summary.load(memory_order_seq_cst); rest != 0; rest &= rest - 1)
      for (ready_group* g = v->chain[__builtin_ctzll(rest)].load(memory_order_seq_cst); g != nullptr; g = g->next)
        if ((!g->exclusive || v == &c) && claimable(*g)) return true;
  }
  return false;
}

}  // namespace amity::sched
