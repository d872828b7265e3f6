#include "amity/omp/rt/lower.hpp"

#include "amity/omp/rt/outside.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/omp/rt/wait.hpp"

namespace amity::omp {
namespace {

constexpr std::size_t page = 4096;

/// `a` and `b` go there in registers, so that nothing above is read or written until `what` returns.
template <class A, class B>
[[gnu::noinline]] void call_lower(void (*what)(A*, B*) noexcept, A* a, B* b) noexcept {
  void* const unused = __builtin_alloca(page);
  asm volatile("" ::"r"(unused) : "memory");
  what(a, b);
}

}  // namespace

void run_lower(thread& t, const region_work& work) noexcept {
  if (t.index != 0) return t.team->run_of_abi(t, work);
  call_lower<thread, const region_work>(
      [](thread* leader, const region_work* w) noexcept { leader->team->run_of_abi(*leader, *w); }, &t, &work);
}

void await_joins_lower(thread& leader) noexcept {
  call_lower<thread, team>(
      [](thread* t, team* tm) noexcept {
        auto const all_have = [tm] {
          return static_cast<int>(tm->joined.load(std::memory_order_seq_cst)) == tm->joins;
        };
        if (!tm->crowded) static_cast<void>(yield_until(all_have));  // it looks once more, and parks, as ever
        wait_in_team<meanwhile::run_tasks>(*t, *tm, tm->leader_parked, all_have);
      },
      &leader, leader.team);
}

}  // namespace amity::omp
