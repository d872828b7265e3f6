#include "amity/sched/loop/inbox.hpp"

#include <atomic>

#include "amity/sched/fiber/fiber.hpp"
#include "amity/sched/loop/internal/progress.hpp"
#include "amity/sched/loop/internal/task_source.hpp"
#include "amity/sched/loop/progress.hpp"

namespace amity::sched {
namespace {

struct inbox : progress_source {
  /// The last one put in is the first. Taken all at once.
  std::atomic<inbox_message*> messages{nullptr};

  inbox() noexcept {
    poll = [](progress_source& s) noexcept { return static_cast<inbox&>(s).run_all(); };
    wanted = [](const progress_source& s) noexcept { return !static_cast<const inbox&>(s).is_empty(); };
    arm = [](progress_source& s) noexcept { return static_cast<inbox&>(s).is_empty(); };
  }

  /// seq_cst: a carrier that goes to sleep asks after it has set `asleep` (E2). Pairs with put_in_inbox.
  [[nodiscard]] bool is_empty() const noexcept { return messages.load(std::memory_order_seq_cst) == nullptr; }

  int run_all() noexcept {
    inbox_message* m = messages.exchange(nullptr, std::memory_order_acquire);  // pairs with put_in_inbox
    inbox_message* first = nullptr;
    int n = 0;
    for (; m != nullptr; ++n) {
      inbox_message* const before = m->next;
      m->next = first;
      first = m;
      m = before;
    }
    while (first != nullptr) {
      inbox_message* const behind = first->next;
      first->run(*first);
      first = behind;
    }
    return n;
  }
};
inbox of_process;

}  // namespace

void forget_inbox() noexcept { of_process.messages.store(nullptr, std::memory_order_relaxed); }

bool is_foreign_thread() noexcept { return current_fiber == nullptr && source_of_tasks() != nullptr; }

void put_in_inbox(inbox_message& m) noexcept {
  inbox_message* first = of_process.messages.load(std::memory_order_relaxed);
  do m.next = first;
  // Release: what happened before. seq_cst: before the look at the carriers that sleep (E2).
  while (!of_process.messages.compare_exchange_weak(first, &m, std::memory_order_seq_cst, std::memory_order_relaxed));
  if (first != nullptr) return;  // the thread that has found it empty says so
  if (attend_without_fiber(of_process) == 0)
    stir(of_process);
  else
    static_cast<void>(of_process.run_all());  // the system refuses a descriptor: the caller becomes a guest after all
}

}  // namespace amity::sched
