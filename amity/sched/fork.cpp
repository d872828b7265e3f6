#include "amity/sched/fork.hpp"

#include "amity/sched/fiber.hpp"
#include "amity/sched/park.hpp"
#include "amity/sched/wait_note.hpp"

namespace amity::sched {

using std::memory_order_acq_rel;
using std::memory_order_acquire;

void forked::end_as(std::uintptr_t how) noexcept {
  // Release: what the task did; acquire: the fiber. Pairs with wait_for.
  std::uintptr_t const before = end.exchange(how, memory_order_acq_rel);
  if (before > failed) unpark(reinterpret_cast<fiber*>(before));
}

bool detail::take_back_slowly(const forked& mine, worker& w, std::uint32_t at) noexcept {
  // It is no longer there if another took it, or if a wait for something older put it aside.
  if (!w.queue.holds(&mine, at)) return false;
  bool published = false;
  bool const ours = w.queue.take_out(at, published);
  if (published) announce();
  if (ours) return true;
  // All below is public or nearly. What lies on top is in the way, and others may run it.
  while (task* t = w.queue.pop(at + 1)) {
    put_aside(*t, w);
    announce();
  }
  return w.queue.pop_if_newest(&mine);
}

void wait_for(forked& t, const worker& w) noexcept {
  auto ended = [&t] {
    std::uintptr_t const how = t.end.load(memory_order_acquire);  // pairs with end_as
    return how == forked::done || how == forked::failed;
  };
  for (unsigned turn = 0; turn < w.wait_turns; ++turn) {
    if (ended()) return;
    base::cpu_relax();
  }
  std::uintptr_t before = forked::open;
  // Release: nothing but the fiber's address, which is never freed; acquire: pairs with end_as.
  if (!t.end.compare_exchange_strong(before, reinterpret_cast<std::uintptr_t>(self()), memory_order_acq_rel,
                                     memory_order_acquire))
    return;
  wait_noted const noted(*w.self, wait_kind::future, &t, __builtin_return_address(0));
  while (!ended()) park();
}

}  // namespace amity::sched
