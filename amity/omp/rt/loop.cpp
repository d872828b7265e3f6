#include "amity/omp/rt/loop.hpp"

#include <stdlib.h>

#include <new>

#include "amity/base/report.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/omp/rt/wait.hpp"

namespace amity::omp {
namespace {

using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

constexpr std::uint64_t pack(std::uint64_t next, std::uint64_t end) noexcept { return next | end << 32; }
constexpr std::uint64_t next_in(std::uint64_t range) noexcept { return range & 0xffffffffu; }
constexpr std::uint64_t end_in(std::uint64_t range) noexcept { return range >> 32; }

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) noexcept { return a / b + (a % b != 0); }

/// Gives every member an equal block of chunks to begin with; all but the last chunk, see take_own_or_rob.
void deal_ranges(loop_descriptor& d, int members) noexcept {
    if (d.ranges_capacity < members) {
        free(d.ranges);
        auto const size = sizeof(loop_range) * static_cast<std::size_t>(members);
        d.ranges = static_cast<loop_range*>(aligned_alloc(alignof(loop_range), size));
        if (d.ranges == nullptr) base::fatal("out of memory for a loop's schedule (%zu bytes)", size);
        for (int i = 0; i < members; ++i) new (&d.ranges[i]) loop_range;
        d.ranges_capacity = members;
    }
    auto const n = static_cast<std::uint64_t>(members);
    std::uint64_t const dealt = d.chunks == 0 ? 0 : d.chunks - 1;
    for (std::uint64_t i = 0; i < n; ++i)
        d.ranges[i].chunks.store(pack(dealt * i / n, dealt * (i + 1) / n), memory_order_relaxed);
}

void* zeroed(std::size_t size) noexcept {
    void* memory = calloc(1, size);
    if (memory == nullptr) base::fatal("out of memory for a loop's shared data (%zu bytes)", size);
    return memory;
}

/// The first member at the loop sets it up.
void set_up(loop_descriptor& d, const team& tm, const loop_request& loop, const schedule& how) noexcept {
    d.memory = loop.memory == 0 ? nullptr : zeroed(loop.memory);
    d.total = loop.total;
    d.chunk = how.chunk < 1 ? 1 : static_cast<std::uint64_t>(how.chunk);
    d.chunks = divide_up(loop.total, d.chunk);
    d.next.store(0, memory_order_relaxed);
    d.turn.store(0, memory_order_relaxed);
    d.stealing = how.kind == schedule_kind::dynamic && !how.monotonic && !loop.ordered && d.chunks < (std::uint64_t{1} << 31);
    if (d.stealing) deal_ranges(d, tm.size);
}

/// Waits until the descriptor is free for loop n or another member has begun to set it up; true if that is for the caller to do.
bool claim_set_up(thread& t, team& tm, loop_descriptor& d, std::uint64_t n) noexcept {
    std::uint64_t seen = d.sequence.load(memory_order_acquire);  // pairs with end_loop
    if (seen < 2 * n)
        wait_in_team<meanwhile::nothing>(t, tm, tm.loop_parked, [&] { return (seen = d.sequence.load(memory_order_seq_cst)) >= 2 * n; });
    return seen == 2 * n && d.sequence.compare_exchange_strong(seen, 2 * n + 1, memory_order_acquire, memory_order_relaxed);
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

void hand_out(loop_state& l, const loop_descriptor& d, std::uint64_t chunk_number) noexcept {
    l.begin = chunk_number * d.chunk;
    l.end = d.total - l.begin < d.chunk ? d.total : l.begin + d.chunk;
}

bool take_shared(loop_state& l, loop_descriptor& d) noexcept {
    // Looking first keeps threads that come back for more from counting past the end. Relaxed: it deals out numbers only.
    if (d.next.load(memory_order_relaxed) >= d.chunks) return false;
    std::uint64_t const chunk_number = d.next.fetch_add(1, memory_order_relaxed);
    if (chunk_number >= d.chunks) return false;
    hand_out(l, d, chunk_number);
    return true;
}

/// Own range first, one chunk at a time; when it is empty, the far half of another member's; when nothing is to be found, the loop's last
/// chunk. That one comes last for whoever runs it: clang's code takes a lastprivate value from the last chunk that the thread ran, if
/// the thread ran the loop's last one at all. Relaxed throughout: the ranges deal out numbers; what the iterations do is ordered by
/// the barrier.
bool take_own_or_rob(loop_state& l, loop_descriptor& d, int number, int threads) noexcept {
    if (l.has_last) return false;
    auto& own = d.ranges[number].chunks;
    std::uint64_t range = own.load(memory_order_relaxed);
    while (next_in(range) < end_in(range))
        if (own.compare_exchange_weak(range, range + 1, memory_order_relaxed)) {
            hand_out(l, d, next_in(range));
            return true;
        }
    for (int i = 1; i < threads; ++i) {
        auto& victim = d.ranges[(number + i) % threads].chunks;
        std::uint64_t theirs = victim.load(memory_order_relaxed);
        while (next_in(theirs) < end_in(theirs)) {
            std::uint64_t const middle = next_in(theirs) + (end_in(theirs) - next_in(theirs)) / 2;
            if (!victim.compare_exchange_weak(theirs, pack(next_in(theirs), middle), memory_order_relaxed)) continue;
            // Our own range is empty, so nobody else changes it. A range never comes back to an earlier value: each chunk is
            // the next one only once.
            own.store(pack(middle + 1, end_in(theirs)), memory_order_relaxed);
            hand_out(l, d, middle);
            return true;
        }
    }
    if (d.chunks == 0 || d.next.load(memory_order_relaxed) != 0 || d.next.exchange(1, memory_order_relaxed) != 0) return false;
    l.has_last = true;
    hand_out(l, d, d.chunks - 1);
    return true;
}

/// A share of what is left, and never less than the chunk. Two words are not needed: the remainder follows from `next`.
bool take_guided(loop_state& l, loop_descriptor& d, int threads) noexcept {
    std::uint64_t next = d.next.load(memory_order_relaxed);
    for (;;) {
        if (next >= d.total) return false;
        std::uint64_t const left = d.total - next;
        std::uint64_t size = divide_up(left, static_cast<std::uint64_t>(threads));
        if (size < d.chunk) size = d.chunk;
        if (size > left) size = left;
        if (d.next.compare_exchange_weak(next, next + size, memory_order_relaxed)) {
            l.begin = next;
            l.end = next + size;
            return true;
        }
    }
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
    switch (l.kind) {
        case schedule_kind::static_: return take_static(l, t.number, t.team->size);
        case schedule_kind::guided: return take_guided(l, *l.shared, t.team->size);
        default: break;
    }
    return l.shared->stealing ? take_own_or_rob(l, *l.shared, t.number, t.team->size) : take_shared(l, *l.shared);
}

/// The turn goes to the thread with the iteration after our chunk.
void pass_turn(thread& t) noexcept {
    loop_state& l = t.loop;
    if (!l.in_hand) return;
    ordered_begin(t);
    l.in_hand = false;
    l.shared->turn.store(l.end, memory_order_seq_cst);  // release for the next thread; Dekker for loop_parked
    notify(*t.team, t.team->loop_parked);
}

}  // namespace

void begin_loop(thread& t, const loop_request& loop) noexcept {
    team& tm = *t.team;
    loop_state& l = t.loop;
    schedule how = loop.how;
    if (how.kind == schedule_kind::automatic) {
        how.kind = schedule_kind::static_;
        how.chunk = 0;
    }
    l.kind = how.kind;
    l.ordered = loop.ordered;
    l.lower = loop.lower;
    l.stride = loop.stride;
    l.total = loop.total;
    l.chunk = how.chunk < 0 ? 0 : static_cast<std::uint64_t>(how.chunk);
    l.next = 0;
    l.in_hand = false;
    l.has_last = false;
    if (tm.size == 1) {
        l.shared = nullptr;
        l.own_memory = loop.memory == 0 ? nullptr : zeroed(loop.memory);
        return;
    }
    std::uint64_t const n = t.loops_met++;
    loop_descriptor& d = tm.loops.entry[n % loop_ring::size];
    if (claim_set_up(t, tm, d, n)) {
        set_up(d, tm, loop, how);
        d.ready.store(static_cast<std::uint32_t>(n) + 1, memory_order_seq_cst);  // release: the fields
        notify(tm, tm.loop_parked);
    } else if (d.ready.load(memory_order_acquire) != static_cast<std::uint32_t>(n) + 1) {
        wait_in_team<meanwhile::nothing>(t, tm, tm.loop_parked,
                     [&] { return d.ready.load(memory_order_seq_cst) == static_cast<std::uint32_t>(n) + 1; });
    }
    l.shared = &d;
}

void* loop_memory(const thread& t) noexcept {
    return t.loop.shared != nullptr ? t.loop.shared->memory : t.loop.own_memory;
}

bool next_chunk(thread& t) noexcept {
    loop_state& l = t.loop;
    if (l.ordered) pass_turn(t);
    if (!take(t)) return false;
    l.in_hand = l.ordered && l.shared != nullptr;
    return true;
}

void end_loop(thread& t) noexcept {
    loop_state& l = t.loop;
    if (l.shared == nullptr) {
        free(l.own_memory);
        l.own_memory = nullptr;
        return;
    }
    if (l.ordered) pass_turn(t);
    loop_descriptor& d = *l.shared;
    l.shared = nullptr;
    team& tm = *t.team;
    // acq_rel: the last one makes the descriptor free for a loop that may not overtake any use of this one.
    if (static_cast<int>(d.finished.fetch_add(1, memory_order_acq_rel)) + 1 != tm.size) return;
    d.finished.store(0, memory_order_relaxed);
    if (d.memory != nullptr) {
        free(d.memory);
        d.memory = nullptr;
    }
    std::uint64_t const n = d.sequence.load(memory_order_relaxed) / 2;
    d.sequence.store(2 * (n + loop_ring::size), memory_order_seq_cst);  // pairs with claim_set_up
    notify(tm, tm.loop_parked);
}

void ordered_begin(thread& t) noexcept {
    loop_state& l = t.loop;
    if (l.shared == nullptr || !l.in_hand) return;
    loop_descriptor& d = *l.shared;
    if (d.turn.load(memory_order_acquire) == l.begin) return;  // pairs with pass_turn
    wait_in_team<meanwhile::nothing>(t, *t.team, t.team->loop_parked, [&] { return d.turn.load(memory_order_seq_cst) == l.begin; });
}

void ordered_end(thread&) noexcept {
    // The turn is passed on with the whole chunk: iterations of one chunk run in order anyway.
}

}  // namespace amity::omp
