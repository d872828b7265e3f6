#pragma once

/// For the files of this folder: what acquire and release are said of, where nothing of the runtime's has the right
/// life.

#include <stdlib.h>

#include <cstdint>
#include <new>

#include "amity/base/config.hpp"
#include "amity/base/private_memory.hpp"
#include "amity/base/report.hpp"
#include "amity/omp/hooks/race_detector.hpp"
#include "amity/omp/rt/depend.hpp"
#include "amity/omp/rt/task.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/sched/tasks/frame_pool.hpp"

namespace amity::omp::race {

/// A name; its value means nothing. As large as what the detector tells apart.
struct word {
  std::uint64_t nothing = 0;
};

/// The tasks that named one address in their depend clauses, children of one task. Each kind of access has its word: a
/// task releases its own at its end, and acquires at its start those of the kinds that it comes after.
struct address_words {
  address_words* next = nullptr;
  const void* address = nullptr;
  word of[4];  ///< by depend_kind: in, out, mutexinoutset, inoutset
};

/// For the children of one task. Only that task looks anything up; the children have pointers.
struct sibling_words {
  static constexpr unsigned buckets = 64;
  address_words* first[buckets] = {};
  word all_memory;  ///< of those that depend on everything
  word named;       ///< of all others

  address_words& at(const void* address) noexcept;
  void clear() noexcept;
};

/// One entry of a task's depend clauses. `at` null: all memory.
struct link {
  address_words* at;
  depend_kind kind;
};

struct task_words {
  word made;                          ///< by its maker, for its start
  word ended;                         ///< a part of it, for the next one
  word children;                      ///< by its children at their end, for its taskwait
  sibling_words* siblings = nullptr;  ///< of its children; made at need
  sibling_words* among = nullptr;     ///< that it belongs to, if it has dependences
  std::size_t links = 0;
  link* list = nullptr;
};

struct member_words {
  sibling_words siblings;  ///< of the implicit task's children
  bool reduces = false;    ///< some task on this thread used its copies of a reduction
  word copies;             ///< for those that do
};

template <class T>
[[nodiscard]] T* make(std::size_t more = 0) noexcept {
  void* const memory = base::take_private(sizeof(T) + more);
  if (memory == nullptr) base::fatal("out of memory for what ThreadSanitizer is told (%zu bytes)", sizeof(T) + more);
  return new (memory) T;
}

/// Where the pointer to a task's words is: in the last line but one of its frame; new_task_at() made room.
[[nodiscard]] inline task_words*& words_of(explicit_task& x) noexcept {
  std::size_t const size = sched::frame_pool::size_of_class[x.size_class];
  return *reinterpret_cast<task_words**>(reinterpret_cast<char*>(&x) + size - 2 * base::cache_line);
}
[[nodiscard]] member_words& words_of(thread& t) noexcept;

/// The word that `parent`'s children release at their end.
[[nodiscard]] inline const volatile void* children_of(task& parent) noexcept {
  if (parent.is_implicit) return &parent.remote;
  return &words_of(static_cast<explicit_task&>(parent))->children;
}
/// That all descendants of an implicit task release.
[[nodiscard]] inline const volatile void* descendants_of(const scope& implicit) noexcept { return &implicit.awaited; }

/// The task's dependences, at its start and at its end.
void acquire_dependences(const task_words& w) noexcept;
void release_dependences(const task_words& w) noexcept;

}  // namespace amity::omp::race
