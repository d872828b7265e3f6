#include "amity/omp/rt/loop.hpp"

#include <stdlib.h>

#include <bit>

#include "amity/base/report.hpp"
#include "amity/omp/hooks/cluster.hpp"
#include "amity/omp/hooks/race.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/rt/doacross.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/omp/rt/wait.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sys/clock.hpp"

namespace amity::omp {
namespace {

using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

/// The bits of loop_descriptor::next.
constexpr std::uint64_t most_own_chunks = 64;

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) noexcept { return a / b + (a % b != 0); }

void* zeroed(std::size_t size) noexcept {
  race::unseen const quiet;  // the first member to come makes it for all
  void* memory = calloc(1, size);
  if (memory == nullptr) base::fatal("out of memory for a loop's shared data (%zu bytes)", size);
  return memory;
}

/// The first member at the loop sets it up.
void set_up(loop_descriptor& d, const loop_request& loop, const schedule& how) noexcept {
  d.duty = !loop.ordered || how.kind != schedule_kind::static_ ? absent_duty::none
           : how.chunk > 0                                     ? absent_duty::turns
                                                               : absent_duty::block_turns;
  d.memory = loop.memory == 0 ? nullptr : zeroed(loop.memory);
  d.total = loop.total;
  d.how = how;
  if (loop.ordered) d.turns.start(how.chunk < 0 ? 0 : static_cast<std::uint64_t>(how.chunk));
}

/// The loop's fields that follow from the schedule.
void adopt(loop_state& l, const schedule& how) noexcept {
  l.kind = how.kind;
  l.chunk = how.chunk < 0 ? 0 : static_cast<std::uint64_t>(how.chunk);
  if (l.kind == schedule_kind::static_) return;
  if (l.chunk == 0) l.chunk = 1;
  if (l.kind == schedule_kind::dynamic) l.chunks = divide_up(l.total, l.chunk);
}

/// Nothing has to be made for the team, agreed on by it, or seen by those who are absent (loop.hpp: loop_descriptor).
bool shares_counter_only(const thread& t, const loop_request& loop, const schedule& how) noexcept {
  return t.doacross.joined == nullptr && !loop.ordered && loop.memory == 0 && !how.of_icv && !t.team->cancellable;
}

void await_descriptor(thread& t, team& tm, const loop_descriptor& d, std::uint64_t n) noexcept {
  wait_in_team<meanwhile::nothing>(t, tm, tm.loop_parked,
                                   [&] { return d.sequence.load(memory_order_seq_cst) >= 2 * n; });
}

/// Waits until the descriptor is free for loop n or another member has begun to set it up; true if that is for the
/// caller to do.
bool claim_set_up(thread& t, team& tm, loop_descriptor& d, std::uint64_t n) noexcept {
  std::uint64_t seen = d.sequence.load(memory_order_acquire);  // pairs with leave_loop
  if (seen < 2 * n) {
    await_descriptor(t, tm, d, n);
    seen = d.sequence.load(memory_order_relaxed);
  }
  return seen == 2 * n &&
         d.sequence.compare_exchange_strong(seen, 2 * n + 1, memory_order_acquire, memory_order_relaxed);
}

bool take_static(loop_state& l, int number, int threads) noexcept {
  auto const n = static_cast<std::uint64_t>(threads), me = static_cast<std::uint64_t>(number);
  if (l.chunk == 0) {  // one block for each thread, the first ones one iteration longer
    if (l.next != 0) return false;
    l.next = 1;
    std::uint64_t const block = l.total / n, rest = l.total % n;
    l.begin = me * block + (me < rest ? me : rest);
    l.end = l.begin + block + (me < rest ? 1 : 0);
    return l.begin < l.end;
  }
  std::uint64_t const chunk_number = l.next * n + me;
  if (chunk_number > l.total / l.chunk) return false;  // also keeps the product from overflowing
  l.begin = chunk_number * l.chunk;
  if (l.begin >= l.total) return false;
  l.end = l.total - l.begin < l.chunk ? l.total : l.begin + l.chunk;
  ++l.next;
  return true;
}

void hand_out(loop_state& l, std::uint64_t chunk_number) noexcept {
  l.begin = chunk_number * l.chunk;
  l.end = l.total - l.begin < l.chunk ? l.total : l.begin + l.chunk;
}

/// How many chunks to take off the counter: two microseconds' worth by the pace so far, and one by one towards the end.
std::uint64_t size_of_batch(loop_state& l, std::uint64_t threads, std::uint64_t worth_ns = 2000) noexcept {
  constexpr std::uint64_t most = 32;
  std::uint64_t const worth = sys::ticks_of_microseconds(worth_ns) / 1000;
  std::uint64_t const now = sys::ticks();
  if (l.batch_size == 0 || now - l.batch_begun > worth)
    l.batch_size = 1;
  else if (2 * (now - l.batch_begun) < worth && l.batch_size < most)
    l.batch_size *= 2;
  l.batch_begun = now;
  // What is taken by now, if all went on as between our last two batches. To look would cost the counter's line twice:
  // once to read it, and once more to write it.
  std::uint64_t const taken = l.seen + (l.seen - l.seen_before);
  std::uint64_t const left = taken < l.chunks ? l.chunks - taken : 0;
  std::uint64_t const fair = left / (4 * threads) + 1;
  return l.batch_size < fair ? l.batch_size : fair;
}

/// Chunks come off one counter, in order: programs expect each thread to get them in increasing order even where the
/// standard does not promise it. Tiny ones are taken several at a time, because the counter's cache line would cost
/// more than they do; never so many that it could matter for the balance.
bool take_dynamic(loop_state& l, loop_descriptor& d, int threads) noexcept {
  if (l.batch_next < l.batch_end) {
    hand_out(l, l.batch_next++);
    return true;
  }
  std::uint64_t const size = size_of_batch(l, static_cast<std::uint64_t>(threads));
  // Relaxed: it deals out numbers only. Each thread passes the end once, by few: nothing overflows.
  std::uint64_t const first = d.next.fetch_add(size, memory_order_relaxed);
  if (first >= l.chunks) return false;
  l.seen_before = l.seen;
  l.seen = first + size;
  l.batch_next = first + 1;
  l.batch_end = first + size < l.chunks ? first + size : l.chunks;
  hand_out(l, first);
  if (l.plain) {
    l.plain_end = l.batch_end < l.chunks ? l.batch_end : l.chunks - 1;
    l.batch_step = l.chunk * static_cast<std::uint64_t>(l.stride);
    l.batch_at = static_cast<std::uint64_t>(l.lower) + l.batch_next * l.batch_step;
  }
  return true;
}

/// Until these chunks are taken, but no longer than `limit` ticks. Relaxed: a look at who has come; whose a chunk is,
/// the fetch_or that takes it settles.
void await_others(const loop_descriptor& d, std::uint64_t chunks, std::uint64_t limit) noexcept {
  if ((chunks & ~d.next.load(memory_order_relaxed)) == 0) return;
  std::uint64_t const since = sys::ticks();
  while ((chunks & ~d.next.load(memory_order_relaxed)) != 0 && sys::ticks() - since < limit) base::cpu_relax();
}

/// Few chunks, as many as threads or less, are most often one part of the data for each thread: chunk n is member n's
/// unless others take it first. So each finds in its cache what it had in the loop before, and what static loops gave
/// it. On two cores a product of matrices of 230 rows, again and again, took 1.06 to 1.1 of the time when it was left
/// to chance who came first. A member that is through with its own takes what is next to that: threads that share a
/// core stay together in the data. So a thread may get chunks in any order, as a nonmonotonic loop allows.
///
/// The loop's last chunk is what anybody takes last: both compilers take a lastprivate variable from what a thread did
/// last. Its own member, if it comes before others, waits a moment for them; then it takes what they have not, so that
/// nobody idles, or leaves, while there is something to do.
bool take_own_first(loop_state& l, loop_descriptor& d, bool crowded) noexcept {
  constexpr std::uint64_t moment_ns = 2000;  // what the members of a team that has just been woken are apart
  std::uint64_t const all = ~std::uint64_t{0} >> (most_own_chunks - l.chunks);
  std::uint64_t const last = std::uint64_t{1} << (l.chunks - 1), mine = std::uint64_t{1} << l.next;
  if (!l.has_asked) {
    l.has_asked = true;
    if (mine == last && !crowded) await_others(d, all & ~last, sys::ticks_of_microseconds(moment_ns) / 1000);
    // Relaxed, as the counter. Nobody has been seen to take ours at first, so it is not looked at before. x86 has one
    // instruction for this, if nothing else is asked of the old value.
    if (mine != last && (d.next.fetch_or(mine, memory_order_relaxed) & mine) == 0) {
      hand_out(l, l.next);
      return true;
    }
  }
  for (;;) {
    std::uint64_t const left = all & ~d.next.load(memory_order_relaxed);
    if (left == 0) return false;
    std::uint64_t const better = left != last ? left & ~last : left;
    std::uint64_t const behind = better >> l.next << l.next;
    auto const n = static_cast<std::uint64_t>(std::countr_zero(behind != 0 ? behind : better));
    std::uint64_t const bit = std::uint64_t{1} << n;
    if ((d.next.fetch_or(bit, memory_order_relaxed) & bit) != 0) continue;
    l.next = n;
    hand_out(l, n);
    return true;
  }
}

/// A share of what is left, and never less than the chunk.
/// Two words are not needed: the remainder follows from `next`.
bool take_guided(loop_state& l, loop_descriptor& d, int threads) noexcept {
  std::uint64_t next = d.next.load(memory_order_relaxed);
  for (;;) {
    if (next >= l.total) return false;
    std::uint64_t size = guided_size(l.total - next, l.chunk, static_cast<std::uint64_t>(threads));
    if (l.unit > 1 && size < l.total - next) [[unlikely]]
      size -= size % l.unit;  // at least `chunk` is left, a multiple of the unit
    if (d.next.compare_exchange_weak(next, next + size, memory_order_relaxed)) {
      l.begin = next;
      l.end = next + size;
      return true;
    }
  }
}

/// The turn of the chunk in hand, which is asked for once.
[[gnu::cold, gnu::noinline]] void begin_ordered_across(thread& t) noexcept {
  if (t.loop.has_turn_across) return;
  cluster::await_turn(t);
  t.loop.has_turn_across = true;
}

[[gnu::cold, gnu::noinline]] void pass_turn_across(thread& t) noexcept {
  t.loop.has_turn_across = false;
  cluster::pass_turn(t);
}

/// How much time chunks that are asked for at once may take: a question to another process takes some 20 us.
constexpr std::uint64_t worth_of_question_ns = 100'000;

[[gnu::cold, gnu::noinline]] bool take_across(thread& t) noexcept {
  loop_state& l = t.loop;
  if (is_loop_cancelled(t)) return false;
  if (l.batch_next < l.batch_end) {
    hand_out(l, l.batch_next++);
    return true;
  }
  if (l.dealt_across == schedule_kind::guided) {
    cluster::next_chunks(t, 0, l.begin, l.end);
    return l.begin < l.end;
  }
  // Chunks that wait for others would hold up the next ones.
  std::uint64_t const size =
      l.ordered || l.doacross ? 1 : size_of_batch(l, static_cast<std::uint64_t>(t.team->size), worth_of_question_ns);
  std::uint64_t begin, end;
  cluster::next_chunks(t, size, begin, end);
  if (begin >= end) return false;
  l.seen_before = l.seen;
  l.batch_next = begin / l.chunk;
  l.seen = l.batch_end = divide_up(end, l.chunk);
  hand_out(l, l.batch_next++);
  return true;
}

bool take(thread& t) noexcept {
  loop_state& l = t.loop;
  if (l.shared == nullptr) {  // alone: everything at once
    if (l.next != 0 || l.total == 0) return false;
    l.next = 1;
    l.begin = 0;
    l.end = l.total;
    return true;
  }
  // Relaxed: a thread that sees it late runs a chunk that need not be run.
  if (l.shared->cancelled.load(memory_order_relaxed)) [[unlikely]]
    return false;
  switch (l.kind) {
    case schedule_kind::static_:
      return take_static(l, t.number, t.team->size);
    case schedule_kind::guided:
      return take_guided(l, *l.shared, t.team->size);
    case schedule_kind::across:
      return take_across(t);
    default:
      break;
  }
  if (l.own_first) return take_own_first(l, *l.shared, t.team->crowded);
  return take_dynamic(l, *l.shared, t.team->size);
}

/// The turn goes to the thread with the iteration after our chunk.
void pass_turn(thread& t) noexcept {
  loop_state& l = t.loop;
  if (!l.in_hand) return;
  ordered_begin(t);
  l.in_hand = false;
  if (l.across) [[unlikely]]
    return pass_turn_across(t);
  l.shared->turns.at(l.end).store(l.end, memory_order_seq_cst);  // release for the next thread; Dekker for loop_parked
  notify(*t.team, t.team->loop_parked);
}

/// The turns, and posts, of the chunks that are this thread's and will not be run.
[[gnu::cold]] void pass_over_rest(thread& t) noexcept {
  loop_state& l = t.loop;
  if (l.ordered && l.kind == schedule_kind::static_)
    while (take_static(l, t.number, t.team->size)) {
      l.in_hand = true;
      pass_turn(t);
    }
  if (l.doacross) finish_doacross_chunk(t);
  while (l.batch_next < l.batch_end) {
    hand_out(l, l.batch_next++);
    l.in_hand = l.ordered;
    pass_turn(t);
    if (l.doacross) {
      begin_doacross_chunk(t);
      finish_doacross_chunk(t);
    }
  }
}

}  // namespace

bool enter_loop(thread& t, loop_descriptor*& joined) noexcept {
  team& tm = *t.team;
  std::uint64_t const n = t.loops_met++;
  loop_descriptor& d = tm.loops.entry[n % loop_ring::size];
  joined = &d;
  if (claim_set_up(t, tm, d, n)) return true;
  if (d.ready.load(memory_order_acquire) != n + 1)  // pairs with publish_loop
    wait_in_team<meanwhile::nothing>(t, tm, tm.loop_parked,
                                     [&] { return d.ready.load(memory_order_seq_cst) == n + 1; });
  return false;
}

loop_descriptor& join_counter(thread& t) noexcept {
  team& tm = *t.team;
  std::uint64_t const n = t.loops_met++;
  loop_descriptor& d = tm.loops.entry[n % loop_ring::size];
  // Pairs with leave_loop: the counter is at zero.
  if (d.sequence.load(memory_order_acquire) < 2 * n) [[unlikely]]
    await_descriptor(t, tm, d, n);
  return d;
}

void publish_loop(thread& t, loop_descriptor& d) noexcept {
  d.ready.store(t.loops_met, memory_order_seq_cst);  // release: the fields
  notify(*t.team, t.team->loop_parked);
}

/// Of those that use the descriptor's memory, which is the program's.
[[gnu::cold, gnu::noinline]] static bool is_last_process(const team& tm, const loop_descriptor& d) noexcept {
  return cluster::is_last_to_leave(d.sequence.load(memory_order_relaxed) / 2 - tm.first.loop);
}

void leave_loop(thread& t, loop_descriptor& d) noexcept {
  team& tm = *t.team;
  // acq_rel: the last one makes the descriptor free for a loop that may not overtake any use of this one.
  if (static_cast<int>(d.finished.fetch_add(1, memory_order_acq_rel)) + 1 != tm.here) return;
  d.finished.store(0, memory_order_relaxed);
  d.next.store(0, memory_order_relaxed);
  if (d.cancelled.load(memory_order_relaxed)) d.cancelled.store(false, memory_order_relaxed);
  if (d.memory != nullptr) {
    if (tm.outside == 0 || d.duty == absent_duty::posts || is_last_process(tm, d))
      race::free_unseen(d.memory);  // the last member to leave does it
    d.memory = nullptr;
  }
  std::uint64_t const n = d.sequence.load(memory_order_relaxed) / 2;
  // Release: what was reset. Pairs with claim_set_up and join_counter.
  d.sequence.store(2 * (n + loop_ring::size), memory_order_seq_cst);
  notify(tm, tm.loop_parked);
}

/// In a team over several processes: who deals out the chunks, or whose turn it is, is elsewhere.
[[gnu::cold, gnu::noinline]] static void begin_across(thread& t, const loop_request& loop, schedule how) noexcept {
  loop_state& l = t.loop;
  l.across = true;
  l.has_turn_across = false;
  l.number_across = t.loops_met - t.team->first.loop;
  if (how.of_icv || loop.memory != 0 || t.team->cancellable) {  // as in shares_counter_only
    loop_descriptor* d = nullptr;
    if (enter_loop(t, d)) {
      if (how.of_icv) how = cluster::agree_on(l.number_across, how);  // even if a program has not set it so
      set_up(*d, loop, how);
      if (d->memory != nullptr) {
        void* const agreed = cluster::agree_on_memory(l.number_across, d->memory);
        if (agreed != d->memory) race::free_unseen(d->memory);
        d->memory = agreed;
      }
      publish_loop(t, *d);
    }
    adopt(l, d->how);
    l.shared = d;
  } else {
    l.shared = &join_counter(t);
  }
  if (t.doacross.joined != nullptr) {
    how.monotonic = true;
    l.doacross = how.kind != schedule_kind::static_;
    deal_doacross(t, how, loop.total);
  }
  l.dealt_across = l.kind;
  if (l.kind != schedule_kind::static_) l.kind = schedule_kind::across;
}

void begin_loop(thread& t, const loop_request& loop) noexcept {
  team& tm = *t.team;
  loop_state& l = t.loop;
  schedule how = loop.how;
  if (how.kind == schedule_kind::automatic) {
    how.kind = schedule_kind::static_;
    how.chunk = 0;
  }
  if (how.kind >= schedule_kind::trapezoidal) [[unlikely]]
    how.kind = how.kind == schedule_kind::trapezoidal ? schedule_kind::guided : schedule_kind::dynamic;
  l.ordered = loop.ordered;
  l.lower = loop.lower;
  l.stride = loop.stride;
  l.total = loop.total;
  l.unit = static_cast<std::uint64_t>(loop.unit);
  l.next = 0;
  l.in_hand = false;
  l.batch_next = l.batch_end = l.batch_size = 0;
  l.plain_end = l.seen = l.seen_before = 0;
  l.doacross = l.plain = l.own_first = l.has_asked = false;
  l.sections = loop.sections;
  adopt(l, how);
  l.across = false;
  if (cold::any()) [[unlikely]] {
    ompt::loop_begins(t, l);
    if (tm.outside != 0) return begin_across(t, loop, how);
  }
  if (tm.size == 1) {
    l.shared = nullptr;
    l.own_memory = loop.memory == 0 ? nullptr : zeroed(loop.memory);
    return;
  }
  if (shares_counter_only(t, loop, how)) [[likely]] {
    l.plain = !cold::any();
    l.shared = &join_counter(t);
    if (how.kind == schedule_kind::dynamic && !how.monotonic && l.chunks <= static_cast<std::uint64_t>(tm.size) &&
        l.chunks <= most_own_chunks && l.chunks != 0) {
      l.own_first = true;
      l.next = static_cast<std::uint64_t>(t.number) % l.chunks;
    }
    return;
  }
  if (t.doacross.joined != nullptr) [[unlikely]] {
    how.monotonic = true;  // chunks in increasing order, from the first on
    l.doacross = how.kind != schedule_kind::static_;
    deal_doacross(t, how, loop.total);
  }
  loop_descriptor* d = nullptr;
  if (enter_loop(t, d)) {
    set_up(*d, loop, how);
    publish_loop(t, *d);
  } else if (how.of_icv) {
    adopt(l, d->how);  // all the same, even if a program has not set it so
  }
  l.shared = d;
}

void* loop_memory(const thread& t) noexcept {
  return t.loop.shared != nullptr ? t.loop.shared->memory : t.loop.own_memory;
}

bool next_chunk(thread& t) noexcept {
  loop_state& l = t.loop;
  if (l.ordered) pass_turn(t);
  if (l.doacross) [[unlikely]]
    finish_doacross_chunk(t);
  // Before it takes one: a chunk in hand while others run would be late.
  if (t.team->crowded) [[unlikely]]
    sched::between_steps(*t.fiber);
  if (!take(t)) return false;
  if (l.doacross) [[unlikely]]
    begin_doacross_chunk(t);
  l.in_hand = l.ordered && l.shared != nullptr;
  if (cold::any()) [[unlikely]]
    ompt::chunk_begins(t, l);
  return true;
}

void end_loop(thread& t) noexcept {
  loop_state& l = t.loop;
  if (cold::any()) [[unlikely]]
    ompt::loop_ends(t, l);
  if (l.shared == nullptr) {
    free(l.own_memory);
    l.own_memory = nullptr;
    return;
  }
  loop_descriptor& d = *l.shared;
  if (l.ordered) pass_turn(t);
  if (d.cancelled.load(memory_order_relaxed)) [[unlikely]]
    pass_over_rest(t);
  if (t.doacross.joined != nullptr) [[unlikely]]
    end_doacross(t);
  l.shared = nullptr;
  leave_loop(t, d);
}

void cancel_loop(thread& t) noexcept { t.loop.shared->cancelled.store(true, memory_order_release); }

bool is_loop_cancelled(const thread& t) noexcept {
  loop_descriptor& d = *t.loop.shared;
  // Pairs with note_cancellation. Only a member that is in the loop may write to its descriptor.
  if (t.loop.across && t.team->cancel.loop_across.load(memory_order_acquire) == t.loop.number_across + 1)
    d.cancelled.store(true, memory_order_relaxed);
  return d.cancelled.load(memory_order_acquire);  // pairs with cancel_loop
}

bool is_next_loop_begun(const thread& t) noexcept {
  const loop_descriptor& d = t.team->loops.entry[t.loops_met % loop_ring::size];
  return d.ready.load(memory_order_seq_cst) == t.loops_met + 1;  // pairs with publish_loop
}

void attend_next_loop(thread& t) noexcept {
  loop_descriptor& d = t.team->loops.entry[t.loops_met++ % loop_ring::size];
  loop_state& l = t.loop;
  switch (d.duty) {
    case absent_duty::none:
      break;
    case absent_duty::posts:
      be_absent_from_doacross(t, d);
      break;
    default:
      l.shared = &d;
      l.across = t.team->outside != 0;
      l.number_across = t.loops_met - 1 - t.team->first.loop;
      l.has_turn_across = false;
      l.ordered = true;
      l.doacross = l.in_hand = false;
      l.total = d.total;
      adopt(l, d.how);
      l.next = l.batch_next = l.batch_end = 0;
      pass_over_rest(t);
      l.shared = nullptr;
  }
  leave_loop(t, d);
}

void ordered_begin(thread& t) noexcept {
  loop_state& l = t.loop;
  if (l.shared == nullptr || !l.in_hand) return;
  if (l.across) [[unlikely]]
    return begin_ordered_across(t);
  std::atomic<std::uint64_t>& turn = l.shared->turns.at(l.begin);
  if (turn.load(memory_order_acquire) == l.begin) return;  // pairs with pass_turn
  wait_in_team<meanwhile::nothing>(t, *t.team, t.team->loop_parked,
                                   [&] { return turn.load(memory_order_seq_cst) == l.begin; });
}

void ordered_end(thread&) noexcept {
  // The turn is passed on with the whole chunk: iterations of one chunk run in order anyway.
}

}  // namespace amity::omp
