/// clang's entries for taskloop. The compiler fills in one task; each of the loop's tasks is a copy of it, with bounds
/// of its own.

#include "amity/omp/rt/taskloop.hpp"

#include <stdlib.h>

#include <new>

#include "amity/base/report.hpp"
#include "amity/omp/hooks/race_detector.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/kmp/task.hpp"
#include "amity/omp/kmp/task_reduction.hpp"
#include "amity/omp/rt/cancel.hpp"
#include "amity/omp/rt/task_arguments.hpp"
#include "amity/omp/rt/taskgroup.hpp"

namespace amity::omp::kmp {

namespace {

/// What the compiler puts in front of a loop task's private variables. Only the bounds differ from chunk to chunk, and
/// `last`, if the compiler gives a function that sets it.
struct loop_words {
  task_words task;
  std::uint64_t lower, upper;
  std::int64_t stride;
  std::int32_t last;
  void* reductions;
};
static_assert(sizeof(loop_words) == 80);

/// Copies what bits alone do not copy, and tells the copy whether it has the last iteration.
using duplicate = void (*)(void* to, void* from, std::int32_t last);

struct clang_loop : loop_pattern {
  explicit_task* original = nullptr;
  duplicate copy = nullptr;
  std::size_t bytes = 0;    ///< of the original's arguments
  bool constant = false;    ///< but for the bounds: there are no private variables
  std::size_t shareds = 0;  ///< where its pointers to shared variables are
  std::size_t lower_at = 0, upper_at = 0;
  std::uint64_t lower = 0;
  std::int64_t stride = 1;
};

std::uint64_t& word_at(void* arguments, std::size_t offset) noexcept {
  return *reinterpret_cast<std::uint64_t*>(static_cast<char*>(arguments) + offset);
}

explicit_task* make(thread& t, loop_pattern& p) noexcept {
  auto& l = static_cast<clang_loop&>(p);
  explicit_task& x = new_task_at(t, l.where, l.bytes, alignof(std::max_align_t));
  x.is_clang = true;
  x.code = l.original->code;
  x.flags |= static_cast<std::uint8_t>(l.original->flags & (explicit_task::destroys | explicit_task::untied));
  x.parts.store(1, std::memory_order_relaxed);
  return &x;
}

void fill(loop_pattern& p, explicit_task& x, std::uint64_t chunk, bool again) noexcept {
  auto& l = static_cast<clang_loop&>(p);
  if (!again || !l.constant) {
    copy_arguments(x.arguments, l.original->arguments, l.bytes);
    if (l.shareds != 0) words_of(x).shareds = static_cast<char*>(x.arguments) + l.shareds;
  }
  auto const stride = static_cast<std::uint64_t>(l.stride);
  word_at(x.arguments, l.lower_at) = l.lower + l.chunks.begin(chunk) * stride;
  word_at(x.arguments, l.upper_at) = l.lower + (l.chunks.end(chunk) - 1) * stride;  // inclusive
  if (cold::any()) [[unlikely]]
    ompt::next_task_has(l.chunks.begin(chunk), l.chunks.end(chunk) - l.chunks.begin(chunk));
  if (l.copy != nullptr) l.copy(x.arguments, l.original->arguments, chunk + 1 == l.chunks.chunks);
}

/// The original is never run; its private variables end here.
void dispose(thread& t, loop_pattern& p) noexcept {
  auto& l = static_cast<clang_loop&>(p);
  if ((l.original->flags & explicit_task::destroys) != 0)
    if (task_entry const destroy = words_of(*l.original).first.destructors)
      destroy(static_cast<std::int32_t>(t.gtid), l.original->arguments);
  release_task(&t, *l.original);
  race::free_unseen(&l);
}

std::uint64_t trips(std::uint64_t lower, std::uint64_t upper, std::int64_t stride) noexcept {
  if (stride > 0) {
    if (static_cast<std::int64_t>(lower) > static_cast<std::int64_t>(upper) && upper < lower) return 0;
    return (upper - lower) / static_cast<std::uint64_t>(stride) + 1;
  }
  return (lower - upper) / (std::uint64_t{0} - static_cast<std::uint64_t>(stride)) + 1;
}

struct loop_arguments {
  void* words;
  bool deferred;
  std::uint64_t* lower;
  std::uint64_t* upper;
  std::int64_t stride;
  bool nogroup;
  std::int32_t grain;  ///< 0 none, 1 grainsize, 2 num_tasks
  std::uint64_t amount;
  bool strict;
  void* copy;
};

/// The encountering thread waits for the loop next. clang says so by a taskgroup around it, which holds nothing else
/// yet when the loop comes, itself `nogroup`. A hint, so relaxed: a wrong answer changes who begins with the loop.
bool is_awaited(const loop_arguments& a, const scope& around) noexcept {
  if (!a.nogroup) return true;
  return around.kind == scope::kind_of::group && around.local == 0 &&
         around.remote.load(std::memory_order_relaxed) == 0;
}

void run(thread& t, const loop_arguments& a) noexcept {
  explicit_task& original = from_words(a.words);
  void* const memory = malloc(sizeof(clang_loop));
  if (memory == nullptr) base::fatal("out of memory for a taskloop");
  auto& l = *new (memory) clang_loop;
  if (!a.nogroup) begin_taskgroup(t);
  place_here(t, l);
  l.where.is_final = original.is_final;
  l.original = &original;
  l.copy = reinterpret_cast<duplicate>(a.copy);
  l.bytes = original.argument_bytes;
  auto* const base = static_cast<char*>(original.arguments);
  auto* const shareds = static_cast<char*>(words_of(original).shareds);
  l.shareds = shareds == nullptr ? 0 : static_cast<std::size_t>(shareds - base);
  l.lower_at = static_cast<std::size_t>(reinterpret_cast<char*>(a.lower) - base);
  l.upper_at = static_cast<std::size_t>(reinterpret_cast<char*>(a.upper) - base);
  l.constant = l.copy == nullptr && (l.shareds != 0 ? l.shareds : l.bytes) <= sizeof(loop_words);
  l.lower = *a.lower;
  l.stride = a.stride;
  l.make = make;
  l.fill = fill;
  l.dispose = dispose;
  std::uint64_t const total = trips(*a.lower, *a.upper, a.stride);
  if (cold::any()) [[unlikely]]
    ompt::work_begins(t, ompt::work_kind::taskloop, total);
  loop_grain const grain = a.grain == 1   ? loop_grain::grainsize
                           : a.grain == 2 ? loop_grain::num_tasks
                                          : loop_grain::unspecified;
  if (total == 0 || drops_new_tasks(t)) {
    dispose(t, l);
  } else {
    l.chunks = cut(total, grain, a.amount, a.strict, t.team->size);
    if (!a.deferred || t.current->is_final || (t.team->size == 1 && !cold::any()))
      run_loop_undeferred(t, l);
    else
      spawn_loop(t, l, priority_of(original), is_awaited(a, *l.where.outer));
  }
  if (cold::any()) [[unlikely]]
    ompt::work_ends(t, ompt::work_kind::taskloop, total);
  if (!a.nogroup) end_group_with_reductions(t);
}

}  // namespace
}  // namespace amity::omp::kmp

using namespace amity::omp;
using namespace amity::omp::kmp;

extern "C" {

void __kmpc_taskloop(ident*, std::int32_t, void* words, std::int32_t if_value, std::uint64_t* lower,
                     std::uint64_t* upper, std::int64_t stride, std::int32_t nogroup, std::int32_t grain,
                     std::uint64_t amount, void* copy) {
  ompt::entered([=] {
    run(this_thread(), {words, if_value != 0, lower, upper, stride, nogroup != 0, grain, amount, false, copy});
  });
}

void __kmpc_taskloop_5(ident*, std::int32_t, void* words, std::int32_t if_value, std::uint64_t* lower,
                       std::uint64_t* upper, std::int64_t stride, std::int32_t nogroup, std::int32_t grain,
                       std::uint64_t amount, std::int32_t modifier, void* copy) {
  ompt::entered([=] {
    run(this_thread(), {words, if_value != 0, lower, upper, stride, nogroup != 0, grain, amount, modifier != 0, copy});
  });
}

}  // extern "C"
