#include "amity/future/state.hpp"

#include <algorithm>
#include <new>

#include "amity/base/report.hpp"
#include "amity/future/caught.hpp"
#include "amity/future/plain_task.hpp"
#include "amity/sched/fiber/fiber.hpp"
#include "amity/sched/fiber/wait_note.hpp"
#include "amity/sched/loop/monitor_state.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/tasks/observed.hpp"
#include "amity/sync/parking.hpp"

namespace amity::detail {
namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

/// A fiber that waits, on its own stack.
struct parked : waiter {
  sched::fiber* self;
  std::atomic<bool> woken{false};
};

void wake(waiter& w) noexcept {
  auto& p = static_cast<parked&>(w);
  sched::fiber* const self = p.self;          // read before: the record may be gone afterwards
  p.woken.store(true, memory_order_release);  // pairs with block
  sched::unpark(self);
}

void block(state& s, const void* where) noexcept {
  parked record;
  record.ready = wake;
  record.self = sched::self();
  if (!add_waiter(s, record, asker::parks)) return;
  sched::watch_for_stalls();
  sched::wait_noted const noted(*record.self, sched::wait_kind::future, &s, where);
  while (!record.woken.load(memory_order_acquire)) sched::park();  // pairs with wake
}

/// Tells those who wait with a deadline. They can't be in the state's own list, from which nobody can be taken out: a
/// fiber that gives up has to be forgotten. On the heap, because it may outlive everybody who waits.
struct announcement : waiter {
  state* about;
};

void announce(waiter& w) noexcept {
  auto* const a = static_cast<announcement*>(&w);
  sync::unpark_all(a->about);  // an address only: the state may be gone
  delete a;
}

/// Makes sure that a fiber that parks at the state's address is told. *Why none is missed*: the fiber looks at the
/// state under the lock of the queue; the announcement is made after the completion. If it can't be added any more,
/// others that counted on it are told here. False: there is no memory for it.
bool announced_to_all(state& s) noexcept {
  if (s.announced.load(memory_order_relaxed)) return true;
  auto* const a = new (std::nothrow) announcement;
  if (a == nullptr) return false;
  a->ready = announce;
  a->about = &s;
  if (s.announced.exchange(true, memory_order_relaxed)) {
    delete a;
    return true;
  }
  if (!add_waiter(s, *a)) announce(*a);
  return true;
}

/// Removes what was run where it lay, as far as it is on top: else it would stay for long in the queue of a thread that
/// only makes tasks and waits for their results.
void drop_husks(worker& w) noexcept {
  while (w.queue.newest() != nullptr) {
    // Taken out for the look: a thief who takes one that is no husk runs it, and then its memory may be gone.
    sched::task* const t = w.queue.pop(w.queue.bottom() - 1);
    if (t == nullptr) return;
    if (t->detached || t->claimed.load(memory_order_relaxed) != 1) return sched::enqueue(*t, w);
    t->run(*t, w, sched::call::from_queue);
  }
}

/// Runs the task if nobody has begun it. The fiber that waits for it may have it on top of its stack: it can't go on
/// before.
void run_here(state& s, worker& w) noexcept {
  sched::without_extras const on_top(w);
  if (w.queue.newest() == &s) {
    if (sched::task* t = w.queue.pop(w.queue.bottom() - 1)) sched::run_task(*t, w, sched::call::from_queue);
    return;
  }
  if (s.claimed.load(memory_order_relaxed) != 0 && !sched::may_be_run_by(s, w)) return;
  sched::run_task(s, w, sched::call::where_it_lies);
  drop_husks(w);
}

/// Begins a deferred task that was waited for where the stack was low, and gives up the reference that goes with it.
struct begin_on_other_stack {
  static constexpr bool is_glue = true;
  state* s;
  void operator()() const noexcept {
    s->claimed.store(0, memory_order_release);  // pairs with `run`, by a waiter that is faster
    sched::run_task(*s, sched::this_worker(), sched::call::from_queue);
  }
};

struct free_on_other_stack {
  static constexpr bool is_glue = true;
  state* s;
  void (*free)(state&) noexcept;
  void operator()() const noexcept { free(*s); }
};

/// `step` as a task that no finish waits for. False: there is no memory for it.
template <class Step>
bool post_glue(Step step, worker& w) noexcept {
  sched::task* t = nullptr;
  auto const error = caught([&] { t = &new_plain_task(w, nullptr, step); });
  if (error != nullptr) return false;
  sched::enqueue(*t, w);
  return true;
}

}  // namespace

bool free_elsewhere(state& s, worker& w, void (*free)(state&) noexcept) noexcept {
  return post_glue(free_on_other_stack{&s, free}, w);
}

void refuse_thread_exit() noexcept {
  base::fatal(
      "pthread_exit, or pthread_cancel's end of a thread, in the midst of a task; a task has no thread of its own, and "
      "ends by returning or by an exception. A thread may end between its waits, and in a finish that it has begun "
      "itself. One that runs tasks while it waits is safe from pthread_cancel with PTHREAD_CANCEL_DISABLE");
}

namespace {

void tell_in_order(waiter* first) noexcept {
  while (first != nullptr) {
    waiter* const next = first->next;  // `first` may be gone afterwards
    first->ready(*first);
    first = next;
  }
}

/// What follows a state that a driver's thread has completed: it makes tasks, and runs on a fiber.
struct told : sched::inbox_message {
  waiter* first = nullptr;
};

/// On a thread that is none of Amity's: fibers that wait are woken here, what follows goes to the inbox. False: there
/// is no memory for that.
bool tell_from_foreign_thread(waiter*& first) noexcept {
  waiter** link = &first;
  while (waiter* const w = *link) {
    if (w->ready != wake) {
      link = &w->next;
      continue;
    }
    *link = w->next;  // before it may be gone
    wake(*w);
  }
  if (first == nullptr) return true;
  auto* const message = new (std::nothrow) told;
  if (message == nullptr) return false;
  message->first = first;
  message->run = [](sched::inbox_message& m) noexcept {
    auto& t = static_cast<told&>(m);
    tell_in_order(t.first);
    delete &t;
  };
  sched::put_in_inbox(*message);
  return true;
}

}  // namespace

void tell(waiter* list) noexcept {
  waiter* first = nullptr;
  while (list != nullptr) {
    waiter* const next = list->next;
    list->next = first;
    first = list;
    list = next;
  }
  if (sched::is_foreign_thread() && tell_from_foreign_thread(first)) return;
  tell_in_order(first);  // without memory, a foreign thread becomes a guest by that
}

namespace {

/// Tells those who wait in a task, as in tell().
struct tell_later {
  static constexpr bool is_glue = true;
  waiter* first;
  void operator()() const noexcept { tell_in_order(first); }
};

}  // namespace

void complete_in_handler(state& s) noexcept {
  waiter* list = s.waiters.exchange(done_mark(), std::memory_order_acq_rel);  // as complete
  waiter* others = nullptr;                                                   // the first first
  while (list != nullptr) {
    waiter* const each = std::exchange(list, list->next);
    if (each->ready == wake) {
      wake(*each);
    } else {
      each->next = others;
      others = each;
    }
  }
  if (others != nullptr && !post_glue(tell_later{others}, sched::this_worker())) tell_in_order(others);
}

namespace {

/// Set once, by a module that has such states, before it makes the first.
constinit std::atomic<void (*)(asker) noexcept> answer{nullptr};

}  // namespace

void answer_questions(void (*how)(asker next) noexcept) noexcept { answer.store(how, memory_order_release); }

void pass_question(asker next) noexcept {
  if (auto* const how = answer.load(memory_order_acquire); how != nullptr) how(next);  // pairs with answer_questions
}

void run_deferred(state& s) noexcept {
  worker& w = sched::this_worker();
  bool const stack_is_low = sched::stack_is_low(w);
  std::uint8_t expected = deferred;
  if (!s.claimed.compare_exchange_strong(expected, stack_is_low ? not_ready : std::uint8_t{0}, memory_order_acquire,
                                         memory_order_relaxed))
    return;
  if (stack_is_low) {
    s.references.fetch_add(1, memory_order_relaxed);  // the caller holds one
    if (post_glue(begin_on_other_stack{&s}, w)) return;
    s.references.fetch_sub(1, memory_order_relaxed);
    s.claimed.store(0, memory_order_relaxed);  // no memory; half of the stack is left
  }
  sched::without_extras const on_top(w);
  sched::run_task(s, w, sched::call::where_it_lies);
}

void wait_slowly(state& s) noexcept {
  worker& w = sched::this_worker();
  begin_deferred(s);
  if (s.run != nullptr && !sched::stack_is_low(w)) {
    run_here(s, w);
    if (is_complete(s)) return;
  }
  if (sched::wait_briefly(w, [&s] { return is_complete(s); })) return;
  block(s, __builtin_return_address(0));
}

void polled_often() noexcept {
  if (sched::concurrency() == 1) sched::yield_to_tasks();
}

bool wait_until(state& s, sched::instant deadline) noexcept {
  constexpr sched::instant look_every = 1'000'000;
  if (is_complete(s)) return true;
  if (sched::now() >= deadline) return note_vain_poll(), false;
  bool const told = announced_to_all(s);
  while (!is_complete(s)) {
    sched::instant const now = sched::now();
    if (now >= deadline) return false;
    sched::instant const until = told ? deadline : std::min(deadline, now + look_every);
    sync::park_at(&s, [&s] { return !is_complete(s); },
                  {.deadline = until, .kind = sched::wait_kind::future, .where = __builtin_return_address(0)});
  }
  return true;
}

}  // namespace amity::detail
