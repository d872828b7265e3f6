#pragma once

/// Tasks of the C++ API: a call that was put off, with the scope that waits for it, in memory from the pool of the
/// thread that made it. What users see of it is in amity/finish and amity/future; this is what those two stand on.
///
///     worker& w = this_worker();
///     auto* t = static_cast<my_task*>(take_task_memory(w, sizeof(my_task)));   // derives from task
///     t->run = [](task& t, worker& w, call) noexcept { ...; free_task_memory(t, w); };
///     spawn(*t, w);                                                            // counted in the current scope
///
/// A task runs as a plain call on the fiber at hand, and costs no more until it blocks. README.md has the rules.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stop_token>

#include "amity/base/config.hpp"
#include "amity/base/processor.hpp"
#include "amity/base/stack_pointer.hpp"
#include "amity/sched/tasks/deque.hpp"
#include "amity/sched/tasks/frame_pool.hpp"
#include "amity/sched/tasks/policy.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::sched {

struct fiber;
struct scope;
struct task;
struct worker;

/// How a task's function is called: by whoever took it out of a queue, or by one who waits for its result and claimed
/// it where it lies. Then it still is in a queue, and what is there belongs to whoever takes it out. `discard`: it is
/// in no queue and will not be run; only its closure is to be destroyed.
/// `alone`: it was taken out by the only one who can know of it.
enum class call : std::uint8_t { from_queue, where_it_lies, discard, alone };

struct task : frame {
  /// Runs the task and gives its memory back, or not, as its kind wants it.
  void (*run)(task&, worker&, call) noexcept = nullptr;
  scope* within = nullptr;      ///< who waits for its end; null: nobody
  std::uint8_t size_class = 0;  ///< of its memory
  /// Nobody but the queue knows it, and nobody will. Written by its maker before a thief can have it.
  bool detached = false;
  /// Only for tasks that are not detached. 0: it may be claimed. 1: it runs or ran. 2, 4, 5 and 6 stand below; 3 and 7
  /// in future/state.hpp.
  std::atomic<std::uint8_t> claimed{0};

  using function = void (*)(task&, worker&, call) noexcept;
  task() noexcept = default;
  /// In memory from `where`, or from nowhere.
  task(function f, scope* s, std::uint8_t memory, frame_pool* where) noexcept
      : frame(where), run(f), within(s), size_class(memory) {}
  task(function f, scope* s) noexcept : frame(unset), run(f), within(s) {}
};

/// Further values of task::claimed.
///
/// * not_ready: its inputs are not there yet.
/// * kept_by_policy: it lies in the queue of a policy, which alone says who may run it.
/// * stood_for: it is a `stack_task`, and another task stands for it in the queue.
/// * handed_out: the policy has handed it out, and the worker that took it is about to run it.
inline constexpr std::uint8_t not_ready = 2, kept_by_policy = 4, stood_for = 5, handed_out = 6;

/// The right to run a task that is not detached. Of several that come, one gets it; while a policy has a say, the one
/// that it was handed to. Acquire: pairs with become_ready and put_in_domain, which let it be claimed.
[[nodiscard]] inline bool claim(task& t, call how) noexcept {
  std::uint8_t free = 0;
  if (t.claimed.compare_exchange_strong(free, 1, std::memory_order_acquire, std::memory_order_relaxed)) return true;
  return free == handed_out && how == call::from_queue &&
         t.claimed.compare_exchange_strong(free, 1, std::memory_order_acquire, std::memory_order_relaxed);
}

/// What a finish waits for: the number of tasks that were begun within it and have not ended. It lies on the stack of
/// the fiber that waits, its *owner*, or has none and calls back.
///
/// Both counts together are the number. `local` moves when the owner's fiber makes or ends a task: plain arithmetic.
/// `elsewhere` is everybody else's: 2 for each task made, -2 for each one ended; bit 0 says that nobody adds to `local`
/// any more and that the count is all in here.
///
/// A scope that anybody may wait for has no owner but a `maker`, which may lose it to the one that waits (share).
///
/// The counts lie a cache line apart from each other, and from what everybody reads for each task. Else the worker that
/// makes short tasks and those that steal them would take the line from one another at each task.
struct scope {
  static constexpr long one = 2, waiting = 1;

  worker* owner = nullptr;
  scope* outer = nullptr;
  const std::stop_token* stop = nullptr;          ///< of this scope or one around it; null: nobody can stop it
  std::atomic<void*> errors{nullptr};             ///< what tasks threw: a list of the layer above
  std::atomic<bool> canceled{false};              ///< its tasks are not begun any more; looked at if there is a `stop`
  void (*when_empty)(scope&) noexcept = nullptr;  ///< for a scope without owner: the last task has ended
  std::atomic<worker*> maker{nullptr};            ///< without owner: it alone moves `local`; null: nobody does
  std::atomic<void*> remote{nullptr};             ///< of the layer above: its tasks in other processes
  // Not aligned, so that no stack need be; and left as they are.
  std::byte apart[base::cache_line - 2 * sizeof(void*)];
  long local = 0;
  std::byte apart_too[base::cache_line - sizeof(void*)];
  std::atomic<long> elsewhere{0};
};

/// What a layer above has put off to the end of the running task. It may be gone when it was called.
struct exit_call;
/// What few tasks have, for as long as they run.
struct task_extras {
  void* phasers = nullptr;  ///< of the layer above
  exit_call* first = nullptr;
  exit_call* last = nullptr;
};
struct exit_call {
  void (*run)(exit_call&) noexcept = nullptr;
  exit_call* next = nullptr;
  task_extras extras;  ///< of a task that has had none before
};

/// Where a worker stands with a policy: domain.cpp's, on the worker's fiber.
struct policy_note {
  domain* of = nullptr;       ///< the policy that gets its tasks; null: its own queue does
  int number = no_worker;     ///< under which it runs tasks of that policy
  bool holds_number = false;  ///< nobody else does just now
  int runs_at = 0;            ///< `assigned` of the task of that policy that it runs (domain.hpp)
};

/// Tasks that had no room in the queue, or were in the way there, from the one that was put aside first. Anybody's,
/// under the lock; `count` may be looked at without.
struct aside_list {
  sys::spin_lock lock;
  std::atomic<std::uint32_t> count{0};
  task* first = nullptr;
  task* last = nullptr;
};

/// Of a worker of the pool: whether it waits to be given tasks, and else what it was taken for (spare_fibers.hpp).
struct spare_note {
  std::atomic<bool> taken{true};  ///< it is not among the spare ones
  int number = no_worker;         ///< before `taken`: under which it is to run tasks
  bool for_progress = false;      ///< before `taken`: it is to poll sources of progress, and to run what comes of that
  worker* next = nullptr;         ///< in the list of spare ones
};

/// What a worker knows as a thief: theft.cpp's, on the worker's fiber. Times in ticks.
struct theft_note {
  unsigned victim = 0;                ///< where the last one was listed who was found with tasks (roster.hpp)
  std::uint64_t next = 0;             ///< not before that
  std::uint64_t pause = 0;            ///< between two that found nothing
  std::uint64_t began = 0;            ///< the last one that is not weighed yet; 0: none
  std::uint64_t rest = 0;             ///< after one that was not worth it
  std::uint32_t share = 1;            ///< how many tasks it takes at once, if there are so many
  bool was_short = false;             ///< the last time there were fewer
  std::uint32_t loot = 0;             ///< how many it got the last time
  std::uint64_t ended = 0;            ///< tasks that had ended here before
  const worker* robbed = nullptr;     ///< where that was
  std::uint32_t robbed_had_done = 0;  ///< before (deeds)
  const worker* watched = nullptr;    ///< whether its lone task stays (is_fresh)
  std::uint64_t lone_task = 0;
  std::uint32_t looks_at_it = 0;
};

/// When a worker that runs tasks has polled sources of progress (polls_between_tasks.hpp).
struct poll_note {
  unsigned left = 0;       ///< tasks to be run before it looks at the time
  unsigned between = 0;    ///< such tasks between two looks
  std::uint64_t last = 0;  ///< in ticks
};

/// What an identity needs to make and to run tasks. Lives as long as the process; belongs to the fiber.
struct alignas(base::cache_line) worker {
  // --- the fiber's own
  split_deque<task> queue;
  frame_pool pool;
  scope* current = nullptr;  ///< the scope in which new tasks are counted
  /// Below this, a wait looks closer before it runs a task on top. It is where half of the stack is used, or, while
  /// tasks of high priority are pending that this worker made, or the running task has extras, the highest address.
  const std::byte* look_below = nullptr;
  fiber* self = nullptr;
  theft_note theft;
  task_extras* extras = nullptr;                ///< the running task's, or null; by set_extras
  unsigned vain_polls = 0;                      ///< looks at futures that were not ready
  unsigned wait_turns = 0;                      ///< how often wait_briefly looks
  bool of_pool = false;                         ///< made to run tasks and nothing else
  bool bound = false;                           ///< of_pool: on a carrier of its number, beside those that are counted
  std::uint64_t ended = 0;                      ///< tasks that have ended here (counters.hpp)
  std::atomic<const scope*> counting{nullptr};  ///< whose maker this is or may be, while it moves `local` (share)
  const std::byte* stack_low = nullptr;         ///< below this, tasks are not run on top of a wait any more
  policy_note policy;
  poll_note polls;
  bool is_counted = false;  ///< of_pool: among those that run tasks (running_workers.hpp), also while it waits

  // --- the monitor's: what it saw at its last look (starved_tasks.cpp)
  struct {
    std::uint64_t ended = 0;
    std::uint32_t bottom = 0;
  } seen;

  // --- anybody's
  alignas(base::cache_line) aside_list aside;
  spare_note spare;
  std::atomic<bool> is_listed{
      false};              ///< among those that a search looks at; under the lock of the roster (roster.hpp)
  worker* next = nullptr;  ///< all workers, for ever
};

/// The calling identity's worker; null before its first task. Initial-exec: one instruction to find it, also in a
/// user's shared library.
AMITY_API extern __thread worker* current_worker __attribute__((tls_model("initial-exec")));

/// Makes the calling thread one that has tasks; starts the engine at the first call of the process.
[[nodiscard]] AMITY_API worker& attach_worker() noexcept;

[[nodiscard]] inline worker& this_worker() noexcept {
  if (worker* w = current_worker) [[likely]]
    return *w;
  return attach_worker();
}

/// Hands over a task that has come from outside, by a handler within a poll. The fiber that polls sees to it
/// afterwards: it runs the task, or waits and leaves its carrier, or calls let_arrivals_run (tasks/README.md, T5).
AMITY_API void enqueue_arrived(task& t) noexcept;

/// Lets another fiber run a task that has come, if there is one, in this one's place, and comes back.
AMITY_API void let_arrivals_run() noexcept;

/// Hands `t`, which is counted, to whoever is to run it. For what isn't as usual.
AMITY_API void enqueue_as(task& t, worker& w, const scheduling& how) noexcept;

/// `t` lies in a policy's queue, and the policy lets `w` run it: now it can be claimed where it lies.
[[nodiscard]] AMITY_API bool may_be_run_by(task& t, worker& w) noexcept;

/// Carriers that run tasks at the same time, at most.
[[nodiscard]] AMITY_API int worker_count() noexcept;

/// What it costs at this moment to have another carrier run tasks, in ticks: what a wake costs if one would have to be
/// woken, 0 if one looks for work, or if there is none that could.
[[nodiscard]] AMITY_API std::uint64_t cost_of_help() noexcept;

/// The first of all workers, linked by `next`; null: there are none yet.
[[nodiscard]] worker* first_worker() noexcept;

// --- memory

inline constexpr std::uint8_t own_memory = 0xff;  ///< size_class of a task too large for the pool

[[nodiscard]] constexpr unsigned class_for_task(std::size_t bytes) noexcept {
  return bytes <= 64     ? frame_pool::small_64
         : bytes <= 128  ? frame_pool::small_128
         : bytes <= 192  ? 0u
         : bytes <= 4096 ? frame_pool::class_of(bytes)
                         : own_memory;
}

/// Null: out of memory. Aligned to 64 bytes.
[[nodiscard]] AMITY_API frame* take_large(std::size_t bytes) noexcept;
AMITY_API void give_large(frame* f) noexcept;

template <std::size_t Bytes>
[[nodiscard]] frame* take_task_memory(worker& w) noexcept {
  constexpr unsigned size_class = class_for_task(Bytes);
  if constexpr (size_class == own_memory)
    return take_large(Bytes);
  else
    return w.pool.take(size_class);
}

inline void give_task_memory(frame* f, unsigned size_class, worker& w) noexcept {
  if (size_class == own_memory) [[unlikely]]
    give_large(f);
  else
    w.pool.give(f, size_class);
}

/// The same on a thread without a pool.
inline void give_task_memory_home(frame* f, unsigned size_class) noexcept {
  if (size_class == own_memory)
    give_large(f);
  else
    frame_pool::give_home(f, size_class);
}

// --- making

namespace detail {
/// There is something for thieves that nobody was told of.
AMITY_API void announce() noexcept;
/// The same where it lies in the queue of `w`, which the caller has pushed or published.
AMITY_API void announce_at(worker& w) noexcept;
/// The queue has no room.
AMITY_API void put_aside(task& t, worker& w) noexcept;
/// The last of a scope's tasks may have ended, not on its owner's fiber.
AMITY_API void end_elsewhere(scope& s) noexcept;
/// The part of join() that may block. `t`: what was popped and not run yet, or null.
AMITY_API bool join_slowly(worker& w, scope& s, std::uint32_t base, task* t) noexcept;
/// The same without that: runs what can be run here. False: some are left.
AMITY_API bool run_here(worker& w, scope& s, std::uint32_t base, task* t) noexcept;

/// Adds `change` to `local` if `w` is the scope's maker. The scope may be gone afterwards.
inline bool count_as_maker(scope& s, worker& w, long change) noexcept {
  w.counting.store(&s, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);              // the processor's part is share's await_all_stores
  bool const mine = s.maker.load(std::memory_order_relaxed) == &w;  // only this fiber makes it so
  if (mine) s.local += change;
  w.counting.store(nullptr, std::memory_order_release);  // pairs with share
  return mine;
}
}  // namespace detail

/// Counts a task in `s`, which one of its tasks or its body does.
inline void begin_within(scope* s, worker& w) noexcept {
  if (s == nullptr) return;
  if (s->owner == &w) [[likely]]
    ++s->local;
  else if (!detail::count_as_maker(*s, w, 1))
    s->elsewhere.fetch_add(scope::one, std::memory_order_relaxed);  // the caller is counted itself: not yet 0
}

/// Counts the end. The scope may be gone afterwards.
inline void end_within(scope* s, worker& w) noexcept {
  ++w.ended;
  if (s == nullptr) return;
  if (s->owner == &w) [[likely]]
    --s->local;
  else if (!detail::count_as_maker(*s, w, -1))
    detail::end_elsewhere(*s);
}

/// One more (1) or less (-1) of the tasks that belong to no scope and have no result, so that nobody waits for them.
/// With assertions on, the end of the process tells of those that are left.
AMITY_API void note_unwaited(int change) noexcept;

/// Lets anybody run `t`, whose `run` and `within` are set and which is counted.
inline void enqueue(task& t, worker& w) noexcept {
  using pushed = split_deque<task>::pushed;
  pushed const how = w.queue.push_and_tell(&t);
  if (how == pushed::quietly) [[likely]]
    return;
  if (how == pushed::refused) [[unlikely]]
    detail::put_aside(t, w);
  detail::announce_at(w);
}

/// Counts `t` in the current scope and lets anybody run it.
inline void spawn(task& t, worker& w) noexcept {
  t.within = w.current;
  begin_within(t.within, w);
  enqueue(t, w);
}

/// Its maker gives up all interest in `t`. True if that is settled without an atomic operation: `t` was its newest, and
/// no thief can have seen it. `w` is the maker's.
[[nodiscard, gnu::always_inline]] inline bool detach_newest(task& t, worker& w) noexcept {
  bool published = false;
  bool const done = w.queue.amend_newest(&t, published, [&t]() noexcept { t.detached = true; });
  if (published) [[unlikely]]
    detail::announce_at(w);
  return done;
}

// --- waiting

/// The first part of a wait that may be over within some hundred cycles: a park would cost more. True: `done()`.
template <class Done>
[[nodiscard]] bool wait_briefly(const worker& w, Done done) noexcept {
  for (unsigned turn = 0; turn < w.wait_turns; ++turn) {
    if (done()) return true;
    base::cpu_relax();
  }
  return false;
}

/// Little of the stack is left: what could run on top of a wait had better run elsewhere.
[[nodiscard]] inline bool stack_is_low(const worker& w) noexcept { return base::stack_pointer() < w.stack_low; }
/// The same, or something else is to be seen to before a task is run on top.
[[nodiscard]] inline bool must_look(const worker& w) noexcept { return base::stack_pointer() < w.look_below; }

/// No task is left. The owner's or the maker's; never true where bit 0 is set.
[[nodiscard]] inline bool is_empty(const scope& s) noexcept {
  return scope::one * s.local + s.elsewhere.load(std::memory_order_acquire) == 0;  // pairs with end_elsewhere
}

/// The running task has these, or none: null.
AMITY_API void set_extras(worker& w, task_extras* extras) noexcept;

/// Has `c` called at the end of the running task; where there is none, of the thread.
AMITY_API void add_exit_call(exit_call& c) noexcept;
namespace detail {
AMITY_API void make_exit_calls(worker& w) noexcept;
}  // namespace detail
/// The function of the running task has returned.
inline void make_exit_calls(worker& w) noexcept {
  if (w.extras != nullptr) [[unlikely]]
    detail::make_exit_calls(w);
}

/// What runs on this fiber as long as it lives has no part in the extras of the task beneath. Where there are none it
/// costs a load and a branch, and nothing in the places that `must_look` guards.
class without_extras {
 public:
  explicit without_extras(worker& w) noexcept : w_(w), before_(w.extras) {
    if (before_ != nullptr) [[unlikely]]
      set_extras(w, nullptr);
  }
  without_extras(const without_extras&) = delete;
  without_extras& operator=(const without_extras&) = delete;
  ~without_extras() {
    if (before_ == nullptr) [[likely]]
      return;
    make_exit_calls(w_);  // of a call that was no task
    set_extras(w_, before_);
  }

 private:
  worker& w_;
  task_extras* const before_;
};

namespace detail {
template <bool (*Rest)(worker&, scope&, std::uint32_t, task*) noexcept>
[[gnu::noinline]] bool join_tasks(worker& w, scope& s, std::uint32_t base) noexcept {
  task* t = nullptr;
  while (!must_look(w)) [[likely]] {
      t = w.queue.pop(base);
      if (t == nullptr || t->within != &s) [[unlikely]]
        break;
      t->run(*t, w, call::from_queue);
      if (is_empty(s)) return true;
      t = nullptr;
    }
  return Rest(w, s, base, t);
}
}  // namespace detail

/// Waits on the owner's fiber until no task within `s` is left. Runs tasks of `s` on top, newest first, which are those
/// that were queued here after the queue's bottom was `base`; when there are none left, others go on elsewhere while
/// this fiber waits.
///
/// Memory ordering: what the tasks did happens before the return.
inline void join(worker& w, scope& s, std::uint32_t base) noexcept {
  if (!is_empty(s)) detail::join_tasks<detail::join_slowly>(w, s, base);
}

// --- scopes that anybody may wait for

/// join() on the maker's fiber, as far as tasks can be run there. False: some are left, or `w` is not the maker.
[[nodiscard]] inline bool join_as_maker(worker& w, scope& s, std::uint32_t base) noexcept {
  if (s.maker.load(std::memory_order_relaxed) != &w) return false;
  return is_empty(s) || detail::join_tasks<detail::run_here>(w, s, base);
}

/// From here on all is counted in `elsewhere`, with bit 0, and the last task calls `when_empty`. One caller at a time.
/// May block for a moment, and costs microseconds where another fiber is the maker.
AMITY_API void share(scope& s, worker& w) noexcept;
/// Makes `w` the maker of a shared scope. One caller at a time, none in share().
inline void make_maker(scope& s, worker& w) noexcept {
  s.local = 0;
  s.maker.store(&w, std::memory_order_relaxed);
  s.elsewhere.fetch_sub(scope::waiting, std::memory_order_relaxed);
}
[[nodiscard]] inline bool is_shared_and_empty(const scope& s) noexcept {
  return s.elsewhere.load(std::memory_order_acquire) == scope::waiting;  // pairs with end_elsewhere
}
/// Runs what this fiber has queued of a shared scope, the newest first, as far as nothing else is in the way.
AMITY_API void run_newest_within(worker& w, scope& s) noexcept;

}  // namespace amity::sched
