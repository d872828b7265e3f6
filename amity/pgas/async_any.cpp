/// Work stealing between processes. Each worker has a list of the tasks that it made and that have not begun; the tasks
/// lie in its queue as well. To take a task, the worker that found it in the queue, or a handler that has a request
/// from another process, claims it. The one that comes late finds it claimed: README.md, "Tasks that may run anywhere".

#include "amity/pgas/async_any.hpp"

#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <new>
#include <random>
#include <string_view>
#include <vector>

#include "amity/base/report.hpp"
#include "amity/net/buffers.hpp"
#include "amity/net/job.hpp"
#include "amity/net/messages.hpp"
#include "amity/sched/loop/progress.hpp"
#include "amity/sched/loop/timer.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity {
namespace pgas::detail {
namespace {

using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

/// A call that may go elsewhere. Its bytes lie behind it, or in memory from malloc.
struct movable : sched::task {
  movable *older = nullptr, *newer = nullptr;
  std::uint64_t code = 0;
  void (*call)(arrived_call&) noexcept = nullptr;
  std::byte* bytes = nullptr;
  std::size_t size = 0;
  bool owns_bytes = false;
  std::uint8_t list = 0;
  bool is_listed = false;             ///< changed by the claim's holder, under the list's lock
  std::atomic<std::uint8_t> held{2};  ///< by the queue, and by the list
};

/// Of one worker, or of several where there are many.
struct alignas(base::cache_line) list {
  sys::spin_lock lock;
  movable *oldest = nullptr, *newest = nullptr;
  std::atomic<std::size_t> size{0};    ///< written under the lock; read by anybody, as a hint
  std::atomic<std::uint64_t> made{0};  ///< the same: all that were ever in it

  void add(movable& m) noexcept {
    std::lock_guard const held(lock);
    m.is_listed = true;
    m.older = newest;
    (newest != nullptr ? newest->newer : oldest) = &m;
    newest = &m;
    made.store(made.load(memory_order_relaxed) + 1, memory_order_relaxed);
    size.store(size.load(memory_order_relaxed) + 1, memory_order_relaxed);
  }
  /// Under the lock.
  void remove(movable& m) noexcept {
    m.is_listed = false;
    (m.older != nullptr ? m.older->newer : oldest) = m.newer;
    (m.newer != nullptr ? m.newer->older : newest) = m.older;
    size.store(size.load(memory_order_relaxed) - 1, memory_order_relaxed);
  }
};

constexpr unsigned list_bits = 6;
constexpr std::size_t list_count = std::size_t{1} << list_bits;
/// So many at most go with one request: the one that asks shares them again.
constexpr std::size_t most_given = 64;

struct counters {
  std::atomic<std::uint64_t> given{0}, asked{0}, failed{0};
};

/// What this process is about to do as a thief.
enum class phase : std::uint8_t {
  ready,    ///< it asks as soon as it has nothing
  asking,   ///< it waits for an answer
  napping,  ///< it rests until a time
  resting   ///< its neighbours send when more than one task waits there
};

struct thief_state {
  std::atomic<stealing> how{stealing::off};
  std::atomic<phase> at{phase::ready};
  // Of whoever polls, and of handlers: under the engine's lock, or under that of those who poll. Atomic for TSan's sake
  // and because the two are different locks; a value that is a moment old does no harm.
  std::atomic<int> failures{0};
  std::atomic<sched::instant> nap_ends{0};
  std::atomic<unsigned> nap_us{0};
  std::atomic<int> next_victim{0};
  std::atomic<std::uint32_t> random{1};
};

list lists[list_count];
counters counted;
thief_state thief;

// --- those that wait for tasks of this process (lifelines)

struct waiting_thieves {
  sys::spin_lock lock;
  std::vector<int> ranks;
  std::atomic<bool> some{false};
};
waiting_thieves& hungry() noexcept {
  static auto* const one = new waiting_thieves;
  return *one;
}

std::size_t waiting_tasks() noexcept {
  std::size_t n = 0;
  for (const list& l : lists) n += l.size.load(memory_order_relaxed);
  return n;
}

std::uint8_t list_of(const sched::worker& w) noexcept {
  return static_cast<std::uint8_t>(reinterpret_cast<std::uintptr_t>(&w) / sizeof w * 0x9e3779b97f4a7c15 >>
                                   (64 - list_bits));
}

void free_movable(movable& m, sched::worker& w) noexcept {
  if (m.owns_bytes) net::give_buffer(m.bytes);
  sched::give_task_memory(&m, m.size_class, w);
}

/// One of the two that held it has done with it.
void let_go(movable& m, sched::worker& w) noexcept {
  if (m.held.fetch_sub(1, memory_order_acq_rel) == 1) free_movable(m, w);  // pairs with the other's
}

/// From the queue.
void run_movable(sched::task& t, sched::worker& w, sched::call how) noexcept {
  auto& m = static_cast<movable&>(t);
  if (!sched::claim(m, how)) return let_go(m, w);  // it goes elsewhere
  if (m.is_listed) {
    list& l = lists[m.list];
    std::lock_guard const held(l.lock);
    l.remove(m);
  }
  sched::scope* const within = m.within;
  sched::scope* const outer = std::exchange(w.current, within);
  arrived_call c;
  c.within = within;
  c.bytes = m.bytes;
  c.size = m.size;
  c.from = net::job().rank;
  m.call(c);
  sched::make_exit_calls(w);
  free_movable(m, w);
  w.current = outer;
  if (within != nullptr)
    sched::detail::end_elsewhere(*within);
  else
    net::end_activity();
}

/// Claims up to `most` of the oldest.
void claim_oldest(list& l, std::size_t most, std::vector<movable*>& claimed) noexcept {
  std::lock_guard const held(l.lock);
  for (movable* m = l.oldest; m != nullptr && most > 0;) {
    movable* const next = m->newer;
    std::uint8_t free = 0;
    // A worker that has just found it in its queue is faster, or looks at it for a moment.
    if (m->claimed.compare_exchange_strong(free, 1, memory_order_acquire, memory_order_relaxed)) {
      l.remove(*m);
      claimed.push_back(m);
      --most;
    }
    m = next;
  }
}

/// The older half of what waits here goes to `rank`. How many.
std::size_t give_half(int rank) noexcept {
  std::size_t const all = waiting_tasks();
  std::size_t left = std::min((all + 1) / 2, most_given);
  std::vector<movable*> claimed;
  for (list& l : lists) {
    if (left == 0) break;
    std::size_t const here = l.size.load(memory_order_relaxed);
    if (here == 0) continue;
    std::size_t const before = claimed.size();
    claim_oldest(l, std::min(left, (here + 1) / 2), claimed);
    left -= claimed.size() - before;
  }
  sched::worker& w = sched::this_worker();
  for (movable* m : claimed) {
    call_head head;
    head.finish = spawn_elsewhere(m->within, rank);
    memcpy(m->bytes, &head, sizeof head);
    net::send(rank, m->code, is_never_serial, m->bytes, m->size);
    if (m->within != nullptr)
      sched::detail::end_elsewhere(*m->within);
    else
      net::end_activity();
    let_go(*m, w);
  }
  counted.given.fetch_add(claimed.size(), memory_order_relaxed);
  return claimed.size();
}

// --- requests

extern sched::progress_source source;

void be_ready() noexcept {
  thief.at.store(phase::ready, memory_order_release);  // pairs with is_wanted
  sched::stir(source);
}

void note_success() noexcept {
  thief.failures.store(0, memory_order_relaxed);
  thief.nap_us.store(0, memory_order_relaxed);
}

/// Tasks come, or none.
void take_answer_to_request(net::arrival& m) noexcept {
  if (m.word != 0) {
    note_success();
  } else {
    counted.failed.fetch_add(1, memory_order_relaxed);
    thief.failures.fetch_add(1, memory_order_relaxed);
  }
  if (thief.at.load(memory_order_relaxed) == phase::asking) be_ready();
}

/// Tasks come that were not asked for just now. A request that is under way still is (A2); the process that sent them
/// waits for another one before it sends more, so all are asked again.
void take_gift(net::arrival&) noexcept {
  note_success();
  if (thief.at.load(memory_order_relaxed) == phase::resting) be_ready();
}

/// Another process has nothing to do. Its word: that it wants to be sent tasks later, if there are none now.
void take_request(net::arrival& m) noexcept {
  std::size_t const given = give_half(m.from);
  if (given == 0 && m.word != 0) {
    waiting_thieves& h = hungry();
    std::lock_guard const held(h.lock);
    if (std::find(h.ranks.begin(), h.ranks.end(), m.from) == h.ranks.end()) h.ranks.push_back(m.from);
    h.some.store(true, memory_order_release);  // pairs with feed_hungry
  }
  net::send(m.from, net::code_of<take_answer_to_request>(), given, nullptr, 0, net::effect::control);
}

/// Once more than one task waits here: ranks that wait for tasks are sent half of them, one rank after the other.
void feed_hungry() noexcept {
  waiting_thieves& h = hungry();
  while (h.some.load(memory_order_acquire) && waiting_tasks() > 1) {  // pairs with take_request
    int rank = -1;
    {
      std::lock_guard const held(h.lock);
      if (h.ranks.empty()) return;
      rank = h.ranks.front();
      h.ranks.erase(h.ranks.begin());
      h.some.store(!h.ranks.empty(), memory_order_relaxed);
    }
    std::size_t const given = give_half(rank);
    if (given != 0)
      net::send(rank, net::code_of<take_gift>(), given, nullptr, 0, net::effect::control);
    else {
      std::lock_guard const held(h.lock);
      h.ranks.push_back(rank);
      h.some.store(true, memory_order_relaxed);
      return;
    }
  }
}

// --- the thief

/// Xorshift (Marsaglia, 2003).
std::uint32_t next_random() noexcept {
  std::uint32_t x = thief.random.load(memory_order_relaxed);
  x ^= x << 13, x ^= x >> 17, x ^= x << 5;
  thief.random.store(x, memory_order_relaxed);
  return x;
}

/// The neighbours of a rank in a cyclic hypercube: those 1, 2, 4, ... further.
int neighbour(int me, int n, int which) noexcept { return (me + (1 << which)) % n; }
int neighbours(int n) noexcept {
  int count = 0;
  while ((1 << count) < n) ++count;
  return count;
}

constexpr int random_first = 2;  ///< of lifelines
constexpr unsigned shortest_nap_us = 50, longest_nap_us = 1000;

void nap() noexcept {
  unsigned const us = std::clamp(thief.nap_us.load(memory_order_relaxed) * 2, shortest_nap_us, longest_nap_us);
  thief.nap_us.store(us, memory_order_relaxed);
  thief.failures.store(0, memory_order_relaxed);
  thief.nap_ends.store(sched::instant_after(std::chrono::microseconds(us)), memory_order_relaxed);
  thief.at.store(phase::napping, memory_order_relaxed);
}

void ask(int victim, bool as_lifeline) noexcept {
  thief.at.store(phase::asking, memory_order_relaxed);
  counted.asked.fetch_add(1, memory_order_relaxed);
  net::send(victim, net::code_of<take_request>(), as_lifeline ? 1 : 0, nullptr, 0, net::effect::control);
}

/// The next one to be asked, or none for now.
void look_for_tasks() noexcept {
  int const me = net::job().rank, n = net::job().size;
  int const failures = thief.failures.load(memory_order_relaxed);
  int const by_chance = (me + 1 + static_cast<int>(next_random() % static_cast<std::uint32_t>(n - 1))) % n;
  switch (thief.how.load(memory_order_relaxed)) {
    case stealing::off:
      return;
    case stealing::random:
      return failures >= n - 1 ? nap() : ask(by_chance, false);
    case stealing::round_robin: {
      if (failures >= n - 1) return nap();
      int const step = thief.next_victim.load(memory_order_relaxed) % (n - 1);
      thief.next_victim.store(step + 1, memory_order_relaxed);
      return ask((me + 1 + step) % n, false);
    }
    case stealing::lifelines:
      if (failures < random_first) return ask(by_chance, false);
      if (failures < random_first + neighbours(n)) return ask(neighbour(me, n, failures - random_first), true);
      thief.failures.store(0, memory_order_relaxed);
      thief.at.store(phase::resting, memory_order_release);
      return;
  }
}

int poll_thief(sched::progress_source&) noexcept {
  if (waiting_tasks() != 0) return 0;
  phase const at = thief.at.load(memory_order_acquire);
  if (at == phase::napping) {
    if (sched::now() < thief.nap_ends.load(memory_order_relaxed)) return 0;
  } else if (at != phase::ready) {
    return 0;
  }
  look_for_tasks();
  return 0;
}

bool is_wanted(const sched::progress_source&) noexcept {
  if (thief.how.load(memory_order_relaxed) == stealing::off) return false;
  phase const at = thief.at.load(memory_order_acquire);
  return at == phase::napping || (at == phase::ready && waiting_tasks() == 0);
}

/// A nap may pass in sleep: nap_us.
bool arm_thief(sched::progress_source&) noexcept { return thief.at.load(memory_order_relaxed) != phase::ready; }

constinit sched::progress_source source{poll_thief, is_wanted, arm_thief, -1, shortest_nap_us};

std::atomic<bool> is_started{false};

void stop_thief() noexcept {
  if (!is_started.load(memory_order_acquire)) return;
  thief.how.store(stealing::off, memory_order_relaxed);
  sched::dismiss(source);
}

/// Once.
bool start_thief() noexcept {
  static bool const started = [] {
    thief.random.store(0x9e3779b9u * static_cast<std::uint32_t>(net::job().rank + 1) | 1, memory_order_relaxed);
    if (int const error = sched::attend(source)) {
      base::warn("the system refuses what is needed to take tasks from other processes: %s", strerror(error));
      return false;
    }
    is_started.store(true, memory_order_release);  // pairs with stop_thief
    return true;
  }();
  return started;
}

stealing by_setting() noexcept {
  const char* const text = getenv("AMITY_DISTRIBUTED_STEALING");
  if (text == nullptr || *text == '\0') return stealing::off;
  std::string_view const said(text);
  constexpr std::array<std::pair<std::string_view, stealing>, 4> known{{{"off", stealing::off},
                                                                        {"random", stealing::random},
                                                                        {"round_robin", stealing::round_robin},
                                                                        {"lifelines", stealing::lifelines}}};
  for (const auto& [name, how] : known)
    if (said == name) return how;
  base::warn("AMITY_DISTRIBUTED_STEALING='%s' is none of off, random, round_robin, lifelines; off is used",
             base::quoted(text).text);
  return stealing::off;
}

void use_setting() noexcept {
  if (stealing const how = by_setting(); how != stealing::off) set_stealing(how);
}

constinit net::job_hook hook{use_setting, stop_thief};
[[gnu::constructor]] void add_hook() noexcept { net::add_job_hook(hook); }

}  // namespace

void begin_movable(out_archive& out, std::uint64_t code, void (*call)(arrived_call&) noexcept) noexcept {
  sched::worker& w = sched::this_worker();
  constexpr std::size_t before = (sizeof(movable) + 15) / 16 * 16, most_behind = 1024;
  bool const behind = out.size() <= most_behind;
  std::size_t const bytes = before + (behind ? out.size() : 0);
  auto const size_class = static_cast<std::uint8_t>(sched::class_for_task(bytes));
  sched::frame* const memory = size_class == sched::own_memory ? sched::take_large(bytes) : w.pool.take(size_class);
  if (memory == nullptr) base::fatal("out of memory for a task");
  sched::frame_pool* const home = memory->home;
  auto* const m = ::new (memory) movable;
  m->home = home;
  m->size_class = size_class;
  m->run = run_movable;
  m->code = code;
  m->call = call;
  m->size = out.size();
  if (behind) {
    m->bytes = reinterpret_cast<std::byte*>(m) + before;
    memcpy(m->bytes, out.data(), m->size);
  } else {
    m->bytes = out.release();
    m->owns_bytes = true;
  }
  m->within = w.current;
  if (m->within != nullptr)
    m->within->elsewhere.fetch_add(sched::scope::one, memory_order_relaxed);
  else
    net::begin_activity();
  bool const may_go = thief.how.load(memory_order_relaxed) != stealing::off && net::job().size > 1;
  if (may_go) {
    m->list = list_of(w);
    lists[m->list].add(*m);
  }
  sched::enqueue(*m, w);
  if (may_go && hungry().some.load(memory_order_relaxed)) feed_hungry();
}

}  // namespace pgas::detail

void set_stealing(stealing how) noexcept {
  namespace d = pgas::detail;
  if (net::job().size == 1 || (how != stealing::off && !d::start_thief())) return;
  d::thief.how.store(how, std::memory_order_relaxed);
  if (how == stealing::off) return;
  d::thief.failures.store(0, std::memory_order_relaxed);
  auto resting = d::phase::resting;
  d::thief.at.compare_exchange_strong(resting, d::phase::ready, std::memory_order_release);
  sched::stir(d::source);
}

stealing get_stealing() noexcept {
  static_cast<void>(net::job());
  return pgas::detail::thief.how.load(std::memory_order_relaxed);
}

stealing_counts count_stealing() noexcept {
  const auto& c = pgas::detail::counted;
  std::uint64_t made = 0;
  for (const auto& l : pgas::detail::lists) made += l.made.load(std::memory_order_relaxed);
  return {made, c.given.load(), c.asked.load(), c.failed.load()};
}

}  // namespace amity
