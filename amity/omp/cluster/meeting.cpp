// Barriers of a team over several processes. Each process tells process 0 when all its members are there; process 0
// lets all go on. 2 (n - 1) messages.
#include "amity/omp/cluster/job.hpp"
#include "amity/omp/hooks/cluster.hpp"
#include "amity/omp/rt/outside.hpp"
#include "amity/omp/rt/team.hpp"

namespace amity::omp::cluster {
namespace {

// In process 0: the processes that have not come to the barrier yet. acq_rel: who comes last passes on what all did.
std::atomic<int> missing{0};

// What a copyprivate hands over, if this barrier is behind one. In each process that of its own members, until they are
// all there; in process 0 also what came with an arrival. Released with the arrival itself.
std::atomic<void*> own_copy{nullptr}, copy_of_all{nullptr};

// In process 0: one process more is there.
void one_more() noexcept {
  if (missing.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  missing.store(parts(), std::memory_order_relaxed);  // nobody comes to the next one before it is let go
  forget_loops();
  forget_posts();
  void* const copy = copy_of_all.exchange(nullptr, std::memory_order_relaxed);
  for (int p = 1; p < parts(); ++p) tell(p, {.about = topic::go_on, .a = reinterpret_cast<std::uint64_t>(copy)});
  team& tm = *part_here();
  if (copy != nullptr) tm.copyprivate = copy;
  arrive_from_outside(tm);
}

}  // namespace

void begin_meetings(int parts) noexcept { missing.store(parts, std::memory_order_relaxed); }

void hands_over(void* data) noexcept { own_copy.store(data, std::memory_order_relaxed); }

void all_are_at_barrier(team&) noexcept {
  void* const copy = own_copy.exchange(nullptr, std::memory_order_relaxed);
  others->hand_on_output();
  if (others->own != 0) return tell(0, {.about = topic::arrived, .a = reinterpret_cast<std::uint64_t>(copy)});
  if (copy != nullptr) copy_of_all.store(copy, std::memory_order_relaxed);
  one_more();
}

void take_arrival(const message& m) noexcept {
  if (m.a != 0) copy_of_all.store(reinterpret_cast<void*>(m.a), std::memory_order_relaxed);
  one_more();
}

void take_release(const message& m) noexcept {
  if (is_over_but_for_attendance()) return;  // A5
  team& tm = *part_here();
  if (m.a != 0) tm.copyprivate = reinterpret_cast<void*>(m.a);
  arrive_from_outside(tm);
}

}  // namespace amity::omp::cluster
