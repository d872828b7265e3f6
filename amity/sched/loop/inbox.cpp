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
    // seq_cst: after `armed` (arm), or after `asleep` (progress_in_sight); pairs with put_in_inbox.
    wanted = [](const progress_source&) noexcept { return true; };
    arm = [](progress_source& s) noexcept {
      return static_cast<inbox&>(s).messages.load(std::memory_order_seq_cst) == nullptr;
    };
  }

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
  // Release: what happened before. seq_cst: before the look at `armed` (E1).
  while (!of_process.messages.compare_exchange_weak(first, &m, std::memory_order_seq_cst, std::memory_order_relaxed));
  if (attend_without_fiber(of_process) == 0)
    announce_progress(of_process);
  else
    static_cast<void>(of_process.run_all());  // the system refuses a descriptor: the caller becomes a guest after all
}

}  // namespace amity::sched
