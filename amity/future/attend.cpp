#include "amity/future/attend.hpp"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/progress.hpp"
#include "amity/sched/tasks/task.hpp"
#include "amity/sync/semaphore.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::detail {

/// Lives as long as the process, as sources of progress do, and is used again.
struct attended_fd : sched::progress_source {
  struct call_task : sched::task {
    attended_fd* of = nullptr;
  };

  attended_fd() noexcept {
    poll = [](progress_source& s) noexcept { return static_cast<attended_fd&>(s).begin_call_if_readable(); };
    wanted = [](const progress_source& s) noexcept {
      return static_cast<const attended_fd&>(s).waits.load(std::memory_order_acquire);  // pairs with run_call
    };
    step.of = this;
    step.run = run_call;
    step.detached = true;
  }

  int begin_call_if_readable() noexcept;
  static void run_call(sched::task& t, sched::worker& w, sched::call) noexcept;

  std::unique_ptr<attended_call> function;
  call_task step;
  std::atomic<bool> waits{false};               ///< for the descriptor; false: a call is queued or runs
  sync::semaphore between_calls{1};             ///< held from the queueing of a call to its end
  std::atomic<sched::fiber*> runs_on{nullptr};  ///< the call that runs; relaxed: asked by that fiber alone
  pid_t process = 0;                            ///< that attends it
  bool is_over = false;                         ///< the call's own: stop() was called within
  attended_fd* next_free = nullptr;
};

namespace {

sys::spin_lock free_lock;
attended_fd* free_ones = nullptr;

attended_fd& take_one() {
  {
    std::lock_guard const held(free_lock);
    if (attended_fd* const a = free_ones) {
      free_ones = a->next_free;
      return *a;
    }
  }
  return *new attended_fd;
}

void give_back(attended_fd& a) noexcept {
  a.function = nullptr;
  std::lock_guard const held(free_lock);
  a.next_free = free_ones;
  free_ones = &a;
}

bool is_readable(int fd) noexcept {
  pollfd one{fd, POLLIN | POLLRDHUP, 0};
  return ::poll(&one, 1, 0) > 0;
}

}  // namespace

/// Under the lock of those who poll.
int attended_fd::begin_call_if_readable() noexcept {
  // Armed, it is told when it is readable: no need to ask the kernel.
  if (armed.load(std::memory_order_relaxed) || !is_readable(fd)) return 0;
  if (!between_calls.try_acquire()) return 0;  // the last call is about to end, and then has the source looked at again
  waits.store(false, std::memory_order_relaxed);
  sched::enqueue(step, sched::this_worker());
  return 1;
}

void attended_fd::run_call(sched::task& t, sched::worker& w, sched::call) noexcept {
  attended_fd& a = *static_cast<call_task&>(t).of;
  sched::fiber* const me = sched::self();
  a.runs_on.store(me, std::memory_order_relaxed);
  sched::scope* const outer = std::exchange(w.current, nullptr);
  a.function->call();  // what it throws ends the program
  sched::make_exit_calls(w);
  w.current = outer;
  sched::end_within(nullptr, w);
  a.runs_on.store(nullptr, std::memory_order_relaxed);
  if (a.is_over) {
    a.between_calls.release();
    return give_back(a);
  }
  // Before the release: afterwards stop() may have returned, and the source may be another's.
  a.waits.store(true, std::memory_order_release);
  a.between_calls.release();
  sched::stir(a);  // it may be another's by now, which is looked at once more then
}

attended_fd* attend_fd(int fd, std::unique_ptr<attended_call> call, int& error) noexcept {
  attended_fd& a = take_one();
  a.function = std::move(call);
  a.fd = fd;
  a.is_over = false;
  a.process = getpid();
  a.waits.store(true, std::memory_order_release);
  error = fd < 0 ? EBADF : sched::attend(a);
  if (error == 0) return &a;
  give_back(a);
  return nullptr;
}

void leave_fd(attended_fd& a) noexcept {
  if (a.process != getpid()) return;  // the child of a fork has it no more, and a call may have run in the parent
  sched::dismiss(a);
  a.waits.store(false, std::memory_order_relaxed);
  if (a.runs_on.load(std::memory_order_relaxed) == sched::self_or_null() && sched::self_or_null() != nullptr) {
    a.is_over = true;
    return;
  }
  a.between_calls.acquire();
  a.between_calls.release();
  give_back(a);
}

}  // namespace amity::detail
