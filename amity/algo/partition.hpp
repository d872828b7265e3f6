#pragma once

/// The elements [0, n) of an algorithm, cut into chunks and run by all idle workers. All parallel algorithms are built
/// on this; what is not a template of them is in partition.cpp.
///
///     algo::partition p(how, n, 100);                             // not more than 100 chunks
///     algo::slot_results<double> sums;
///     algo::over_slots(p, sums, [&](double& sum, std::uint64_t first, std::uint64_t last) {
///       for (; first < last; ++first) sum += x[first];
///     });
///
/// Slots are in the order of their elements. Slot 0 is for the elements that were timed: it may be called several
/// times, on neighbours from left to right; each other slot once. If a call throws, chunks behind it are not begun any
/// more; those in front of it are. When all have ended, what was thrown is thrown: itself, or an exception_list if
/// several calls threw, the leftmost one's first.
///
/// Memory ordering: the calls happen after what the caller did before, and before the return. The caller works, too;
/// then it waits, which suspends its fiber and not the core.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/algo/settings.hpp"
#include "amity/finish/exception_list.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::algo {

using index = std::uint64_t;
inline constexpr index no_limit = ~index{0};

/// One function for all chunks. `limit`: chunks that begin there or behind need not be begun.
struct chunk_call {
  void (*run)(void* self, std::size_t slot, index first, index last) noexcept;
  void* self;
  std::atomic<index>* limit;
  void operator()(std::size_t slot, index first, index last) const noexcept { run(self, slot, first, last); }
  [[nodiscard]] bool wants(index first) const noexcept { return first < limit->load(std::memory_order_relaxed); }
};

class AMITY_API partition {
 public:
  /// At most `max_chunks`, however small the settings want them.
  partition(const settings& how, index n, index max_chunks = no_limit) noexcept;
  partition(const partition&) = delete;
  partition& operator=(const partition&) = delete;
  ~partition();

  /// With automatic chunks: runs the first elements as slot 0 to see what they take, or all if that is not worth
  /// sharing, and cuts the rest. To be called before run().
  void probe(const chunk_call& call) noexcept;
  /// Cuts all, without measuring: for what costs about `nanoseconds` for each element.
  void assume(double nanoseconds) noexcept;
  /// Runs each chunk. May be called again.
  void run(const chunk_call& call) noexcept;

  /// [0, probed) has been done by probe().
  [[nodiscard]] index probed() const noexcept { return begin_; }
  [[nodiscard]] index chunks() const noexcept { return count_; }
  /// The first element of a chunk; of chunk chunks(): n. Its slot is one more.
  [[nodiscard]] index first_of(index chunk) const noexcept;

 private:
  struct job;
  struct chunk_task;
  struct team_job;
  friend class team_call;
  void probe_all(const chunk_call& call) noexcept;
  void run_all(const chunk_call& call) noexcept;
  void run_by_team(const chunk_call& call) noexcept;
  void cut(index chunks) noexcept;
  void cut_shrinking() noexcept;
  void cut_measured(std::uint64_t per_element) noexcept;
  [[nodiscard]] bool is_done(const chunk_call& call, index done) const noexcept;

  settings how_;
  unsigned parties_;
  index n_;
  index most_;       ///< chunks
  index begin_ = 0;  ///< where chunk 0 begins
  index count_ = 0;
  index size_ = 1;
  index* bounds_ = nullptr;  ///< of chunks that shrink
};

/// What chunks threw. Members that throw it are templates of nothing (base/README.md, I1).
class failure {
 public:
  failure() = default;
  failure(const failure&) = delete;
  failure& operator=(const failure&) = delete;
  ~failure() {
    while (all_ != nullptr) delete std::exchange(all_, all_->next);
  }

  /// Within a handler: keeps what is handled, which the chunk from `first` on threw.
  void keep(index first) noexcept {
    auto* const one = new (std::nothrow) thrown{std::current_exception(), first, nullptr};
    lock_.lock();
    if (one != nullptr) one->next = std::exchange(all_, one);
    lacks_memory_ = lacks_memory_ || one == nullptr;
    lock_.unlock();
  }
  /// Requires: all have ended.
  template <class = void>
  void rethrow() {
    rethrow_before(no_limit);
  }
  /// The same of what happened in front of where an answer was found.
  template <class = void>
  void rethrow_before(index answer) {
    if (all_ != nullptr || lacks_memory_) [[unlikely]]
      throw_those_before(answer);
  }

 private:
  struct thrown {
    std::exception_ptr error;
    index first;
    thrown* next;
  };

  /// One as itself, several as a list, from left to right.
  template <class = void>
  [[gnu::cold, gnu::noinline]] void throw_those_before(index answer) {
    if (lacks_memory_) throw std::bad_alloc();
    std::vector<const thrown*> some;
    for (const thrown* t = all_; t != nullptr; t = t->next)
      if (t->first < answer) some.push_back(t);
    std::sort(some.begin(), some.end(), [](const thrown* a, const thrown* b) { return a->first < b->first; });
    if (some.size() == 1) std::rethrow_exception(some.front()->error);
    std::vector<std::exception_ptr> errors;
    for (const thrown* t : some) errors.push_back(t->error);
    if (!errors.empty()) detail::throw_list(errors);
  }

  sys::spin_lock lock_;
  bool lacks_memory_ = false;
  thrown* all_ = nullptr;
};

/// Enough chunks where each has a slot for its result.
inline constexpr index most_slots = 4096;

inline void lower(std::atomic<index>& limit, index to) noexcept {
  index now = limit.load(std::memory_order_relaxed);  // relaxed: a hint; results are read after the join
  while (to < now && !limit.compare_exchange_weak(now, to, std::memory_order_relaxed)) {
  }
}

inline void raise(std::atomic<index>& limit, index to) noexcept {
  index now = limit.load(std::memory_order_relaxed);  // relaxed: as lower
  while (to > now && !limit.compare_exchange_weak(now, to, std::memory_order_relaxed)) {
  }
}

/// A body with what it needs to be called from where no exception may pass.
template <class Body>
class guarded {
 public:
  explicit guarded(Body& body) noexcept : body_(body) {}
  [[nodiscard]] chunk_call call() noexcept { return {&guarded::run, this, &limit_}; }
  [[nodiscard]] std::atomic<index>& limit() noexcept { return limit_; }
  [[nodiscard]] failure& failed() noexcept { return failure_; }

 private:
  static void run(void* self, std::size_t slot, index first, index last) noexcept {
    auto& g = *static_cast<guarded*>(self);
    try {
      if constexpr (std::is_invocable_v<Body&, std::size_t, index, index, std::atomic<index>&>)
        g.body_(slot, first, last, g.limit_);
      else
        g.body_(slot, first, last);
    } catch (...) {
      g.failure_.keep(first);
      lower(g.limit_, first);
    }
  }

  Body& body_;
  std::atomic<index> limit_{no_limit};
  failure failure_;
};

/// Every element once. `body(slot, first, last)`, or with the limit as fourth argument, which it may lower.
template <class Body>
void over_all(partition& p, Body&& body) {
  guarded g(body);
  p.probe(g.call());
  p.run(g.call());
  g.failed().rethrow();
}

/// The part of over_all before the chunks: false: there is nothing left.
template <class Body>
[[nodiscard]] bool over_first(partition& p, Body&& body) {
  guarded g(body);
  p.probe(g.call());
  g.failed().rethrow();
  return p.chunks() != 0;
}

/// Every chunk once; what was done by probe() is not.
template <class Body>
void over_chunks(partition& p, Body&& body) {
  guarded g(body);
  p.run(g.call());
  g.failed().rethrow();
}

/// A result for each slot. There is no memory for chunks where everything was done by probe().
template <class T>
struct slot_results {
  T probed{};
  std::vector<T> chunks;

  /// From left to right.
  template <class F>
  void each(F&& f) {
    f(probed);
    for (T& c : chunks) f(c);
  }
};

/// `body(result, first, last)` for each slot, once or, the first one, several times.
template <class T, class Body>
void over_slots(partition& p, slot_results<T>& results, Body&& body) {
  if (!over_first(p, [&](std::size_t, index first, index last) { body(results.probed, first, last); })) return;
  results.chunks.resize(p.chunks());
  over_chunks(p, [&](std::size_t slot, index first, index last) { body(results.chunks[slot - 1], first, last); });
}

/// `body(first, last)` for what needs no slots.
template <class Body>
void over_elements(const settings& how, index n, Body&& body) {
  partition p(how, n);
  over_all(p, [&body](std::size_t, index first, index last) { body(first, last); });
}

}  // namespace amity::algo
