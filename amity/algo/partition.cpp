#include "amity/algo/partition.hpp"

#include <algorithm>
#include <memory>
#include <new>

#include "amity/algo/annotation.hpp"
#include "amity/algo/chunk_team.hpp"
#include "amity/sched/profile/tasks.hpp"
#include "amity/sched/tasks/observed.hpp"
#include "amity/sched/tasks/task.hpp"
#include "amity/sync/latch.hpp"
#include "amity/sys/clock.hpp"

namespace amity::algo {
namespace {

using std::memory_order_relaxed;

/// Automatic chunks for each party, at most: eight, so that one slow core keeps the others waiting for an eighth only;
/// and up to 32, if each of them takes `short_chunk` still.
constexpr index chunks_each = 8, most_chunks_each = 32;
/// Microseconds: what is shorter is not shared, and no chunk should be shorter.
constexpr std::uint64_t worth_sharing = 20, shortest_chunk = 10, short_chunk = 100;
/// A helper that has to be woken costs the caller one wake, begins another one later, and finds the elements in the
/// caller's cache.
constexpr std::uint64_t wakes_before_it_pays = 4;
/// Measured for so long, in microseconds.
constexpr std::uint64_t measured_for = 2;

/// 2^-10 ticks for each element.
std::uint64_t per_element(std::uint64_t ticks, index elements) noexcept {
  return std::max<std::uint64_t>(1, (ticks << 10) / elements);
}

/// As floating point: 2^40 elements of a second each are more than 64 bits of ticks.
double ticks_for(std::uint64_t per_element, index elements) noexcept {
  return static_cast<double>(per_element) * static_cast<double>(elements) / 1024;
}

index divide_up(index a, index b) noexcept { return a / b + (a % b != 0 ? 1 : 0); }

settings with_choice(settings s, index n) noexcept {
  // Not of an algorithm's inner steps, which have said themselves how they are cut.
  if (s.chooser != nullptr && s.how == chunking::equal && s.chunk == 0) s.chooser->choose(s, n);
  return s;
}

}  // namespace

unsigned parties(const settings& s) noexcept {
  unsigned workers = 0;
  if (s.team == nullptr)
    workers = static_cast<unsigned>(sched::worker_count());
  else
    for (unsigned g = 0; g < s.team->groups(); ++g) workers += s.team->members(g);
  if (workers == 0) workers = 1;
  return s.at_most != 0 && s.at_most < workers ? s.at_most : workers;
}

partition::partition(const settings& how, index n, index max_chunks) noexcept
    : how_(with_choice(how, n)), parties_(how_.alone ? 1 : parties(how_)), n_(n) {
  index wanted = index{parties_} * std::max(how_.chunks_each, 1u);
  if (how_.how == chunking::automatic)
    wanted = parties_ * most_chunks_each;
  else if (how_.how == chunking::first_come)
    wanted = divide_up(n, std::max<index>(how_.chunk, 1));
  else if (how_.how == chunking::equal && how_.chunk != 0)
    wanted = divide_up(n, how_.chunk);
  else if (how_.how == chunking::shrinking)
    wanted = no_limit - 1;
  most_ = std::min({wanted, n, max_chunks});
  if (how_.most_chunks != 0) most_ = std::min(most_, how_.most_chunks);
  // The caller is no member of a team: it does not do the first elements to see what they take.
  if (how_.team != nullptr && how_.how == chunking::automatic) how_.how = chunking::equal;
  if (how_.how == chunking::shrinking)
    cut_shrinking();
  else if (how_.how != chunking::automatic)
    cut(most_);
}

partition::~partition() { delete[] bounds_; }

index partition::first_of(index chunk) const noexcept {
  if (bounds_ != nullptr) return bounds_[chunk];
  return chunk >= count_ ? n_ : begin_ + chunk * size_;
}

void partition::cut(index chunks) noexcept {
  index const left = n_ - begin_;
  chunks = std::min({chunks, left, most_});
  if (chunks == 0) {
    count_ = 0;
    return;
  }
  size_ = divide_up(left, chunks);
  if (how_.chunk > size_) size_ = how_.chunk;
  count_ = divide_up(left, size_);
}

/// Guided self-scheduling (Polychronopoulos and Kuck, 1987), with halves of the shares: each chunk is what is left,
/// divided by twice the parties.
void partition::cut_shrinking() noexcept {
  index smallest = std::max<index>(how_.chunk, 1);
  index const share = index{2} * parties_;
  auto const next = [&](index left) { return std::min(left, std::max(smallest, left / share)); };
  auto const count = [&] {
    index chunks = 0;
    for (index left = n_; left != 0; left -= next(left)) ++chunks;
    return chunks;
  };
  // At most 2p ln(n) chunks before they are as small as allowed, and 2p afterwards.
  index chunks = count();
  for (; chunks > most_; chunks = count()) smallest *= 2;
  most_ = chunks;
  bounds_ = new (std::nothrow) index[chunks + 1];
  if (bounds_ == nullptr) {
    cut(chunks);
    return;
  }
  index i = 0;
  bounds_[0] = 0;
  for (index left = n_; left != 0; ++i) {
    left -= next(left);
    bounds_[i + 1] = n_ - left;
  }
  count_ = chunks;
}

void partition::cut_measured(std::uint64_t per_element) noexcept {
  double const total = ticks_for(per_element, n_ - begin_);
  double const shortest =
      how_.shortest != 0 ? static_cast<double>(how_.shortest) * static_cast<double>(sys::ticks_per_microsecond) / 1e3
                         : static_cast<double>(sys::ticks_of_microseconds(shortest_chunk));
  double const parties = parties_;
  double const most = std::clamp(total / static_cast<double>(sys::ticks_of_microseconds(short_chunk)),
                                 parties * chunks_each, parties * most_chunks_each);
  double const chunks = std::min(total / shortest, most);
  cut(std::max<index>(1, static_cast<index>(chunks)));
}

void partition::assume(double nanoseconds) noexcept {
  if (how_.how != chunking::automatic || n_ == 0) return;
  cut_measured(std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(nanoseconds * 1.024 * static_cast<double>(sys::ticks_per_microsecond))));
}

bool partition::is_done(const chunk_call& call, index done) const noexcept { return done == n_ || !call.wants(done); }

namespace {

/// Each chunk as a turn of a profile.
struct profiled_call {
  const chunk_call& of;

  static void run(void* self, std::size_t slot, index first, index last) noexcept {
    const chunk_call& call = static_cast<const profiled_call*>(self)->of;
    using sched::profile::construct;
    sched::profile::in_function const turn(reinterpret_cast<const void*>(call.run), construct::algorithm);
    call(slot, first, last);
  }
  [[nodiscard]] chunk_call call() noexcept { return {run, this, of.limit}; }
};

}  // namespace

void partition::probe(const chunk_call& call) noexcept {
  if (sched::tasks_are_observed()) [[unlikely]] {
    profiled_call profiled{call};
    return probe_all(profiled.call());
  }
  probe_all(call);
}

void partition::probe_all(const chunk_call& call) noexcept {
  if (how_.how != chunking::automatic || n_ == 0) return;
  annotated const name(how_.annotation);
  if (parties_ == 1 || n_ == 1) {
    call(0, 0, n_);
    begin_ = n_;
    return;
  }
  std::uint64_t per = how_.remembered != nullptr ? how_.remembered->load(memory_order_relaxed) : 0;
  auto const worth = static_cast<double>(
      std::max(sys::ticks_of_microseconds(worth_sharing), wakes_before_it_pays * sched::cost_of_help()));
  if (per == 0) {
    std::uint64_t const enough = sys::ticks_of_microseconds(measured_for);
    std::uint64_t const begun = sys::ticks();
    for (index piece = 1;; piece = std::min(n_ - begin_, begin_ * 7)) {
      call(0, begin_, begin_ + piece);
      begin_ += piece;
      if (is_done(call, begin_)) {
        begin_ = n_;
        return;
      }
      std::uint64_t const ticks = sys::ticks() - begun;
      per = per_element(ticks, begin_);
      if (ticks >= enough || (begin_ >= 8 && ticks_for(per, n_ - begin_) < worth)) break;
    }
    if (how_.remembered != nullptr) how_.remembered->store(per, memory_order_relaxed);
  }
  if (ticks_for(per, n_ - begin_) < worth) {
    call(0, begin_, n_);
    begin_ = n_;
    return;
  }
  cut_measured(per);
}

// --- running

/// What the tasks of one run() share; lies on the caller's stack.
struct partition::job {
  partition& p;
  const chunk_call& call;
  sched::scope* around;  ///< in which tasks that the body makes are counted
  bool by_ticket;        ///< whoever is free takes the next chunk
  std::atomic<index> next{0};
  sched::scope parts{};

  void run_chunk(index chunk) const noexcept {
    index const first = p.first_of(chunk);
    if (call.wants(first)) call(static_cast<std::size_t>(chunk) + 1, first, p.first_of(chunk + 1));
  }

  void run_leaf(index i) noexcept {
    annotated const name(p.how_.annotation);
    if (!by_ticket) {
      run_chunk(i);
      return;
    }
    // Relaxed: it hands out numbers and nothing else.
    while ((i = next.fetch_add(1, memory_order_relaxed)) < p.count_) run_chunk(i);
  }

  void run_range(index first, index last, sched::worker& w) noexcept;
};

/// A part of the chunks (or of those who take them), not begun. Runs even if the finish around was asked to stop: the
/// algorithm as a whole was begun.
struct partition::chunk_task : sched::task {
  job* of = nullptr;
  index first = 0, last = 0;

  static bool spawn(job& j, index first, index last, sched::worker& w) noexcept {
    sched::frame* const f = sched::take_task_memory<sizeof(chunk_task)>(w);
    if (f == nullptr) return false;
    sched::frame_pool* const home = f->home;
    auto* const t = ::new (f) chunk_task;
    t->home = home;
    t->size_class = static_cast<std::uint8_t>(sched::class_for_task(sizeof(chunk_task)));
    t->detached = true;
    t->run = &chunk_task::run_it;
    t->within = &j.parts;
    t->of = &j;
    t->first = first;
    t->last = last;
    sched::begin_within(&j.parts, w);
    sched::enqueue(*t, w);
    return true;
  }

  static void run_it(sched::task& base, sched::worker& w, sched::call) noexcept {
    auto& t = static_cast<chunk_task&>(base);
    job& j = *t.of;
    index const first = t.first, last = t.last;
    sched::give_task_memory(&t, t.size_class, w);
    sched::scope* const outer = std::exchange(w.current, j.around);
    j.run_range(first, last, w);
    sched::make_exit_calls(w);
    w.current = outer;
    sched::end_within(&j.parts, w);
  }
};

/// Gives halves away until one is left, and does that. Out of memory: does more itself.
void partition::job::run_range(index first, index last, sched::worker& w) noexcept {
  for (; first < last; ++first) {
    while (last - first > 1) {
      index const middle = first + (last - first) / 2;
      if (!chunk_task::spawn(*this, middle, last, w)) break;
      last = middle;
    }
    run_leaf(first);
  }
}

void partition::run(const chunk_call& call) noexcept {
  if (sched::tasks_are_observed()) [[unlikely]] {
    profiled_call profiled{call};
    return run_all(profiled.call());
  }
  run_all(call);
}

void partition::run_all(const chunk_call& call) noexcept {
  if (count_ == 0) return;
  if (how_.team != nullptr && !how_.alone) return run_by_team(call);
  if (how_.alone || count_ == 1) {
    annotated const name(how_.annotation);
    for (index i = 0; i < count_ && call.wants(first_of(i)); ++i)
      call(static_cast<std::size_t>(i) + 1, first_of(i), first_of(i + 1));
    return;
  }
  sched::worker& w = sched::this_worker();
  // Fewer at a time than there are workers can be had by tickets only.
  bool const by_ticket = how_.how == chunking::first_come || how_.how == chunking::shrinking || how_.at_most != 0;
  job j{*this, call, w.current, by_ticket};
  j.parts.owner = &w;
  j.parts.outer = w.current;
  std::uint32_t const base = w.queue.bottom();
  j.run_range(0, by_ticket ? std::min<index>(parties_, count_) : count_, w);
  sched::join(w, j.parts, base);
}

// --- by a team

/// What the members of a team share; lies on the caller's stack.
struct partition::team_job {
  partition& p;
  const chunk_call& call;
  sched::scope* around;                        ///< in which tasks that the body makes are counted
  std::unique_ptr<std::atomic<index>[]> next;  ///< of each group: the next chunk
  sync::latch members;

  [[nodiscard]] index first_of_group(unsigned group) const noexcept {
    unsigned const groups = p.how_.team->groups();
    return p.count_ / groups * group + p.count_ % groups * group / groups;
  }

  /// Chunks of a group until there are none left.
  void run_group(unsigned group) noexcept {
    sched::worker& w = sched::this_worker();
    sched::scope* const outer = std::exchange(w.current, around);
    {
      annotated const name(p.how_.annotation);
      index const last = first_of_group(group + 1);
      index i;
      // Relaxed: it hands out numbers and nothing else.
      while ((i = next[group].fetch_add(1, memory_order_relaxed)) < last)
        if (index const first = p.first_of(i); call.wants(first))
          call(static_cast<std::size_t>(i) + 1, first, p.first_of(i + 1));
    }
    w.current = outer;
  }
};

void team_call::operator()() const noexcept {
  auto& job = *static_cast<partition::team_job*>(job_);
  job.run_group(group_);
  job.members.count_down();
}

void team_call::decline() const noexcept { static_cast<partition::team_job*>(job_)->members.count_down(); }

void partition::run_by_team(const chunk_call& call) noexcept {
  unsigned const groups = how_.team->groups();
  std::unique_ptr<std::atomic<index>[]> next(new (std::nothrow) std::atomic<index>[groups]);
  if (next == nullptr) {  // no memory: the caller does all
    for (index i = 0; i < count_ && call.wants(first_of(i)); ++i)
      call(static_cast<std::size_t>(i) + 1, first_of(i), first_of(i + 1));
    return;
  }
  team_job j{*this, call, sched::this_worker().current, std::move(next), sync::latch(parties_)};
  for (unsigned g = 0; g < groups; ++g) j.next[g].store(j.first_of_group(g), memory_order_relaxed);
  unsigned left = parties_;
  // Each group's first member, then the second ones: if not all may come, as many groups as possible have one.
  bool more = true;
  for (unsigned m = 0; more && left != 0; ++m) {
    more = false;
    for (unsigned g = 0; g < groups && left != 0; ++g) {
      index const chunks = j.first_of_group(g + 1) - j.first_of_group(g);
      if (m >= how_.team->members(g) || m >= chunks) continue;
      more = true;
      --left;
      team_call const member(&j, g);
      try {
        how_.team->begin(g, m, member);
      } catch (...) {  // does without that one
        member.decline();
      }
    }
  }
  j.members.count_down(left);
  j.members.wait();
  // What nobody was there for: all have declined, or there were fewer members than groups.
  for (unsigned g = 0; g < groups; ++g) j.run_group(g);
}

}  // namespace amity::algo
