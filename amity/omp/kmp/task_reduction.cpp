#include "amity/omp/kmp/task_reduction.hpp"

#include <stdlib.h>

#include <cstring>
#include <new>

#include "amity/base/config.hpp"
#include "amity/base/private_memory.hpp"
#include "amity/base/report.hpp"
#include "amity/omp/hooks/race.hpp"
#include "amity/omp/kmp/kmp.hpp"
#include "amity/omp/rt/task_run.hpp"

namespace amity::omp::kmp {

namespace {

/// A variable as clang passes it to __kmpc_taskred_init.
struct reduced_variable {
  void* shared;
  void* original;
  std::size_t size;
  void (*init)(void* copy, void* original);
  void (*fini)(void* copy);
  void (*combine)(void* into, void* copy);
  std::uint32_t flags;
};

/// The same before LLVM 11: no original.
struct old_reduced_variable {
  void* shared;
  std::size_t size;
  void (*init)(void* copy);
  void (*fini)(void* copy);
  void (*combine)(void* into, void* copy);
  std::uint32_t flags;
};

/// A thread's copy stands in `copies` at thread number * stride, followed by a byte that says whether it is in use.
/// Copies are made at their first use, by their thread; so nothing is shared until all tasks are complete.
struct item {
  void* shared = nullptr;
  void* original = nullptr;
  std::size_t size = 0;
  std::size_t stride = 0;
  char* copies = nullptr;
  void (*init)(void*, void*) = nullptr;
  void (*old_init)(void*) = nullptr;
  void (*fini)(void*) = nullptr;
  void (*combine)(void*, void*) = nullptr;

  [[nodiscard]] char* copy_of(int number) const noexcept { return copies + static_cast<std::size_t>(number) * stride; }
};

/// What a taskgroup reduces.
struct reductions {
  int threads = 0;
  std::uint32_t count = 0;
  bool common = false;          ///< the copies belong to all members' taskgroups of the construct
  bool of_region = false;       ///< common: of `parallel`, not of a worksharing construct in it
  reductions* first = nullptr;  ///< common: of the first member; lives until the last has left
  item items[1];
};

[[noreturn, gnu::cold]] void no_memory(std::size_t bytes) noexcept {
  base::fatal("out of memory for a task reduction (%zu bytes)", bytes);
}

reductions& allocate(std::uint32_t count, int threads) noexcept {
  std::size_t const bytes = sizeof(reductions) + count * sizeof(item);
  void* const memory = base::take_private(bytes);
  if (memory == nullptr) no_memory(bytes);
  auto& r = *new (memory) reductions;
  for (std::uint32_t i = 1; i < count; ++i) new (&r.items[i]) item;
  r.count = count;
  r.threads = threads;
  return r;
}

void take_over(item& i, const reduced_variable& v) noexcept {
  i.shared = v.shared;
  i.original = v.original != nullptr ? v.original : v.shared;
  i.size = v.size;
  i.init = v.init;
  i.fini = v.fini;
  i.combine = v.combine;
}

void take_over(item& i, const old_reduced_variable& v) noexcept {
  i.shared = i.original = v.shared;
  i.size = v.size;
  i.old_init = v.init;
  i.fini = v.fini;
  i.combine = v.combine;
}

template <class Variable>
reductions& describe(std::int32_t count, const void* data, int threads) noexcept {
  reductions& r = allocate(static_cast<std::uint32_t>(count), threads);
  for (std::int32_t i = 0; i < count; ++i) {
    take_over(r.items[i], static_cast<const Variable*>(data)[i]);
    // Of a section whose length is a constant, clang says the size of one element, and counts on libomp's rounding up
    // to a cache line. So the mark of a copy in use is not right behind it.
    std::size_t const size = r.items[i].size != 0 ? r.items[i].size : 1;
    r.items[i].stride = ((size + base::cache_line - 1) / base::cache_line + 1) * base::cache_line;
  }
  return r;
}

void make_copies(reductions& r) noexcept {
  race::unseen const quiet;  // they are all threads'
  for (std::uint32_t i = 0; i < r.count; ++i) {
    std::size_t const bytes = r.items[i].stride * static_cast<std::size_t>(r.threads);
    r.items[i].copies = static_cast<char*>(aligned_alloc(base::cache_line, bytes));
    if (r.items[i].copies == nullptr) no_memory(bytes);
    std::memset(r.items[i].copies, 0, bytes);
  }
}

void end_copies(reductions& r, bool combine) noexcept {
  for (std::uint32_t i = 0; i < r.count; ++i) {
    item& v = r.items[i];
    for (int number = 0; number < r.threads; ++number) {
      char* const copy = v.copy_of(number);
      if (copy[v.stride - 1] == 0) continue;
      if (combine) v.combine(v.shared, copy);
      if (v.fini != nullptr) v.fini(copy);
    }
    race::free_unseen(v.copies);
  }
}

void* copy_for(const item& v, int number) noexcept {
  char* const copy = v.copy_of(number);
  if (copy[v.stride - 1] == 0) {
    copy[v.stride - 1] = 1;
    if (v.init != nullptr)
      v.init(copy, v.original);
    else if (v.old_init != nullptr)
      v.old_init(copy);
  }
  return copy;
}

/// The calling thread's copy of the variable, an original or anybody's copy, in one of the groups from `s` outwards.
void* find(scope* s, const char* variable, int number) noexcept {
  for (; s != nullptr; s = s->outer.load(std::memory_order_relaxed)) {
    if (s->kind != scope::kind_of::group) continue;
    auto* const r = static_cast<reductions*>(static_cast<taskgroup*>(s)->clang_reductions);
    if (r == nullptr) continue;
    for (std::uint32_t i = 0; i < r->count; ++i) {
      const item& v = r->items[i];
      bool const is_copy = variable >= v.copies && variable < v.copy_of(r->threads);
      if (is_copy || variable == v.shared) return copy_for(v, number);
    }
  }
  base::fatal("in_reduction: no enclosing construct reduces the variable at %p", static_cast<const void*>(variable));
}

template <class Variable>
void* init(std::int32_t count, const void* data) noexcept {
  thread& t = this_thread();
  reductions& r = describe<Variable>(count, data, t.team->size);
  make_copies(r);
  taskgroup& g = open_taskgroup(t);
  g.clang_reductions = &r;
  return &g;
}

void* share_copies(void* mine, void* common) noexcept {
  auto& own = *static_cast<reductions*>(mine);
  if (common == nullptr) {
    make_copies(own);
    return mine;
  }
  auto const& first = *static_cast<const reductions*>(common);
  for (std::uint32_t i = 0; i < own.count; ++i) {
    own.items[i].copies = first.items[i].copies;
    own.items[i].original = first.items[i].original;
  }
  return common;
}

/// The copies of a construct that will not be ended.
void dispose(void* common) noexcept {
  auto& r = *static_cast<reductions*>(common);
  end_copies(r, false);
  race::free_unseen(&r);
}

/// The current taskgroup is of a construct, and ends. The last member combines, into its own variables, if it still has
/// them.
void end_construct(thread& t, bool combine = true) noexcept {
  wait_taskgroup(t);
  taskgroup const& g = open_taskgroup(t);
  auto* const own = static_cast<reductions*>(g.clang_reductions);
  reductions* const first = own->first;
  if (t.team->tasks.commons.leave(g.number, t.team->here)) {
    end_copies(*own, combine);
    if (own != first) race::free_unseen(first);
    race::free_unseen(own);
  } else if (own != first) {
    race::free_unseen(own);
  }
  end_taskgroup(t);
}

/// Each member opens a taskgroup; the first one there makes the copies that all of them use, each with variables of its
/// own to combine into. In a team over several processes each process has copies of its own, as tasks stay in it.
template <class Variable>
void* modifier_init(bool of_region, std::int32_t count, const void* data) noexcept {
  thread& t = this_thread();
  taskgroup& g = begin_taskgroup(t);
  g.of_construct = true;
  g.number = t.tasks.commons_met++;
  reductions& r = describe<Variable>(count, data, t.team->size);
  r.common = true;
  r.of_region = of_region;
  r.first = static_cast<reductions*>(t.team->tasks.commons.enter(g.number, &r, share_copies, dispose));
  g.clang_reductions = &r;
  return &g;
}

}  // namespace

namespace {

void end_group(thread& t, bool combine) noexcept {
  auto* const r = static_cast<reductions*>(open_taskgroup(t).clang_reductions);
  if (r == nullptr) {
    end_taskgroup(t);
    return;
  }
  wait_taskgroup(t);
  if (!r->common) {
    end_copies(*r, combine);
    race::free_unseen(r);
  }
  end_taskgroup(t);
}

}  // namespace

void end_group_with_reductions(thread& t) noexcept { end_group(t, true); }

void leave_reductions(thread& t) noexcept {
  if (t.current->inner == t.current) return;
  const auto* const r = static_cast<reductions*>(open_taskgroup(t).clang_reductions);
  if (r != nullptr && r->common && !r->of_region) end_construct(t);
}

// The region's code was left, and the variables with it that the copies would be combined into.
void leave_reductions_of_region(thread& t) noexcept {
  while (t.current->inner != t.current) {
    const auto* const r = static_cast<reductions*>(open_taskgroup(t).clang_reductions);
    if (r != nullptr && r->common)
      end_construct(t, false);
    else
      end_group(t, false);
  }
}

}  // namespace amity::omp::kmp

using namespace amity::omp;
using namespace amity::omp::kmp;

extern "C" {

void* __kmpc_task_reduction_init(int, int count, void* data) { return init<old_reduced_variable>(count, data); }
void* __kmpc_taskred_init(int, int count, void* data) { return init<reduced_variable>(count, data); }

void* __kmpc_task_reduction_get_th_data(int, void* group, void* variable) {
  thread& t = this_thread();
  if (race::is_on()) [[unlikely]]
    race::uses_reduction(t);
  scope* const from = group != nullptr ? static_cast<taskgroup*>(group) : t.current->inner;
  return find(from, static_cast<const char*>(variable), t.number);
}

void* __kmpc_task_reduction_modifier_init(ident*, int, int of_worksharing, int count, void* data) {
  return modifier_init<old_reduced_variable>(of_worksharing == 0, count, data);
}
void* __kmpc_taskred_modifier_init(ident*, int, int of_worksharing, int count, void* data) {
  return modifier_init<reduced_variable>(of_worksharing == 0, count, data);
}

void __kmpc_task_reduction_modifier_fini(ident*, int, int) { end_construct(this_thread()); }

}  // extern "C"
