#include "amity/pgas/remote_call.hpp"

#include <string.h>

#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "amity/base/report.hpp"
#include "amity/net/buffers.hpp"
#include "amity/net/job.hpp"
#include "amity/net/losses.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/profile/tasks.hpp"
#include "amity/sched/tasks/observed.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::pgas::detail {
namespace {

// --- those who wait for answers

/// A key is a slot and how often that was used: one that comes twice, or was made up, takes nothing.
struct slots {
  struct slot {
    void* state = nullptr;
    answer_failure fail = nullptr;
    int rank = 0;  ///< that is to answer
    std::uint32_t uses = 1;
    std::uint32_t next_free = 0;  ///< one more than its number; 0: none

    void* take() noexcept {
      ++uses;
      return std::exchange(state, nullptr);
    }
  };
  sys::spin_lock lock;
  std::vector<slot> all;
  std::uint32_t first_free = 0;
};
slots& waiting() noexcept {
  static auto* const one = new slots;
  return *one;
}

}  // namespace

namespace {

std::uint64_t keep(void* state, int rank, answer_failure fail) noexcept {
  slots& s = waiting();
  std::lock_guard const held(s.lock);
  std::uint32_t number;
  if (s.first_free != 0) {
    number = s.first_free;
    s.first_free = s.all[number - 1].next_free;
  } else {
    s.all.emplace_back();
    number = static_cast<std::uint32_t>(s.all.size());
  }
  slots::slot& mine = s.all[number - 1];
  mine.state = state;
  mine.fail = fail;
  mine.rank = rank;
  return std::uint64_t{mine.uses} << 32 | number;
}

}  // namespace

std::uint64_t keep_for_answer(void* state, int rank, answer_failure fail) noexcept {
  std::uint64_t const key = keep(state, rank, fail);
  // Either this sees the loss, or what follows the loss sees the slot. In a task: the caller has not sent it yet.
  if (net::is_lost(rank)) {
    sched::worker& w = sched::this_worker();
    auto rest = [rank]() noexcept { fail_answers_of(rank); };
    sched::enqueue(amity::detail::new_plain_task(w, nullptr, amity::detail::as_glue{std::move(rest)}), w);
  }
  return key;
}

void fail_answers_of(int rank) noexcept {
  slots& s = waiting();
  std::vector<std::pair<answer_failure, void*>> failed;
  {
    std::lock_guard const held(s.lock);
    for (std::uint32_t number = 1; number <= s.all.size(); ++number) {
      slots::slot& each = s.all[number - 1];
      if (each.state == nullptr || each.rank != rank) continue;
      failed.emplace_back(each.fail, each.take());
      each.next_free = std::exchange(s.first_free, number);
    }
  }
  std::string const words = failed.empty() ? std::string() : net::words_of_loss(rank);
  for (const auto& [fail, state] : failed) fail(state, rank, words);
}

void* take_for_answer(std::uint64_t key) noexcept {
  slots& s = waiting();
  auto const number = static_cast<std::uint32_t>(key);
  std::lock_guard const held(s.lock);
  if (number == 0 || number > s.all.size()) return nullptr;
  slots::slot& its = s.all[number - 1];
  if (its.uses != key >> 32 || its.state == nullptr) return nullptr;
  its.next_free = std::exchange(s.first_free, number);
  return its.take();
}

namespace {

/// Of the calling fiber: identity goes with the stack.
thread_local arrived_call* calls_on_stack = nullptr;

[[gnu::cold, gnu::noinline]] void call_profiled(arrived_call& c) noexcept {
  using sched::profile::construct;
  sched::profile::in_function const turn(reinterpret_cast<const void*>(c.call), construct::remote);
  c.call(c);
}

/// On a worker's fiber.
void run_arrived(sched::task& t, sched::worker& w, sched::call) noexcept {
  auto& c = static_cast<arrived_call&>(t);
  sched::scope* const within = c.within;
  sched::scope* const outer = std::exchange(w.current, within);
  c.around = std::exchange(calls_on_stack, &c);
  if (sched::tasks_are_observed()) [[unlikely]]
    call_profiled(c);
  else
    c.call(c);
  calls_on_stack = c.around;
  sched::make_exit_calls(w);
  if (c.is_serial) end_turn();
  if (c.owns_bytes) net::give_buffer(c.bytes);
  sched::give_task_memory(&c, c.size_class, w);
  w.current = outer;
  sched::end_within(within, w);
  net::end_activity();  // last: what the finish sends is counted by now
}

/// A serial call that came before `main`: it waits for its turn now.
void run_kept_serial(sched::task& t, sched::worker&, sched::call) noexcept {
  auto& c = static_cast<arrived_call&>(t);
  c.run = run_arrived;
  wait_for_turn(c);
}

/// The program ends within calls, which never return: by exit(). Their callers are told, and the job does not wait for
/// them.
void end_calls_on_stack() noexcept {
  for (arrived_call* c = std::exchange(calls_on_stack, nullptr); c != nullptr; c = c->around) {
    c->never_returns = true;
    c->call(*c);
    if (c->is_serial) end_turn();
    sched::end_within(c->within, sched::this_worker());
    net::end_activity();
  }
}

constinit net::job_hook hook{.when_leaving = end_calls_on_stack};
[[gnu::constructor]] void add_hook() noexcept { net::add_job_hook(hook); }

}  // namespace

void begin_arrived_call(net::arrival& m, void (*call)(arrived_call&) noexcept) noexcept {
  if (m.size < sizeof(call_head)) return net::end_job("a remote call is too short");
  sched::worker& w = sched::this_worker();
  // Up to what the pool of task memory has: malloc is slower from about a KiB on.
  constexpr std::size_t before = (sizeof(arrived_call) + 15) / 16 * 16, most_in_pool = 4096;
  bool const behind = m.owned == nullptr && m.size <= most_in_pool - before;
  std::size_t const bytes = before + (behind ? m.size : 0);
  auto const size_class = static_cast<std::uint8_t>(sched::class_for_task(bytes));
  sched::frame* const memory = size_class == sched::own_memory ? sched::take_large(bytes) : w.pool.take(size_class);
  if (memory == nullptr) base::fatal("out of memory for a remote call");
  sched::frame_pool* const home = memory->home;
  auto* const c = ::new (memory) arrived_call;
  c->home = home;
  c->size_class = size_class;
  c->run = run_arrived;
  c->detached = true;
  c->call = call;
  c->size = m.size;
  c->from = m.from;
  if (behind) {
    c->bytes = reinterpret_cast<std::byte*>(c) + before;
    memcpy(c->bytes, m.bytes, m.size);
  } else {
    c->bytes = m.take();
    c->owns_bytes = true;
    if (c->bytes == nullptr) base::fatal("out of memory for a remote call of %zu bytes", m.size);
  }
  memcpy(static_cast<void*>(&c->head), c->bytes, sizeof c->head);
  c->answer_counts = c->head.answer != 0;
  c->within = arrive(c->head.finish, m.from, c->answer_counts);
  net::begin_activity();
  c->is_serial = (m.word & is_serial_call) != 0 || (serial_calls() && (m.word & is_never_serial) == 0);
  if (net::is_before_main() && (m.word & sent_before_main) == 0) {
    if (c->is_serial) c->run = run_kept_serial;
    if (net::keep_until_main(*c)) return;
    c->run = run_arrived;
  }
  if (c->is_serial)
    wait_for_turn(*c);
  else
    sched::enqueue_arrived(*c);
}

void send_answer(int to, std::uint64_t key, std::uint64_t code, out_archive& out) noexcept {
  if (std::byte* const owned = out.release())
    net::send_owned(to, code, key, owned, out.size());
  else
    net::send(to, code, key, out.data(), out.size());
}

}  // namespace amity::pgas::detail
