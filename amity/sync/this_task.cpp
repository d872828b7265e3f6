#include "amity/sync/this_task.hpp"

#include "amity/sched/fiber/wait_note.hpp"

namespace amity::this_task::detail {

void sleep_until(sched::instant deadline) noexcept {
  if (sched::now() >= deadline) return sched::yield_to_tasks();  // a loop of such sleeps may wait for a task
  sched::fiber& me = *sched::self();
  const sched::wait_noted noted(me, sched::wait_kind::sleep, nullptr, __builtin_return_address(0));
  while (sched::now() < deadline) sched::park_until(deadline);
}

}  // namespace amity::this_task::detail
