#include "amity/sched/monitor/internal/report.hpp"

#include <cxxabi.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "amity/base/report.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/fiber/wait_note.hpp"
#include "amity/sched/loop/internal/progress.hpp"
#include "amity/sched/loop/internal/shell.hpp"
#include "amity/sched/loop/internal/task_source.hpp"
#include "amity/sched/loop/internal/timers.hpp"
#include "amity/sched/loop/monitor_state.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/loop/upcalls.hpp"
#include "amity/sched/monitor/standstill.hpp"
#include "amity/sched/tasks/internal/engine.hpp"
#include "amity/sys/futex.hpp"
#include "amity/sys/thread_activity.hpp"

namespace amity::sched {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t saved_frame = 48, saved_return = 56;  // context_x86_64.S
#else
constexpr std::uint32_t saved_frame = 0, saved_return = 0;  // unknown: the frames are not walked
#endif

constexpr std::uint32_t at(std::size_t offset) { return static_cast<std::uint32_t>(offset); }

}  // namespace

report_threads threads_of_report = {};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // with default member initialisers, but otherwise plain
extern "C" AMITY_API const report_table amity_report_table;
const report_table amity_report_table = {
    {'a', 'm', 'i', 't', 'y', '-', 'r', '2'},
    sizeof(report_table),
    0,
    &known_fibers,
    &sys::ticks_per_microsecond,
    &threads_of_report,
    at(offsetof(fiber, next_known)),
    at(offsetof(fiber, sp)),
    at(offsetof(fiber, native)),
    at(offsetof(fiber, claimed)),
    at(offsetof(fiber, seat)),
    at(offsetof(fiber, thread_pointer)),
    at(offsetof(fiber, waits) + offsetof(wait_note, kind)),
    at(offsetof(fiber, waits) + offsetof(wait_note, object)),
    at(offsetof(fiber, waits) + offsetof(wait_note, where)),
    at(offsetof(fiber, waits) + offsetof(wait_note, since)),
    at(offsetof(carrier, kind)),
    at(offsetof(carrier, thread_id)),
    at(offsetof(carrier, running)),
    at(offsetof(carrier, wait_frame)),
    at(offsetof(carrier, slot)),
    at(offsetof(carrier, asleep)),
    at(offsetof(ready_group, ready)),
    saved_frame,
    saved_return,
};
#pragma GCC diagnostic pop

namespace {

/// White space around it is allowed, as in all settings.
bool is_word(const char* text, const char* word) noexcept {
  constexpr const char* space = " \t\n\v\f\r";
  text += strspn(text, space);
  std::size_t const length = strlen(word);
  return strncasecmp(text, word, length) == 0 && text[length + strspn(text + length, space)] == '\0';
}

}  // namespace

void read_report_setting() noexcept {
  const char* const text = getenv("AMITY_STALL");
  if (text == nullptr) return;
  for (const char* off : {"false", "no", "off", "0"})
    if (is_word(text, off)) at_stall = stall_answer::silence;
  if (is_word(text, "abort")) at_stall = stall_answer::abort;
}

// --- is there anybody who could go on?

namespace {

bool holds_permit(const fiber& f) noexcept {
  std::uintptr_t const seat = f.seat.load(std::memory_order_seq_cst);
  return seat != 0 && (group_of(seat)->ready.load(std::memory_order_seq_cst) & mask_of(seat)) != 0;
}

/// All OS threads that run fibers sleep, no fiber may go on, and none waits for the clock.
bool all_asleep() noexcept {
  if (waits_with_deadline() != 0) return false;
  if (state_of_progress().wanted_here) return false;  // something may come from outside
  for (const fiber* f = first_known(); f != nullptr; f = f->next_known) {
    const carrier& native = *f->native;
    if (has_gone(native)) continue;  // it may have been given a permit too late
    if (native.is_there.load(std::memory_order_relaxed) && native.asleep.load(std::memory_order_seq_cst) == 0)
      return false;
    if (holds_permit(*f)) return false;
  }
  const task_source* const tasks = source_of_tasks();
  for (const carrier* c = first_scheduler(); tasks != nullptr && c != nullptr; c = c->next_scheduler)
    if (tasks->in_sight(*c)) return false;
  return true;
}

/// The same, looked at a few times in a job: where its network is polled between naps (MPI), a carrier is awake for a
/// moment each time, and for most of the time on a machine where it has to wait for a core first.
bool are_asleep_at_once(bool in_job) noexcept {
  constexpr int looks = 8;
  constexpr long between_ns = 1'000'000;
  static std::atomic<std::uint32_t> no_word{0};
  for (int i = 1; !all_asleep(); ++i) {
    if (!in_job || i == looks) return false;
    sys::futex_wait_for(no_word, 0, between_ns);
  }
  return true;
}

/// Written before the job is watched (watch_job), read by who sees that it is.
std::vector<int>& excused() noexcept {
  static auto* const all = new std::vector<int>;
  return *all;
}
std::atomic<std::uint32_t> excused_signals{0};
std::atomic<const job_watch*> watch_of_job{nullptr};

/// Signals that could wake somebody, as bits: the program has a handler.
std::uint32_t handled_signals() noexcept {
  std::uint32_t handled = 0;
  for (int number = 1; number < 32; ++number) {
    struct sigaction present {};
    if (sigaction(number, nullptr, &present) != 0) continue;
    if ((present.sa_flags & SA_SIGINFO) == 0 && (present.sa_handler == SIG_DFL || present.sa_handler == SIG_IGN))
      continue;
    // Ours: the handlers of stack overflows and of preemption, which let nobody go on who was not ready.
    Dl_info handler{}, own{};
    bool const known = dladdr(reinterpret_cast<const void*>(present.sa_sigaction), &handler) != 0 &&
                       dladdr(reinterpret_cast<const void*>(&known_fibers), &own) != 0;
    if (!known || handler.dli_fbase != own.dli_fbase) handled |= std::uint32_t{1} << number;
  }
  return handled;
}

// --- the report

constexpr const char* names[] = {"something at",
                                 "a mutex at",
                                 "a condition variable at",
                                 "a semaphore at",
                                 "a latch at",
                                 "an event at",
                                 "a barrier at",
                                 "a shared_mutex at",
                                 "a once_flag at",
                                 "a channel at",
                                 "a future with its state at",
                                 "the end of a finish at",
                                 "a phaser at",
                                 "the clock, at",
                                 "tasks to run, at"};
static_assert(sizeof names / sizeof *names == static_cast<int>(wait_kind::last_of_kinds) - 1);

/// Fibers that wait for the same object at the same place of the program.
struct same_waits {
  wait_kind kind;
  const void* object;
  const void* where;
  std::uint64_t since;  ///< the first of them
  unsigned long fibers;
};

void report_same(const same_waits& s) noexcept {
  Dl_info code{};
  bool const known = s.where != nullptr && dladdr(s.where, &code) != 0 && code.dli_fname != nullptr;
  const char* const slash = known ? strrchr(code.dli_fname, '/') : nullptr;
  const char* const file = !known ? "unknown code" : slash != nullptr ? slash + 1 : code.dli_fname;
  auto const offset =
      static_cast<std::size_t>(static_cast<const char*>(s.where) - static_cast<const char*>(code.dli_fbase));
  std::uint64_t const waited = (sys::ticks() - s.since) / sys::ticks_of_microseconds(1'000'000);
  const char* const symbol = known && code.dli_sname != nullptr ? code.dli_sname : "";
  char* const readable = abi::__cxa_demangle(symbol, nullptr, nullptr, nullptr);
  std::string_view what = names[static_cast<int>(s.kind) - 1];
  char object[24] = "";
  if (s.object != nullptr)
    snprintf(object, sizeof object, " %p", s.object);
  else if (what.ends_with(" at"))
    what.remove_suffix(3);
  char others[64] = "";
  if (s.fibers > 1) snprintf(others, sizeof others, ", and %lu more there", s.fibers - 1);
  base::warn("  %.*s%s, for %llu s, in %s+0x%zx%s%.200s%s", static_cast<int>(what.size()), what.data(), object,
             static_cast<unsigned long long>(waited), file, known ? offset : reinterpret_cast<std::size_t>(s.where),
             *symbol != '\0' ? " " : "", readable != nullptr ? readable : symbol, others);
  free(readable);
}

bool counts(const fiber& f) noexcept {
  wait_kind const kind = f.waits.kind.load(std::memory_order_acquire);
  return kind != wait_kind::none && kind != wait_kind::tasks;
}

/// Some thread of the program waits, and says for what: without that, all rest, and the program may be doing what it is
/// for. OpenMP's barriers say nothing; a thread that sleeps in one counts if another fiber has said what it waits for.
bool a_guest_waits() noexcept {
  bool in_a_barrier = false, some_wait = false;
  for (const fiber* f = first_known(); f != nullptr; f = f->next_known) {
    bool const waits = counts(*f);
    some_wait = some_wait || waits;
    if (!f->of_guest || !f->native->is_there.load(std::memory_order_relaxed)) continue;
    if (waits) return true;
    bool const asleep = f->native->asleep.load(std::memory_order_seq_cst) != 0;            // as all_asleep
    bool const silent = f->waits.kind.load(std::memory_order_acquire) == wait_kind::none;  // pairs with wait_noted
    in_a_barrier = in_a_barrier || (asleep && silent);
  }
  return in_a_barrier && some_wait;
}

}  // namespace

namespace {

/// Of this process, in ascending order; none: nobody tells. One that is being made or ends may be among them or not.
std::vector<int> list_threads() noexcept {
  std::vector<int> threads;
  DIR* const folder = opendir("/proc/self/task");
  if (folder == nullptr) return threads;
  try {
    while (const dirent* const entry = readdir(folder))
      if (int const thread = atoi(entry->d_name); thread != 0) threads.push_back(thread);  // 0: "." and ".."
  } catch (const std::bad_alloc&) {
    threads.clear();
  }
  closedir(folder);
  std::sort(threads.begin(), threads.end());
  return threads;
}

bool is_in(const std::vector<int>& threads, int thread) noexcept {
  return std::binary_search(threads.begin(), threads.end(), thread);
}

/// Some OS thread is neither the scheduler's, nor one that runs a fiber, nor excused. By their numbers: counts would
/// have to be of the same moment, and others make threads meanwhile. In doubt there is one. `in_job`: the job's watch
/// was seen; before that `excused` may be written just now.
bool sees_foreign_thread(bool in_job) noexcept {
  std::vector<int> const threads = list_threads();
  if (threads.empty()) return true;
  std::vector<int> known;
  try {
    known.push_back(monitor_thread());
    for (const fiber* f = first_known(); f != nullptr; f = f->next_known)
      known.push_back(f->native->thread_id.load(std::memory_order_relaxed));
  } catch (const std::bad_alloc&) {
    return true;
  }
  std::sort(known.begin(), known.end());
  return std::any_of(threads.begin(), threads.end(), [&known, in_job](int thread) {
    return !is_in(known, thread) && !(in_job && is_in(excused(), thread)) && !sys::has_ended(thread);
  });
}

}  // namespace

outsiders list_outsiders() noexcept { return {list_threads(), handled_signals()}; }

void excuse_since(const outsiders& before) noexcept {
  outsiders now = list_outsiders();
  if (before.threads.empty()) return;
  // What is the scheduler's own is known anyway; its numbers may be others' one day.
  for (const fiber* f = first_known(); f != nullptr; f = f->next_known)
    if (int const own = f->native->thread_id.load(std::memory_order_relaxed); is_in(now.threads, own))
      now.threads.erase(std::lower_bound(now.threads.begin(), now.threads.end(), own));
  auto const is_old = [&before](int thread) { return is_in(before.threads, thread); };
  now.threads.erase(std::remove_if(now.threads.begin(), now.threads.end(), is_old), now.threads.end());
  excused() = std::move(now.threads);
  excused_signals.store(now.signals & ~before.signals, std::memory_order_relaxed);
}

void watch_job(const job_watch& w) noexcept {
  watch_of_job.store(&w, std::memory_order_release);  // pairs with look_for_stall
}

bool aborts_at_standstill() noexcept { return at_stall == stall_answer::abort; }

bool report_waits() noexcept {
  constexpr int most_lines = 100;     // thousands may wait, most of them for the same
  static same_waits all[most_lines];  // once in a process
  int lines = 0;
  unsigned long left_out = 0;
  for (const fiber* f = first_known(); f != nullptr; f = f->next_known) {
    if (!counts(*f)) continue;
    same_waits const own{f->waits.kind.load(std::memory_order_acquire),  // pairs with wait_noted
                         f->waits.object.load(std::memory_order_relaxed),
                         f->waits.where.load(std::memory_order_relaxed), f->waits.since.load(std::memory_order_relaxed),
                         1};
    same_waits* const known = std::find_if(all, all + lines, [&own](const same_waits& s) {
      return s.kind == own.kind && s.object == own.object && s.where == own.where;
    });
    if (known != all + lines) {
      known->since = std::min(known->since, own.since);
      ++known->fibers;
    } else if (lines < most_lines) {
      all[lines++] = own;
    } else {
      ++left_out;
    }
  }
  std::for_each(all, all + lines, report_same);
  if (left_out != 0) base::warn("  and %lu more wait for others", left_out);
  if (tasks_lack_fibers()) {
    refusal const why = last_refusal();
    base::warn("  a thread for tasks that nobody has begun: the system refuses %s%s%s%s",
               why.error != 0 ? why.what : "one", why.error != 0 ? " (" : "", why.error != 0 ? strerror(why.error) : "",
               why.error != 0 ? ")" : "");
  }
  return lines != 0;
}

bool look_for_stall(bool quiet) noexcept {
  static bool told = false;                                                   // the monitor's own
  const job_watch* const job = watch_of_job.load(std::memory_order_acquire);  // pairs with watch_job
  if (job != nullptr) job->begin_look();
  if (told || !are_asleep_at_once(job != nullptr)) return false;
  bool const waits = a_guest_waits();
  if (!waits && job == nullptr) return false;
  // Everybody sleeps. The threads are looked at closely only at a second look.
  bool const by_ourselves = !sees_foreign_thread(job != nullptr);
  bool const by_signal = (handled_signals() & ~excused_signals.load(std::memory_order_relaxed)) != 0;
  if (!quiet || !by_ourselves || by_signal || !are_asleep_at_once(job != nullptr)) return true;
  if (job != nullptr) {
    job->stands_still(waits);
    return true;
  }
  told = true;
  constexpr const char* what =
      "nothing can go on any more: every thread of this process waits, and none is left that could wake one.";
  if (at_stall == stall_answer::abort)
    base::warn("%s What they wait for:", what);
  else
    base::warn("%s It is left as it is; 'amity dump %d' says more. What they wait for:", what,
               static_cast<int>(getpid()));
  static_cast<void>(report_waits());
  if (at_stall == stall_answer::abort)
    base::fatal("AMITY_STALL=abort: this process, %d, is ended", static_cast<int>(getpid()));
  return true;
}

}  // namespace amity::sched
