#include "amity/sched/tasks/stack_task.hpp"

#include <new>

#include "amity/sched/fiber/fiber.hpp"
#include "amity/sched/fiber/wait_note.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/tasks/internal/domain.hpp"
#include "amity/sched/tasks/internal/engine.hpp"

namespace amity::sched {

using std::memory_order_acq_rel;
using std::memory_order_acquire;

void stack_task::end_as(std::uintptr_t how) noexcept {
  // Release: what the task did; acquire: the fiber. Pairs with wait_for.
  std::uintptr_t const before = end.exchange(how, memory_order_acq_rel);
  if (before > failed) unpark(reinterpret_cast<fiber*>(before));
}

namespace {

/// Stands for a stack_task in the queue of a policy, which can't give back what it was given: it may outlive the
/// lent one. The worker that sets `claimed` first runs that one.
struct stand_in : task {
  stack_task* target;
  std::atomic<int> holders{2};  ///< the policy, and the fiber that lent the task

  stand_in(stack_task& t, std::uint8_t memory, frame_pool* where) noexcept
      : task(&run_target, nullptr, memory, where), target(&t) {
    detached = true;
  }

  /// Acquire: the worker that claims it goes on with what the other did before; release: nothing but that it was
  /// claimed.
  [[nodiscard]] bool claim() noexcept { return claimed.exchange(1, memory_order_acq_rel) == 0; }
  void drop(worker& w) noexcept {
    if (holders.fetch_sub(1, memory_order_acq_rel) == 1) give_task_memory(this, size_class, w);
  }

  static void run_target(task& t, worker& w, call) noexcept {
    auto& me = static_cast<stand_in&>(t);
    if (me.claim()) me.target->run(*me.target, w, call::from_queue);
    me.drop(w);
  }
};

}  // namespace

bool detail::lend_elsewhere(stack_task& t, worker& w) noexcept {
  // Where tasks don't migrate, a call of this fiber's stays here.
  if (w.policy.of == nullptr || w.policy.of->bound) return false;
  frame* const memory = take_task_memory<sizeof(stand_in)>(w);
  if (memory == nullptr) return false;
  auto* const s = ::new (memory) stand_in(t, static_cast<std::uint8_t>(class_for_task(sizeof(stand_in))), memory->home);
  t.claimed.store(stood_for, std::memory_order_relaxed);  // the fiber's own note
  t.next = s;
  put_in_domain(*w.policy.of, *s, w, {});
  return true;
}

bool detail::take_back_slowly(const stack_task& mine, worker& w, std::uint32_t at) noexcept {
  if (mine.claimed.load(std::memory_order_relaxed) == stood_for) {
    auto& s = *static_cast<stand_in*>(mine.next);
    bool const ours = s.claim();
    s.drop(w);
    return ours;
  }
  // It is no longer there if another took it, or if a wait for something older put it aside.
  if (!w.queue.holds(&mine, at)) return false;
  bool published = false;
  bool const ours = w.queue.take_out(at, published);
  if (published) announce_at(w);
  if (ours) return true;
  // All below is public or nearly. What lies on top is in the way, and others may run it.
  while (task* t = w.queue.pop(at + 1)) {
    put_aside(*t, w);
    announce_at(w);
  }
  return w.queue.pop_if_newest(&mine);
}

void leave_to_others(const stack_task& t, worker& w) noexcept {
  // In this fiber's queue it is found when the fiber waits: that makes the queue public.
  if (t.claimed.load(std::memory_order_relaxed) == stood_for) static_cast<stand_in*>(t.next)->drop(w);
}

void wait_for(stack_task& t, const worker& w) noexcept {
  auto ended = [&t] {
    std::uintptr_t const how = t.end.load(memory_order_acquire);  // pairs with end_as
    return how == stack_task::done || how == stack_task::failed;
  };
  if (wait_briefly(w, ended)) return;
  std::uintptr_t before = stack_task::open;
  // Release: nothing but the fiber's address, which is never freed; acquire: pairs with end_as.
  if (!t.end.compare_exchange_strong(before, reinterpret_cast<std::uintptr_t>(self()), memory_order_acq_rel,
                                     memory_order_acquire))
    return;
  wait_noted const noted(*w.self, wait_kind::future, &t, __builtin_return_address(0));
  while (!ended()) park();
}

}  // namespace amity::sched
