#pragma once

/// What the files of this room share: the processes, the region under way, and a place for an answer.

#include <atomic>
#include <cstdint>

#include "amity/omp/cluster/processes.hpp"
#include "amity/omp/rt/outside.hpp"
#include "amity/sched/fiber/fiber.hpp"
#include "amity/sched/loop/park.hpp"

namespace amity::omp {
struct region_work;
struct team;
struct thread;
}  // namespace amity::omp

namespace amity::omp::cluster {

/// Set by begin(), before there are other threads.
inline constexpr processes this_one_alone{};
inline const processes* others = &this_one_alone;

inline void tell(int process, const message& m) noexcept { others->send(process, m, nullptr, 0); }

/// What a fiber waits for that another process will say. Lies on its stack: a message carries its address to and fro.
class answer {
 public:
  /// By the thread that takes messages. The object may be gone afterwards.
  void give(std::uint32_t value) noexcept {
    sched::fiber* const asker = asker_;
    value_.store(value + 1, std::memory_order_release);  // pairs with await
    sched::unpark(asker);
  }
  /// Blocks the fiber.
  [[nodiscard]] std::uint32_t await() noexcept {
    std::uint32_t value;
    static_cast<void>(yield_until([&] { return value_.load(std::memory_order_acquire) != 0; }));
    while ((value = value_.load(std::memory_order_acquire)) == 0) sched::park();
    return value - 1;
  }
  [[nodiscard]] std::uint64_t address() const noexcept { return reinterpret_cast<std::uint64_t>(this); }
  static answer& at(std::uint64_t address) noexcept { return *reinterpret_cast<answer*>(address); }

 private:
  sched::fiber* const asker_ = sched::self();
  std::atomic<std::uint32_t> value_{0};  ///< 1 + what was answered
};

// --- each topic's handler, by the thread that takes messages

void take_region(const message& m, const void* body) noexcept;
void take_join(int from, const message& m) noexcept;
void take_arrival(const message& m) noexcept;
void take_release(const message& m) noexcept;
void take_single_question(int from, const message& m) noexcept;
void take_single_answer(const message& m) noexcept;
void take_single_begin() noexcept;
[[nodiscard]] int milliseconds_until_due() noexcept;
void look_at_time() noexcept;
void take_chunk_question(int from, const message& m, const void* body) noexcept;
void take_schedule_question(int from, const message& m, const void* body) noexcept;
void take_memory_offer(int from, const message& m) noexcept;
void take_leaving(int from, const message& m) noexcept;
void take_chunk_answer(const message& m) noexcept;
void take_turn_question(int from, const message& m, const void* body) noexcept;
void take_turn_answer(const message& m) noexcept;
void take_turn(const message& m) noexcept;
void take_post(const void* body) noexcept;
void take_post_question(int from, const message& m, const void* body) noexcept;
void take_post_answer(const message& m) noexcept;
void take_cancellation(int from, const message& m) noexcept;
void take_through(int from) noexcept;
void take_all_through() noexcept;
void take_token_message(int from, const message& m) noexcept;

/// The part here of the region under way; null: there is none.
[[nodiscard]] team* part_here() noexcept;
/// Process 0: how many processes, from 0 on, have a part of the region under way.
[[nodiscard]] int parts() noexcept;
/// Which process has the member of that number.
[[nodiscard]] int process_of_member(std::uint64_t number) noexcept;

/// In process 0, when a region begins.
void begin_meetings(int parts) noexcept;
void begin_singles() noexcept;
void begin_loops() noexcept;
/// When all members are at a barrier, and so in no loop, but for those who attend (rt/README-cancellation.md).
void forget_loops() noexcept;
void forget_posts() noexcept;  ///< also when a region begins

// --- cancellation (README.md, A1 to A5)
/// Process 0: a region is about to begin; and the others know of it.
void begin_cancels() noexcept;
void region_is_told() noexcept;
/// Another process: a region is due here, by the thread that takes messages; and its part begins on `tm`.
void announce_part() noexcept;
void begin_part(team& tm) noexcept;
/// Another process: all members everywhere are through. By the thread that takes messages.
[[nodiscard]] bool is_over_but_for_attendance() noexcept;
/// Process 0: all members of that one are at the region's end.
[[nodiscard]] bool is_through(int process) noexcept;
/// Process 0: one is_through() more, whose members others may wait for in an ordered or a doacross loop.
void pass_over_loops() noexcept;
void answer_for_absent_posts() noexcept;

/// As over_processes.
void threads_have_data() noexcept;
void count_regions(std::uint64_t& spread, std::uint64_t& kept) noexcept;

/// For `spreader`: what hooks/cluster.hpp asks as team_for, has_begun, all_are_here, cancels, all_are_through and
/// part_is_over.
[[nodiscard]] team* team_for_region(thread& t, int threads, const region_work& work) noexcept;
void tell_of_region(team& tm) noexcept;
void all_are_at_barrier(team& tm) noexcept;
void tell_of_cancellation(team& tm, cancel_kind what, std::uint32_t round, std::uint64_t loop) noexcept;
void all_are_at_end(team& tm) noexcept;
void part_ends(team& tm) noexcept;

[[noreturn]] void serve_regions() noexcept;

}  // namespace amity::omp::cluster
