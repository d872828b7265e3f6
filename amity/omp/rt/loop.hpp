#pragma once

/// Worksharing loops that are dealt out at run time: dynamic, guided, runtime, and every ordered loop.
///
///     begin_loop(t, {.total = n, .how = {schedule_kind::dynamic, false, chunk}});
///     while (next_chunk(t)) for (i = t.loop.begin; i < t.loop.end; ++i) ...
///     end_loop(t);                 // the barrier, if any, is the caller's
///
/// Iterations are logical, 0 .. total-1.

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/omp/rt/loop_state.hpp"
#include "amity/omp/settings/icv.hpp"

namespace amity::omp {

struct thread;
struct team;

/// What a loop is, in the user's terms, for the ABI that hands it over together with the region.
struct loop_request {
  std::int64_t lower = 0;
  std::int64_t stride = 1;
  std::uint64_t total = 0;
  schedule how;
  bool ordered = false;
  bool given = false;
  std::size_t memory = 0;  ///< bytes of zeroed memory that the team shares until the loop's end; see loop_memory()
  std::int64_t unit = 1;   ///< guided: chunks are multiples of it, but for the last one
  bool sections = false;   ///< the iterations are sections
  [[nodiscard]] bool operator==(const loop_request&) const noexcept = default;
};

/// What others wait for from a member that has left the region (cancel.hpp) and does not come to the loop.
enum class absent_duty : std::uint8_t {
  none,
  turns,        ///< ordered, static with chunks: its turns are to be passed on
  block_turns,  ///< the same, a block for each thread
  posts         ///< doacross: what is its own counts as posted
};

/// Whose turn it is in an ordered loop: the thread's with iteration `n` when place(n) holds n. Chunks that follow on
/// each other have different places, so that a turn that is passed on takes its cache line from the next thread alone,
/// and not from all that wait; and the one who passed it on doesn't take it back by looking for its own.
class ordered_turns {
 public:
  /// By the first at the loop, before the others come.
  void start(std::uint64_t chunk) noexcept {
    shift_ = chunk == 0 ? 0 : static_cast<unsigned>(std::bit_width(chunk)) - 1;
    for (place& p : places_) p.iteration.store(none, std::memory_order_relaxed);
    places_[0].iteration.store(0, std::memory_order_relaxed);
  }
  [[nodiscard]] std::atomic<std::uint64_t>& at(std::uint64_t n) noexcept {
    return places_[(n >> shift_) % count].iteration;
  }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};  // there are at most so many iterations, counted from 0
  static constexpr std::size_t count = 8;
  struct alignas(base::cache_line) place {
    std::atomic<std::uint64_t> iteration{none};
  };
  place places_[count];
  unsigned shift_ = 0;
};

/// One loop under way. `sequence` says which of the region's loops it serves: threads may be several nowait loops
/// apart.
///
/// Most loops share nothing but a counter: every member knows all else from its own request. They need no set-up and
/// no wait for one: the last member to leave a descriptor leaves the counter at zero (join_counter). Then the first
/// line is only read, and all that is written lies on the second.
struct alignas(base::cache_line) loop_descriptor {
  /// 2 * n: free for loop n, or in use by it without set-up; 2 * n + 1: in use by loop n.
  std::atomic<std::uint64_t> sequence{0};
  std::atomic<std::uint64_t> ready{0};  ///< n + 1 when loop n's fields are set
  std::atomic<bool> cancelled{false};   ///< no more chunks
  absent_duty duty = absent_duty::none;
  schedule how;
  std::uint64_t total = 0;
  void* memory = nullptr;  ///< loop_request::memory

  /// Shared counter, in chunks or iterations; or a bit for each chunk that was taken (loop_state::own_first).
  alignas(base::cache_line) std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint32_t> finished{0};  ///< threads that are through

  ordered_turns turns;
};

struct loop_ring {
  static constexpr std::uint32_t size = 8;
  loop_descriptor entry[size];
};

/// The next chunk of a guided loop: a share of what is left, and never less than the chunk.
[[nodiscard]] inline std::uint64_t guided_size(std::uint64_t left, std::uint64_t chunk,
                                               std::uint64_t threads) noexcept {
  std::uint64_t size = left / threads + (left % threads != 0);
  if (size < chunk) size = chunk;
  return size > left ? left : size;
}

/// Joins the next loop of the region, for what is shared like a loop. True: the caller is the first one there, and must
/// set up what is shared and call publish_loop(). Requires: more than one member.
[[nodiscard]] bool enter_loop(thread& t, loop_descriptor*& joined) noexcept;
void publish_loop(thread& t, loop_descriptor& d) noexcept;

/// The same where nothing is shared but the counter `next`, which is zero at first. Requires: more than one member, and
/// a team that is not cancellable, as those who are absent from it have to see whether a loop has begun.
[[nodiscard]] loop_descriptor& join_counter(thread& t) noexcept;

/// Leaves what was joined; the last thread frees the descriptor and its memory.
void leave_loop(thread& t, loop_descriptor& d) noexcept;

/// Joins the next loop of the region; the first thread there sets it up.
void begin_loop(thread& t, const loop_request& loop) noexcept;

/// The memory that the loop's request asked for.
[[nodiscard]] void* loop_memory(const thread& t) noexcept;

/// Takes the next chunk into t.loop.begin/end. False: none is left.
[[nodiscard]] bool next_chunk(thread& t) noexcept;

/// The same for a chunk that was taken off the counter with others before, in the user's numbers, [*begin, *end); the
/// loop's last chunk never comes this way. False: ask next_chunk().
[[nodiscard]] inline bool next_of_batch(loop_state& l, std::uint64_t* begin, std::uint64_t* end) noexcept {
  if (l.batch_next >= l.plain_end) return false;
  ++l.batch_next;
  *begin = l.batch_at;
  *end = l.batch_at += l.batch_step;
  return true;
}

/// Leaves the loop. No barrier.
void end_loop(thread& t) noexcept;

// --- cancellation

/// No thread gets another chunk of the loop that `t` is in. Requires: t.loop.shared.
void cancel_loop(thread& t) noexcept;
[[nodiscard]] bool is_loop_cancelled(const thread& t) noexcept;

/// Some member has set up the next loop that `t` would meet.
[[nodiscard]] bool is_next_loop_begun(const thread& t) noexcept;
/// Counts `t` in there as one who runs nothing of it.
void attend_next_loop(thread& t) noexcept;

/// Waits until all iterations before the chunk in hand have left their ordered regions.
void ordered_begin(thread& t) noexcept;
void ordered_end(thread& t) noexcept;

}  // namespace amity::omp
