#include "amity/omp/rt/taskloop.hpp"

#include <utility>

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

/// The body has ended, and with it all that was begun in it.
bool left_nothing(const explicit_task& x) noexcept {
  return x.siblings == nullptr && x.local == x.remote.load(std::memory_order_acquire);
}

/// A task that left nothing becomes the next chunk's. To make one costs more than most chunks.
void use_again(explicit_task& x, const loop_pattern& p) noexcept {
  x.flags = 0;
  x.icv = *p.where.icv;  // the body may have set some
  x.inner = &x;
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
  explicit_task* x = nullptr;
  for (std::uint64_t chunk = 0; chunk < p.chunks.chunks && !drops_new_tasks(t); ++chunk) {
    bool const again = x != nullptr;
    if (!again) x = p.make(t, p);
    p.fill(p, *x, chunk, again);
    begin_undeferred(t, *x);
    invoke(t, *x);
    if (x->flags == explicit_task::undeferred && left_nothing(*x)) {
      leave_undeferred(t, *x);
      use_again(*x, p);
    } else {
      end_undeferred(t, *x);
      x = nullptr;
    }
  }
  if (x != nullptr) release_task(&t, *x);
  release(t, p);
}

namespace {

/// For an OMPT tool: the encountering thread makes all the tasks, so that they are known before any of them begins. For
/// a race detector: no task knows what another did.
[[gnu::cold, gnu::noinline]] void spawn_traced_loop(thread& t, loop_pattern& p, std::int32_t priority) noexcept {
  for (std::uint64_t chunk = 0; chunk < p.chunks.chunks; ++chunk) {
    explicit_task& x = *p.make(t, p);
    p.fill(p, x, chunk, false);
    x.priority = priority;
    start_observed(t, x);
  }
  release(t, p);
}

}  // namespace

void spawn_loop(thread& t, loop_pattern& p, std::int32_t priority, bool awaited) noexcept {
  if (cold::any()) [[unlikely]]
    return spawn_traced_loop(t, p, priority);
  p.where.outer->local += p.chunks.chunks * scope::whole;  // every chunk's task; the range itself is none
  explicit_task& range = new_range(t, p, {0, p.chunks.chunks}, priority);
  if (awaited && priority <= 0) return run_range(t, range);
  enqueue(t, range);
  announce_range(t);
}

void run_range(thread& t, explicit_task& range) noexcept {
  loop_pattern& p = *range.code.pattern;
  bounds& b = bounds_of(range);
  explicit_task* x = nullptr;   // the task of the next chunk, if that of the last can serve again
  std::uint64_t completed = 0;  // and not reported: the task that waits, waits for all of them
  for (;;) {
    // Relaxed: a thread that sees a cancellation late makes a task that need not be run.
    if (t.team->cancelled.load(std::memory_order_relaxed) != 0 && is_dropped_in(*t.team, *p.where.outer)) [[unlikely]]
      break;
    if (b.end - b.next > 1 && t.tasks.queue.size() == 0 && t.team->size > 1) {
      std::uint64_t const middle = b.next + (b.end - b.next) / 2;
      p.references.fetch_add(1, std::memory_order_relaxed);
      enqueue(t, new_range(t, p, {middle, b.end}, range.priority));
      announce_range(t);
      b.end = middle;
    }
    bool const again = x != nullptr;
    if (!again) x = p.make(t, p);
    p.fill(p, *x, b.next, again);
    if (x->flags != 0) {
      execute(t, *std::exchange(x, nullptr));
    } else {
      run_body(t, *x);
      if (left_nothing(*x)) {
        ++completed;
        use_again(*x, p);
      } else {
        complete_unusual(&t, *std::exchange(x, nullptr));
      }
    }
    if (++b.next == b.end) break;
  }
  if (x != nullptr) release_task(&t, *x);
  completed += b.end - b.next;  // dropped, if any
  scope& outer = *p.where.outer;
  release(t, p);
  release_task(&t, range);
  if (completed != 0) report(&t, outer, completed * scope::whole);
}

}  // namespace amity::omp
