#include "amity/omp/rt/taskloop.hpp"

#include "amity/omp/rt/cancel.hpp"

namespace amity::omp {

namespace {

struct bounds {
  std::uint64_t next;
  std::uint64_t end;
};

bounds& bounds_of(explicit_task& range) noexcept { return *static_cast<bounds*>(range.arguments); }

explicit_task& new_range(thread& t, loop_pattern& p, bounds b, std::int32_t priority) noexcept {
  explicit_task& x = new_task_at(t, p.where, sizeof(bounds), alignof(bounds));
  x.flags |= explicit_task::range;
  x.priority = priority;
  x.code.pattern = &p;
  bounds_of(x) = b;
  return x;
}

void release(thread& t, loop_pattern& p) noexcept {
  if (p.references.fetch_sub(1, std::memory_order_acq_rel) == 1) p.dispose(t, p);
}

/// The tasks of the range's chunks, which were counted when the loop was met, will not be made.
[[gnu::cold]] void drop_range(thread& t, loop_pattern& p, explicit_task& range) noexcept {
  scope& outer = *p.where.outer;
  std::uint64_t const chunks = bounds_of(range).end - bounds_of(range).next;
  release(t, p);
  release_task(&t, range);
  report(&t, outer, chunks * scope::whole);
}

}  // namespace

chunking cut(std::uint64_t total, loop_grain grain, std::uint64_t amount, bool strict, int threads) noexcept {
  // Far more chunks than anybody can wait for, and few enough to be counted (scope::body).
  constexpr std::uint64_t most = std::uint64_t{1} << 30;
  chunking c;
  c.total = total;
  if (grain == loop_grain::unspecified) {
    amount = static_cast<std::uint64_t>(threads) * (threads == 1 ? 1 : 8);
    strict = false;
  } else if (amount == 0) {
    amount = 1;
  }
  if (grain == loop_grain::grainsize) {
    if (strict) {
      c.size = amount;
      c.chunks = (total - 1) / amount + 1;
      if (c.chunks <= most) return c;
    }
    c.chunks = total / amount;  // each has at least `amount`, less than twice that
  } else {
    c.chunks = amount;
  }
  if (c.chunks > most) c.chunks = most;
  if (c.chunks > total) c.chunks = total;
  if (c.chunks == 0) c.chunks = 1;
  c.size = total / c.chunks;
  c.longer = total % c.chunks;
  return c;
}

void place_here(thread& t, loop_pattern& p) noexcept {
  p.where = born_here(t);
  p.icv = *p.where.icv;
  p.where.icv = &p.icv;
}

void run_loop_undeferred(thread& t, loop_pattern& p) noexcept {
  for (std::uint64_t chunk = 0; chunk < p.chunks.chunks && !drops_new_tasks(t); ++chunk)
    run_undeferred(t, *p.make(t, p, chunk));
  release(t, p);
}

void spawn_loop(thread& t, loop_pattern& p, std::int32_t priority) noexcept {
  p.where.outer->local += p.chunks.chunks * scope::whole;  // every chunk's task; the range itself is none
  enqueue(t, new_range(t, p, {0, p.chunks.chunks}, priority));
}

void run_range(thread& t, explicit_task& range) noexcept {
  loop_pattern& p = *range.code.pattern;
  bounds& b = bounds_of(range);
  for (;;) {
    // Relaxed: who sees a cancellation late makes a task that need not be run.
    if (t.team->cancelled.load(std::memory_order_relaxed) != 0 && is_dropped_in(*t.team, *p.where.outer)) [[unlikely]]
      return drop_range(t, p, range);
    if (b.end - b.next > 1 && t.tasks.queue.size() == 0 && t.team->size > 1) {
      std::uint64_t const middle = b.next + (b.end - b.next) / 2;
      p.references.fetch_add(1, std::memory_order_relaxed);
      enqueue(t, new_range(t, p, {middle, b.end}, range.priority));
      b.end = middle;
    }
    explicit_task& x = *p.make(t, p, b.next);
    if (++b.next == b.end) {
      release(t, p);
      release_task(&t, range);
      execute(t, x);
      return;
    }
    execute(t, x);
  }
}

}  // namespace amity::omp
