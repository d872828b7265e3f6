// Cancellation in a team over several processes. A member that cancels the region, a loop or sections tells process 0,
// which tells the others before it lets them leave the next barrier. At the end of a cancellable region each process
// says that its members are through; when all are, process 0 says so where the region was cancelled. README.md, A1 to
// A5.
#include <atomic>
#include <mutex>

#include "amity/omp/cluster/job.hpp"
#include "amity/omp/hooks/cluster.hpp"
#include "amity/omp/rt/cancel.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::omp::cluster {
namespace {

struct cancellation {
  cancel_kind what = cancel_kind::region;
  std::uint32_t round = 0;
  std::uint64_t loop = 0;  // 1 + its number
};

// Before a part has begun here, or process 0 has told the others of the region, one construct can be cancelled, and the
// region: the barrier behind the construct needs members of all processes.
struct early_ones {
  cancellation of_region, of_construct;
  bool has_region = false, has_construct = false;

  void note(const cancellation& c) noexcept {
    if (c.what == cancel_kind::region) {
      of_region = c;
      has_region = true;
    } else {
      of_construct = c;
      has_construct = true;
    }
  }
  template <class Function>
  void each(const Function& f) const {
    if (has_construct) f(of_construct);
    if (has_region) f(of_region);
  }
};

// What this process knows of the region under way. Changes under the lock.
sys::spin_lock lock;
enum class stage {
  announced,  // not in process 0: a part is due here
  open,       // the part here hears of what others cancel; in process 0, they hear of the region yet
  told,       // process 0: the others know of the region
  over
};
stage now = stage::over;
early_ones early;

// Process 0.
std::atomic<int> not_through{0};          // processes. acq_rel: the last one knows what all have cancelled
std::atomic<bool> some_cancelled{false};  // relaxed: see not_through
// Processes whose members are all at the region's end. Relaxed: loops and posts are gone through under their locks
// after it was set, and who asks later has had that lock since.
std::atomic<bool> through[most_processes];

// In another process: the region is over but for those who attend, and a release of a barrier may still be under way.
// By the thread that takes messages.
bool all_are = false;

void send(int to, const cancellation& c) noexcept {
  tell(to, {.about = topic::cancels, .a = static_cast<std::uint64_t>(c.what), .b = c.round, .c = c.loop});
}

void tell_others(const cancellation& c, int but) noexcept {
  for (int p = 1; p < parts(); ++p)
    if (p != but) send(p, c);
}

// In process 0: all others but that one are told, or will be when all know of the region.
void pass_on(const cancellation& c, int but) noexcept {
  some_cancelled.store(true, std::memory_order_relaxed);
  {
    std::lock_guard const guard(lock);
    if (now != stage::told) return early.note(c);
  }
  tell_others(c, but);
}

// In process 0: one more process is through.
void one_more(int process) noexcept {
  through[process].store(true, std::memory_order_relaxed);
  pass_over_loops();
  answer_for_absent_posts();
  if (not_through.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (!some_cancelled.load(std::memory_order_relaxed)) return;  // nobody attends
  for (int p = 1; p < parts(); ++p) tell(p, {.about = topic::all_through});
  leave_from_outside(*part_here());
}

}  // namespace

void begin_cancels() noexcept {
  std::lock_guard const guard(lock);
  now = stage::open;
  early = {};
  not_through.store(parts(), std::memory_order_relaxed);
  some_cancelled.store(false, std::memory_order_relaxed);
  for (int p = 0; p < parts(); ++p) through[p].store(false, std::memory_order_relaxed);
}

void region_is_told() noexcept {
  early_ones meanwhile;
  {
    std::lock_guard const guard(lock);
    now = stage::told;
    meanwhile = early;
  }
  meanwhile.each([](const cancellation& c) { tell_others(c, 0); });
}

void announce_part() noexcept {
  std::lock_guard const guard(lock);
  now = stage::announced;
  early = {};
  all_are = false;
}

void begin_part(team& tm) noexcept {
  std::lock_guard const guard(lock);
  now = stage::open;
  early.each([&](const cancellation& c) { cancel_from_outside(tm, c.what, c.round, c.loop); });
}

void part_ends(team&) noexcept {
  std::lock_guard const guard(lock);
  now = stage::over;
}

void tell_of_cancellation(team&, cancel_kind what, std::uint32_t round, std::uint64_t loop) noexcept {
  cancellation const c{what, round, loop};
  if (others->own != 0) return send(0, c);
  pass_on(c, 0);
}

void take_cancellation(int from, const message& m) noexcept {
  cancellation const c{static_cast<cancel_kind>(m.a), static_cast<std::uint32_t>(m.b), m.c};
  bool is_new = false;
  {
    std::lock_guard const guard(lock);
    if (now == stage::announced)
      early.note(c);
    else if (now != stage::over)
      is_new = cancel_from_outside(*part_here(), c.what, c.round, c.loop);
  }
  // Where it is not, somebody here does who was first, before the next barrier is over.
  if (others->own == 0 && is_new) pass_on(c, from);
}

void all_are_at_end(team&) noexcept {
  if (others->own == 0)
    one_more(0);
  else
    tell(0, {.about = topic::through});
}

void take_through(int from) noexcept { one_more(from); }

void take_all_through() noexcept {
  std::lock_guard const guard(lock);
  all_are = true;
  if (now == stage::open) leave_from_outside(*part_here());
}

bool is_over_but_for_attendance() noexcept { return all_are; }

bool is_through(int process) noexcept { return through[process].load(std::memory_order_relaxed); }

}  // namespace amity::omp::cluster
