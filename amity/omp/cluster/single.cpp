// single in a team over several processes: the first member to come, of the whole team, runs the block. The first one
// of each process asks process 0, where they are decided in the order in which they ask.
#include <mutex>

#include "amity/omp/cluster/job.hpp"
#include "amity/omp/hooks/cluster.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::omp::cluster {
namespace {

// One for who is first here and for the question, so that questions leave in the order of the singles.
sys::spin_lock asking;

// In process 0: how many singles of the region have been given away.
sys::spin_lock deciding;
std::uint32_t given = 0;

// A process asks for each single, in order. So no earlier one is open when one is asked for.
bool decide(std::uint32_t number) noexcept {
  std::lock_guard const guard(deciding);
  if (number != given) return false;
  ++given;
  return true;
}

}  // namespace

void begin_singles() noexcept {
  std::lock_guard const guard(deciding);
  given = 0;
}

bool is_first(thread& t) noexcept {
  team& tm = *t.team;
  std::uint32_t const mine = t.singles_met++;
  answer ours;
  {
    std::lock_guard const guard(asking);
    if (tm.single_taken.load(std::memory_order_relaxed) != mine) return false;
    tm.single_taken.store(mine + 1, std::memory_order_relaxed);
    std::uint32_t const number = mine - tm.first.single;
    if (others->own == 0) return decide(number);
    tell(0, {.about = topic::asks_single, .a = number, .b = ours.address()});
  }
  return ours.await() != 0;
}

void take_single_question(int from, const message& m) noexcept {
  tell(from, {.about = topic::single_is, .a = decide(static_cast<std::uint32_t>(m.a)), .b = m.b});
}

void take_single_answer(const message& m) noexcept { answer::at(m.b).give(static_cast<std::uint32_t>(m.a)); }

}  // namespace amity::omp::cluster
