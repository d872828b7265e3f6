/// Calls that a layer above has put off to the end of the running task.

#include <utility>

#include "amity/sched/tasks/task.hpp"

namespace amity::sched {

namespace {

/// Of a thread that ends with calls that it has put off outside of tasks.
struct at_thread_end {
  ~at_thread_end() {
    if (worker* const w = current_worker; w != nullptr) make_exit_calls(*w);
  }
  void arm() noexcept {}  // what is used is made, and destroyed at the end
};

}  // namespace

void add_exit_call(exit_call& c) noexcept {
  static thread_local at_thread_end end;
  worker& w = this_worker();
  if (!w.of_pool) end.arm();
  if (w.extras == nullptr) set_extras(w, &c.extras);
  task_extras& e = *w.extras;
  (e.first == nullptr ? e.first : e.last->next) = &c;
  e.last = &c;
}

void detail::make_exit_calls(worker& w) noexcept {
  while (w.extras != nullptr && w.extras->first != nullptr) {
    exit_call* next = std::exchange(w.extras->first, nullptr);
    if (w.extras == &next->extras) set_extras(w, nullptr);  // else those of a task with phasers, which stay with it
    without_extras const calls(w);
    while (next != nullptr) {
      exit_call& c = *next;
      next = c.next;
      c.run(c);
    }
  }
}

}  // namespace amity::sched
