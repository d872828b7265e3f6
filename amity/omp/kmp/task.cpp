/// clang's entries for tasks.

#include "amity/omp/kmp/task.hpp"

#include <stdlib.h>

#include "amity/base/private_memory.hpp"
#include "amity/base/report.hpp"
#include "amity/omp/hooks/race.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/kmp/task_reduction.hpp"
#include "amity/omp/rt/cancel.hpp"
#include "amity/omp/rt/task_run.hpp"
#include "amity/omp/rt/taskgroup.hpp"

namespace amity::omp::kmp {

namespace {

constexpr std::size_t words_align = alignof(std::max_align_t);

/// Two dependence lists of clang as one of ours.
class depend_list {
 public:
  depend_list(std::int32_t count, const depend_info* list, std::int32_t more, const depend_info* other) noexcept {
    std::size_t const total = static_cast<std::size_t>(count) + static_cast<std::size_t>(more);
    if (total > few) {
      all_ = static_cast<dependence*>(base::take_private(total * sizeof(dependence)));
      if (all_ == nullptr) base::fatal("out of memory for %zu dependences of a task", total);
    }
    for (std::int32_t i = 0; i < count; ++i) add(list[i]);
    for (std::int32_t i = 0; i < more; ++i) add(other[i]);
  }
  ~depend_list() {
    if (all_ != few_) base::give_back(all_);
  }
  depend_list(const depend_list&) = delete;
  depend_list& operator=(const depend_list&) = delete;

  [[nodiscard]] const dependence* data() const noexcept { return all_; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }

 private:
  void add(const depend_info& d) noexcept {
    if ((d.flags & 0x8f) == 0) return;  // an iterator's unused entry
    bool const everything = (d.flags & 0x80) != 0 || d.address == ~std::intptr_t{0};
    depend_kind const kind = everything           ? depend_kind::everything
                             : (d.flags & 2) != 0 ? depend_kind::out
                             : (d.flags & 4) != 0 ? depend_kind::mutexinoutset
                             : (d.flags & 8) != 0 ? depend_kind::inoutset
                                                  : depend_kind::in;
    all_[count_++] = {reinterpret_cast<void*>(d.address), kind};
  }

  static constexpr std::size_t few = 16;
  std::size_t count_ = 0;
  dependence few_[few];
  dependence* all_ = few_;
};

}  // namespace

explicit_task& make_task(thread& t, const birthplace& where, task_sizes sizes) noexcept {
  // Right behind the words, as in libomp: flang's functions that copy a task of a taskloop count on it.
  constexpr std::size_t pointer = alignof(void*);
  std::size_t const shareds_at = (sizes.words + pointer - 1) / pointer * pointer;
  explicit_task& x = new_task_at(t, where, shareds_at + sizes.shareds, words_align);
  x.is_clang = true;
  words_of(x).shareds = sizes.shareds == 0 ? nullptr : static_cast<char*>(x.arguments) + shareds_at;
  return x;
}

std::int32_t priority_of(explicit_task& x) noexcept {
  if (x.priority == 0) return 0;  // no clause
  int const most = max_task_priority();
  std::int32_t const asked = words_of(x).second.priority;
  return asked < 0 ? 0 : asked < most ? asked : most;
}

namespace {

[[nodiscard]] bool starts_at_once(thread& t, const explicit_task& x) noexcept {
  constexpr unsigned needs_queue = explicit_task::untied | explicit_task::detached;
  unsigned const special = x.flags & needs_queue;
  // An untied task that runs at once keeps its thread, part after part, like a tied one.
  bool const may = special == 0 || special == explicit_task::untied;
  return t.current->is_final || (may && runs_at_once(t));
}

}  // namespace

void start_task(thread& t, explicit_task& x) noexcept {
  if (drops_new_tasks(t)) [[unlikely]]
    return drop_new_task(t, x);
  if (starts_at_once(t, x))
    run_undeferred(t, x);
  else
    spawn(t, x);
}

namespace {

[[gnu::always_inline]] inline void hand_over(void* words) noexcept {
  thread& t = this_thread();
  explicit_task& x = from_words(words);
  if (x.started) [[unlikely]] {
    spawn_next_part(t, x);
  } else {
    x.priority = priority_of(x);
    start_task(t, x);
  }
}

[[gnu::cold, gnu::noinline]] void hand_over_observed(void* words) noexcept {
  thread& t = this_thread();
  explicit_task& x = from_words(words);
  if (!race::is_on() || x.started || t.current->is_final || drops_new_tasks(t)) return hand_over(words);
  x.priority = priority_of(x);
  start_observed(t, x);
}

void hand_over_depending(void* words, std::int32_t count, const depend_info* list, std::int32_t more,
                         const depend_info* other) noexcept {
  thread& t = this_thread();
  explicit_task& x = from_words(words);
  x.priority = priority_of(x);
  if (drops_new_tasks(t)) [[unlikely]]
    return drop_new_task(t, x);
  // As long as each of the siblings runs in place, nobody waits for any, and nobody needs to know of it later.
  if (t.team->size == 1 && t.current->siblings == nullptr && !cold::any() && starts_at_once(t, x))
    return run_undeferred(t, x);
  depend_list const all(count, list, more, other);
  if (t.current->is_final) {
    wait_dependences(t, all.data(), all.size());
    run_undeferred(t, x);
  } else {
    spawn_depending(t, x, all.data(), all.size());
  }
}

void wait_for(std::int32_t count, const depend_info* list, std::int32_t more, const depend_info* other) noexcept {
  thread& t = this_thread();
  if (t.current->siblings == nullptr && !cold::any()) return;
  depend_list const all(count, list, more, other);
  wait_dependences(t, all.data(), all.size());
}

}  // namespace

}  // namespace amity::omp::kmp

using namespace amity::omp;
using namespace amity::omp::kmp;

extern "C" {

void* __kmpc_omp_task_alloc(ident*, std::int32_t, std::int32_t flags, std::size_t size, std::size_t shareds,
                            task_entry entry) {
  thread& t = this_thread();
  explicit_task& x = make_task(t, born_here(t), {size, shareds});
  x.code.routine = entry != nullptr ? entry : [](std::int32_t, void*) -> std::int32_t { return 0; };
  task_words& w = words_of(x);
  w.routine = entry;
  w.part = 0;
  constexpr std::int32_t usual = task_tied | task_merged_if0;
  if ((flags & ~usual) != 0 || (flags & task_tied) == 0) [[unlikely]] {
    if ((flags & task_final) != 0) x.is_final = true;
    if ((flags & task_destructors) != 0) x.flags |= explicit_task::destroys;
    if ((flags & task_tied) == 0 && (flags & task_proxy) == 0) {
      x.flags |= explicit_task::untied;
      x.parts.store(1, std::memory_order_relaxed);
    }
    if ((flags & (task_proxy | task_detachable)) != 0) {
      // Without a call of __kmpc_task_allow_completion_event nobody will fulfill the event of a detachable task.
      open_event(t, x, (flags & task_proxy) != 0 ? 0u : std::uint32_t{explicit_task::fulfilled});
    }
    if ((flags & task_priority) != 0) x.priority = 1;  // the number follows
  }
  return &w;
}

void* __kmpc_omp_target_task_alloc(ident* where, std::int32_t number, std::int32_t flags, std::size_t size,
                                   std::size_t shareds, task_entry entry, std::int64_t) {
  return __kmpc_omp_task_alloc(where, number, flags | task_tied, size, shareds, entry);
}

std::int32_t __kmpc_omp_task(ident*, std::int32_t, void* words) {
  ompt::entered([=] { hand_over(words); }, [=] { hand_over_observed(words); });
  return 0;
}

std::int32_t __kmpc_omp_task_parts(ident*, std::int32_t, void* words) {
  ompt::entered([=] { hand_over(words); }, [=] { hand_over_observed(words); });
  return 0;
}

std::int32_t __kmpc_omp_task_with_deps(ident*, std::int32_t, void* words, std::int32_t count, depend_info* list,
                                       std::int32_t more, depend_info* other) {
  ompt::entered([=] {
    if (count + more <= 0)
      hand_over(words);
    else
      hand_over_depending(words, count, list, more, other);
  });
  return 0;
}

/// An undeferred task, whose body the compiler calls in between.
void __kmpc_omp_task_begin_if0(ident*, std::int32_t, void* words) {
  void* const caller = *static_cast<void**>(__builtin_frame_address(0));  // what the frame pointer was
  ompt::entered([=] { begin_undeferred(this_thread(), from_words(words)); },
                [=] {
                  begin_undeferred(this_thread(), from_words(words));
                  ompt::inlined_body_begins(this_thread(), from_words(words), caller);
                });
}
void __kmpc_omp_task_complete_if0(ident*, std::int32_t, void* words) {
  ompt::entered([=] { end_undeferred(this_thread(), from_words(words)); },
                [=] {
                  ompt::inlined_body_ends(this_thread(), from_words(words));
                  end_undeferred(this_thread(), from_words(words));
                });
}

void __kmpc_omp_wait_deps(ident*, std::int32_t, std::int32_t count, depend_info* list, std::int32_t more,
                          depend_info* other) {
  ompt::entered([=] { wait_for(count, list, more, other); });
}

/// `nowait` makes it an empty task in front of later siblings; those find its predecessors anyway.
void __kmpc_omp_taskwait_deps_51(ident*, std::int32_t, std::int32_t count, depend_info* list, std::int32_t more,
                                 depend_info* other, std::int32_t nowait) {
  ompt::entered([=] {
    if (nowait == 0) {
      wait_for(count, list, more, other);
      return;
    }
    thread& t = this_thread();
    depend_list const all(count, list, more, other);
    explicit_task& x = new_task(t, 0, 1);
    x.code.plain = [](void*) {};
    spawn_depending(t, x, all.data(), all.size());
  });
}

std::int32_t __kmpc_omp_taskwait(ident*, std::int32_t) {
  ompt::entered([] { wait_children(this_thread()); },
                [] {
                  ompt::taskwait_scope const scope;
                  wait_children(this_thread());
                });
  return 0;
}

std::int32_t __kmpc_omp_taskyield(ident*, std::int32_t, int) {
  ompt::entered([] { yield_task(this_thread()); },
                [] {
                  ompt::yields(true);
                  yield_task(this_thread());
                  ompt::yields(false);
                });
  return 0;
}

void __kmpc_taskgroup(ident*, std::int32_t) {
  ompt::entered([] { begin_taskgroup(this_thread()); });
}
void __kmpc_end_taskgroup(ident*, std::int32_t) {
  ompt::entered([] { end_group_with_reductions(this_thread()); });
}

/// The event of a detach clause; asked for before the task is handed over.
void* __kmpc_task_allow_completion_event(ident*, std::int32_t, void* words) {
  explicit_task& x = from_words(words);
  open_event(this_thread(), x, 0);
  return reinterpret_cast<void*>(event_handle(x));
}

void __kmpc_proxy_task_completed(std::int32_t, void* words) {
  ompt::entered([=] { fulfill(event_handle(from_words(words))); });
}
void __kmpc_proxy_task_completed_ooo(void* words) { fulfill(event_handle(from_words(words))); }

/// The dependence graph, for tools and for runtimes of devices. Only while the caller knows the task to be unfinished.
void* __kmpc_task_get_depnode(void* words) { return graph_node(from_words(words)); }
void* __kmpc_task_get_successors(void* words) { return graph_successors(from_words(words)); }

/// Where a runtime of devices may leave a handle, to have the task looked at again until what it started is complete. A
/// task is a call here, which ends once; null makes that runtime wait in it.
void** __kmpc_omp_get_target_async_handle_ptr(std::int32_t) { return nullptr; }

/// Affinity clauses are hints, and all memory is near enough for now.
std::int32_t __kmpc_omp_reg_task_with_affinity(ident*, std::int32_t, void*, std::int32_t, void*) { return 0; }

std::uint64_t __kmpc_get_taskid() { return reinterpret_cast<std::uintptr_t>(this_thread().current); }
std::uint64_t __kmpc_get_parent_taskid() { return reinterpret_cast<std::uintptr_t>(this_thread().current->parent); }
bool __kmpc_omp_has_task_team(std::int32_t) { return this_thread().team->size > 1; }

}  // extern "C"
