/// gcc's entries for tasks.

#include "amity/omp/gomp/task.hpp"

#include <cstdint>

#include "amity/base/private_memory.hpp"
#include "amity/base/report.hpp"
#include "amity/omp/hooks/race.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/rt/cancel.hpp"
#include "amity/omp/rt/task_arguments.hpp"
#include "amity/omp/rt/task_run.hpp"
#include "amity/omp/rt/taskgroup.hpp"
#include "amity/omp/rt/thread.hpp"

namespace amity::omp::gomp {

namespace {

/// What a depend object of gcc says.
depend_kind kind_of_object(std::uintptr_t kind) noexcept {
  switch (kind) {
    case 1:
      return depend_kind::in;
    case 2:
    case 3:
      return depend_kind::out;
    case 4:
      return depend_kind::mutexinoutset;
    case 5:
      return depend_kind::inoutset;
    default:
      base::fatal("depend(depobj: ...): %zu is no kind of dependence; was the object initialised?", kind);
  }
}

/// An address of 0 in an out dependence is omp_all_memory.
dependence named(void* address, depend_kind kind) noexcept {
  return {address, address == nullptr && kind == depend_kind::out ? depend_kind::everything : kind};
}

using copy_function = void (*)(void*, void*);

void fill_in(explicit_task& x, void (*fn)(void*), void* data, copy_function copy, std::size_t bytes) noexcept {
  x.code.plain = fn;
  if (copy != nullptr) {
    copy(x.arguments, data);
    x.started = true;  // the copies' destructors are called by the body alone
  } else {
    copy_arguments(x.arguments, data, bytes);
  }
}

/// The event of a detached task, for the variable of the clause and, as its first argument, for the task itself.
void make_event(thread& t, explicit_task& x, void* data, void* event) noexcept {
  open_event(t, x, 0);
  std::uintptr_t const handle = event_handle(x);
  *static_cast<std::uintptr_t*>(event) = handle;
  if (data != nullptr) *static_cast<std::uintptr_t*>(data) = handle;
}

struct task_request {
  void (*fn)(void*);
  void* data;
  copy_function copy;
  std::size_t bytes;
  std::size_t align;
  unsigned flags;
  void** depend;
  int priority;
  void* event;
};

/// A detached task that will not run. The program may use its event's handle all the same.
[[gnu::noinline, gnu::cold]] void drop_detached(thread& t, const task_request& r) noexcept {
  explicit_task& x = new_task(t, 0, 1);
  make_event(t, x, nullptr, r.event);
  drop_new_task(t, x);
}

[[gnu::noinline]] void run_special(thread& t, const task_request& r) noexcept {
  if ((r.flags & task_depend) != 0 && (t.current->siblings != nullptr || cold::any())) {
    depend_list const list(r.depend);
    wait_dependences(t, list.data(), list.size());
  }
  explicit_task& x = new_task(t, r.copy != nullptr ? r.bytes : 0, r.align);
  if ((r.flags & task_final) != 0) x.is_final = true;
  if ((r.flags & task_detach) != 0) make_event(t, x, r.data, r.event);
  if (r.copy != nullptr) {
    fill_in(x, r.fn, r.data, r.copy, r.bytes);
  } else {
    x.code.plain = r.fn;
    x.arguments = r.data;
  }
  run_undeferred(t, x);
}

[[gnu::noinline]] void spawn_special(thread& t, const task_request& r) noexcept {
  explicit_task& x = new_task(t, r.bytes, r.align);
  if ((r.flags & task_final) != 0) x.is_final = true;
  if ((r.flags & task_detach) != 0) make_event(t, x, r.data, r.event);
  fill_in(x, r.fn, r.data, r.copy, r.bytes);
  if ((r.flags & task_priority) != 0) {
    int const most = max_task_priority();
    x.priority = r.priority < most ? r.priority : most;
  }
  if ((r.flags & task_depend) != 0) {
    depend_list const list(r.depend);
    spawn_depending(t, x, list.data(), list.size());
  } else {
    spawn(t, x);
  }
}

void nothing(void*) {}

}  // namespace

depend_list::depend_list(void** list) noexcept {
  auto number = [list](std::size_t i) { return reinterpret_cast<std::size_t>(list[i]); };
  bool const old_form = number(0) != 0;
  count_ = old_form ? number(0) : number(1);
  if (count_ > few) {
    all_ = static_cast<dependence*>(base::take_private(count_ * sizeof(dependence)));
    if (all_ == nullptr) base::fatal("out of memory for %zu dependences of a task", count_);
  }
  std::size_t const out = old_form ? number(1) : number(2);
  std::size_t const exclusive = old_form ? out : out + number(3);
  std::size_t const in = old_form ? count_ : exclusive + number(4);
  void** const address = list + (old_form ? 2 : 5);
  for (std::size_t i = 0; i < count_; ++i) {
    if (i < in) {
      all_[i] = named(address[i], i < out         ? depend_kind::out
                                  : i < exclusive ? depend_kind::mutexinoutset
                                                  : depend_kind::in);
    } else {
      auto** const object = static_cast<void**>(address[i]);
      all_[i] = named(object[0], kind_of_object(reinterpret_cast<std::uintptr_t>(object[1])));
    }
  }
}

}  // namespace amity::omp::gomp

using namespace amity::omp;
using namespace amity::omp::gomp;

namespace {

/// What the flags say that only an OMPT tool wants to know.
int traced_flags(unsigned flags) noexcept {
  return ((flags & task_untied) != 0 ? int{ompt::task_untied} : 0) |
         ((flags & task_mergeable) != 0 ? int{ompt::task_mergeable} : 0);
}

template <bool Observed>
[[gnu::noinline]] void make_any_task(void (*fn)(void*), void* data, copy_function copy, long bytes, long align,
                                     bool if_clause, unsigned flags, void** depend, int priority,
                                     void* event) noexcept {
  thread& t = this_thread();
  auto const size = static_cast<std::size_t>(bytes);
  bool const drops = drops_new_tasks(t);
  // A race detector is to see that the task's maker does not wait for it.
  bool const is_unordered = Observed && race::is_on() && !t.current->is_final;
  if ((flags & (task_depend | task_priority | task_detach)) != 0) [[unlikely]] {
    task_request const r{fn, data, copy, size, static_cast<std::size_t>(align), flags, depend, priority, event};
    if (drops) [[unlikely]] {
      if ((flags & task_detach) != 0) drop_detached(t, r);
      return;
    }
    bool const may_run_at_once = (flags & (task_depend | task_detach)) == 0 && !is_unordered;
    if (!if_clause || t.current->is_final || (may_run_at_once && runs_at_once(t)))
      run_special(t, r);
    else
      spawn_special(t, r);
    if (is_unordered && (flags & (task_depend | task_detach)) == 0) race::run_what_is_due(t);
    return;
  }
  if (drops) [[unlikely]]
    return;
  bool at_once = !if_clause;
  if (!at_once && !is_unordered) at_once = runs_at_once(t);
  // A task that runs at once needs no copy of its arguments: its maker waits for it.
  explicit_task& x = new_task(t, at_once && copy == nullptr ? 0 : size, static_cast<std::size_t>(align));
  if ((flags & task_final) != 0) x.is_final = true;
  if (at_once) {
    x.code.plain = fn;
    if (copy != nullptr) [[unlikely]]
      copy(x.arguments, data);
    else
      x.arguments = data;
    run_undeferred(t, x);
  } else {
    fill_in(x, fn, data, copy, size);
    if (Observed)
      start_observed(t, x);
    else
      spawn(t, x);
  }
}

/// The copies of a task that runs in place may be on its maker's stack.
constexpr std::size_t most_on_stack = 1024;

[[gnu::noinline]] void run_copy_in_place(thread& t, void (*fn)(void*), void* data, copy_function copy,
                                         std::size_t bytes, std::size_t align, bool is_final) noexcept {
  auto const memory = reinterpret_cast<std::uintptr_t>(__builtin_alloca(bytes + align));
  auto* const copies = reinterpret_cast<void*>((memory + align - 1) & ~(align - 1));
  copy(copies, data);
  if (t.current->is_final)
    run_included(t, fn, copies);
  else
    run_in_place(t, fn, copies, is_final);
}

/// A task that is made now and runs in place has no sibling to wait for, and if all siblings run in place nobody needs
/// to know of its dependences later.
bool dependences_mean_nothing(const thread& t, bool if_clause) noexcept {
  return t.current->siblings == nullptr && (!if_clause || t.team->size == 1 || t.current->is_final);
}

/// A task that runs in place goes before the rest, whose arguments and registers it has no use for.
[[gnu::always_inline]] inline void make_task(void (*fn)(void*), void* data, copy_function copy, long bytes, long align,
                                             bool if_clause, unsigned flags, void** depend, int priority,
                                             void* event) noexcept {
  thread* const t = current_thread;
  // A priority means nothing there. Relaxed: as in drops_new_tasks.
  if ((flags & task_detach) != 0 || t == nullptr ||
      ((flags & task_depend) != 0 && !dependences_mean_nothing(*t, if_clause)) || (if_clause && !runs_at_once(*t)) ||
      t->team->cancelled.load(std::memory_order_relaxed) != 0 ||
      (copy != nullptr && static_cast<std::size_t>(bytes + align) > most_on_stack))
    make_any_task<false>(fn, data, copy, bytes, align, if_clause, flags, depend, priority, event);
  else if (copy != nullptr)
    run_copy_in_place(*t, fn, data, copy, static_cast<std::size_t>(bytes), static_cast<std::size_t>(align),
                      (flags & task_final) != 0);
  else if (t->current->is_final)
    run_included(*t, fn, data);
  else
    run_in_place(*t, fn, data, (flags & task_final) != 0);
}

void make_traced_task(void (*fn)(void*), void* data, copy_function copy, long bytes, long align, bool if_clause,
                      unsigned flags, void** depend, int priority, void* event) noexcept {
  ompt::next_task_is(traced_flags(flags));
  make_any_task<true>(fn, data, copy, bytes, align, if_clause, flags, depend, priority, event);
}

void taskwait_depend(void** depend) noexcept {
  thread& t = this_thread();
  if (t.current->siblings == nullptr && !cold::any()) return;
  depend_list const list(depend);
  wait_dependences(t, list.data(), list.size());
}

}  // namespace

extern "C" {

void GOMP_task(void (*fn)(void*), void* data, void (*copy)(void*, void*), long bytes, long align, bool if_clause,
               unsigned flags, void** depend, int priority, void* event) {
  ompt::entered_with<make_task, make_traced_task>(fn, data, copy, bytes, align, if_clause, flags, depend, priority,
                                                  event);
}

void GOMP_taskwait() {
  ompt::entered([] { wait_children(this_thread()); },
                [] {
                  ompt::taskwait_scope const scope;
                  wait_children(this_thread());
                });
}

void GOMP_taskwait_depend(void** depend) {
  ompt::entered([=] { taskwait_depend(depend); });
}

/// gcc 13: `taskwait depend(...) nowait` is an empty task.
void GOMP_taskwait_depend_nowait(void** depend) {
  ompt::entered([=] {
    thread& t = this_thread();
    if (t.current->siblings == nullptr) return;
    spawn_special(t, {nothing, nullptr, nullptr, 0, 1, task_depend, depend, 0, nullptr});
  });
}

void GOMP_taskyield() {
  ompt::entered([] { yield_task(this_thread()); },
                [] {
                  ompt::yields(true);
                  yield_task(this_thread());
                  ompt::yields(false);
                });
}

void GOMP_taskgroup_start() {
  ompt::entered([] { begin_taskgroup(this_thread()); });
}
void GOMP_taskgroup_end() {
  ompt::entered([] { end_taskgroup(this_thread()); });
}

}  // extern "C"
