/// A standstill of the whole job, by one statement of each rank and one question (README-standstill.md, Z1 to Z5).

#include "amity/net/internal/standstill.hpp"

#include <string.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "amity/base/report.hpp"
#include "amity/future/plain_task.hpp"
#include "amity/net/internal/leaving.hpp"
#include "amity/net/internal/losses.hpp"
#include "amity/net/internal/transport.hpp"
#include "amity/net/job.hpp"
#include "amity/net/messages.hpp"
#include "amity/sched/loop/inbox.hpp"
#include "amity/sched/monitor/standstill.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::net {
namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

/// What a rank had sent and handled when nothing could go on there.
struct statement {
  std::uint64_t losses = 0, sent = 0, handled = 0;
  bool waits = false;    ///< a thread of the program does, for something that it has named
  bool is_made = false;  ///< there has been one
};
bool operator==(const statement& s, const traffic& t) noexcept {
  return s.is_made && s.losses == t.losses && s.sent == t.sent && s.handled == t.handled;
}

/// With the messages by which ranks say that they have come to their ends (Z5).
traffic all_traffic() noexcept {
  arrivals const of_leaving = arrivals_so_far();
  traffic t = traffic_so_far();
  t.sent += of_leaving.sent;
  t.handled += of_leaving.handled;
  return t;
}

void send_control(int rank, std::uint64_t code, std::uint64_t word = 0) noexcept {
  send(rank, code, word, nullptr, 0, effect::control);
}
void send_to_all(std::uint64_t code, std::uint64_t word) noexcept {
  for (int r = 0; r < job().size; ++r)
    if (!is_lost(r)) send_control(r, code, word);
}

// --- the coordinator, which is the lowest rank

struct coordinator {
  sys::spin_lock lock;
  std::vector<statement> of_ranks;
  std::uint64_t question = 0;  ///< the last one
  int unchanged = 0;           ///< answers to it that say so
  int have_told = 0;           ///< ranks that have printed what they wait for
};
coordinator& all() noexcept {
  static auto* const one = new coordinator;
  return *one;
}

int ranks_left() noexcept { return job().size - count_losses(); }

/// Under the lock: nothing could go on at any rank when it said so, some thread waits, and as much was handled as sent.
bool may_stand_still(const coordinator& c, std::uint64_t losses) noexcept {
  std::uint64_t sent = 0, handled = 0;
  bool some_wait = false;
  for (std::size_t r = 0; r < c.of_ranks.size(); ++r) {
    if (is_lost(static_cast<int>(r))) continue;
    const statement& s = c.of_ranks[r];
    if (!s.is_made || s.losses != losses) return false;
    sent += s.sent;
    handled += s.handled;
    some_wait = some_wait || s.waits;
  }
  return some_wait && sent == handled;
}

void end_after_words(arrival&) noexcept {
  coordinator& c = all();
  bool last = false;
  {
    std::lock_guard const held(c.lock);
    last = ++c.have_told == ranks_left();
  }
  if (last && sched::aborts_at_standstill()) end_job("the job stands still, and AMITY_STALL=abort asks for its end");
}

// --- each rank

struct own_state {
  sys::spin_lock lock;
  statement said;                          ///< the last one
  traffic before_look;                     ///< the monitor's
  int said_to = -1;                        ///< the coordinator
  sched::inbox_message out;                ///< the monitor can't send: a fiber that polls does
  std::atomic<bool> is_on_its_way{false};  ///< acquire, release: `out` is in the inbox
};
own_state& own() noexcept {
  static auto* const one = new own_state;
  return *one;
}

void report() noexcept {
  char host[128] = "?";
  gethostname(host, sizeof host - 1);
  base::warn(
      "rank %d of %d (process %d on %s): nothing in this job can go on any more: all its processes wait, and no "
      "message "
      "is under way. %sWhat this process waits for:",
      job().rank, job().size, static_cast<int>(getpid()), host,
      sched::aborts_at_standstill() ? "" : "It is left as it is; 'amity dump --job' says more. ");
  if (!sched::report_waits())
    base::warn("  nothing but the others: its own program has ended, or says not what it waits for");
  send_control(lowest_rank(), code_of<end_after_words>());
}

/// Z4. The words are a task's: a handler must not wait for whoever reads them.
void take_standstill(arrival&) noexcept {
  static std::atomic<bool> told{false};
  if (told.exchange(true, memory_order_relaxed)) return;
  sched::worker& w = sched::this_worker();
  auto words = []() noexcept { report(); };
  sched::enqueue_arrived(amity::detail::new_plain_task(w, nullptr, amity::detail::as_glue{std::move(words)}));
}

/// Z3, at the coordinator. `word`: the question's number, and whether the rank has sent or handled anything since.
void take_answer(arrival& m) noexcept {
  coordinator& c = all();
  {
    std::lock_guard const held(c.lock);
    if (m.word >> 1 != c.question || (m.word & 1) != 0 || ++c.unchanged != ranks_left()) return;
  }
  send_to_all(code_of<take_standstill>(), 0);
}

/// Z3, at each rank.
void take_question(arrival& m) noexcept {
  own_state& o = own();
  bool changed = true;
  {
    std::lock_guard const held(o.lock);
    changed = leaving_goes_on() || !(o.said == all_traffic());
    if (changed) o.said = {};  // it is said again, and the question put again, though the numbers may be the same
  }
  send_control(m.from, code_of<take_answer>(), m.word << 1 | (changed ? 1 : 0));
}

/// Z2, at the coordinator.
void take_statement(arrival& m) noexcept {
  statement s;
  if (m.size != sizeof s) return;
  memcpy(&s, m.bytes, sizeof s);
  coordinator& c = all();
  std::uint64_t const losses = mark_of_losses();
  std::uint64_t number = 0;
  {
    std::lock_guard const held(c.lock);
    c.of_ranks.resize(static_cast<std::size_t>(job().size));
    c.of_ranks[static_cast<std::size_t>(m.from)] = s;
    if (!may_stand_still(c, losses)) return;
    number = ++c.question;
    c.unchanged = 0;
  }
  send_to_all(code_of<take_question>(), number);
}

/// On a fiber that polls.
void send_statement(sched::inbox_message&) noexcept {
  own_state& o = own();
  statement s;
  int to = -1;
  {
    std::lock_guard const held(o.lock);
    s = o.said;
    to = o.said_to;
  }
  o.is_on_its_way.store(false, memory_order_release);  // pairs with say
  send(to, code_of<take_statement>(), 0, reinterpret_cast<const std::byte*>(&s), sizeof s, effect::control);
}

// The monitor's.

void begin_look() noexcept { own().before_look = all_traffic(); }

/// Z1.
void say(bool waits) noexcept {
  own_state& o = own();
  traffic const now = all_traffic();
  const traffic& before = o.before_look;
  bool const same = before.losses == now.losses && before.sent == now.sent && before.handled == now.handled;
  if (!same || leaving_goes_on() || o.is_on_its_way.load(memory_order_acquire)) return;  // pairs with send_statement
  int const to = lowest_rank();
  {
    std::lock_guard const held(o.lock);
    if (o.said == now && o.said.waits == waits && o.said_to == to) return;
    o.said = {now.losses, now.sent, now.handled, waits, true};
    o.said_to = to;
  }
  o.is_on_its_way.store(true, memory_order_relaxed);
  o.out.run = send_statement;
  sched::put_in_inbox(o.out);
}

constexpr sched::job_watch watch{begin_look, say};

}  // namespace

void begin_to_watch_standstill(const sched::outsiders& before) noexcept {
  sched::excuse_since(before);
  sched::watch_job(watch);
}

}  // namespace amity::net
