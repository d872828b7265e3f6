#pragma once

/// What a tool needs to be told of a thread, a region and a task. None of it exists while no tool runs: a `thread` and
/// a `team` have one pointer each, and an explicit task's record stands at the end of its frame.

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/omp/hooks/tool_types.hpp"

namespace amity::omp {

struct task;
struct explicit_task;

namespace ompt {

struct task_record {
  ompt::data data;
  ompt::frame frame;
  int flags = 0;  ///< task_flag
  /// detach: bits of who came first, the body's end or the event; see end_of_body and fulfilled.
  std::atomic<std::uint32_t> ends{0};
  dispatch_chunk chunk{0, 0};      ///< a taskloop's task: its iterations
  task* scheduled_from = nullptr;  ///< explicit: what ran on the thread before
};
static_assert(sizeof(task_record) <= base::cache_line);

struct parallel_record {
  ompt::data data;
  const void* code = nullptr;  ///< where the program called for the region
  int flags = 0;
  unsigned requested = 0;
  parallel_record* next = nullptr;  ///< free ones
};

/// An OpenMP thread: what keeps its stack and its thread-local variables, from team to team. Only the thread itself
/// reads and writes it.
struct thread_record {
  ompt::data data;
  thread_kind kind = thread_kind::unknown;
  ompt::state state = ompt::state::undefined;
  wait_id waits_for = 0;
  const void* code = nullptr;  ///< where the program called the entry that is under way
  task* running = nullptr;     ///< what the tool knows to run
  sync_kind next_barrier = sync_kind::barrier_explicit;
  unsigned requested = 0;              ///< threads that the region to come asks for
  int region_flags = 0;                ///< who calls its code, if not the runtime
  dispatch_chunk chunk{0, 0};          ///< iterations of the next task, in a taskloop
  int task_flags = 0;                  ///< what the compiler said of the next task
  ompt::data* sink = nullptr;          ///< a taskwait with dependences collects them
  bool part_over = false;              ///< an untied task's next part is another thread's by now
  bool yields = false;                 ///< in a taskyield
  bool alive = false;                  ///< between thread_begin and thread_end
  bool serves = false;                 ///< a worker that belongs to a team
  std::uint64_t entries = 0;           ///< the program's calls
  std::uint64_t left_single = ~0ull;   ///< the one that was its last of a single
  parallel_record* pending = nullptr;  ///< a region that has begun and has no team yet
  thread_record* next = nullptr;       ///< all of them
  parallel_record* regions = nullptr;  ///< free ones
};

/// A member of a team: an identity has one for each team that it leads or serves.
struct member_record {
  thread_record* self = nullptr;
  task_record implicit;
  bool reported = false;              ///< its part is done: what is around the region may be gone at any moment
  task_record initial;                ///< of a league's team; `implicit` is then that of the team's region
  parallel_record* league = nullptr;  ///< meanwhile, its league; else null
  parallel_record* alone = nullptr;   ///< a free agent's, while it runs a task: the region of `implicit`, which is then
                                      ///< the initial task around that one
  bool served = false;                ///< and whether its identity is a worker's besides
  bool has_open = false;              ///< gcc's code says how single and scope begin, not how they end
  work_kind open = work_kind::loop;   ///< which of them that is
  const void* open_code = nullptr;    ///< the code of its begin
  work_kind work = work_kind::loop;   ///< the loop, or the construct that clang's code deals out, that has begun
  std::uint64_t work_count = 0;
  bool loop_is_open = false;  ///< one that is dealt out by calls has begun and not ended
};

}  // namespace ompt
}  // namespace amity::omp
