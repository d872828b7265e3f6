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
void take_turn_question(int from, const message& m) noexcept;
void take_turn_answer(const message& m) noexcept;
void take_turn(const message& m) noexcept;
void take_post(const void* body) noexcept;
void take_post_question(int from, const message& m, const void* body) noexcept;
void take_post_answer(const message& m) noexcept;
void take_token_message(int from, const message& m) noexcept;

/// The part here of the region under way; null: there is none.
[[nodiscard]] team* part_here() noexcept;
/// Process 0: how many processes, from 0 on, have a part of the region under way.
[[nodiscard]] int parts() noexcept;

/// In process 0, when a region begins.
void begin_meetings(int parts) noexcept;
void begin_singles() noexcept;
/// When no member is in a loop: at a region's begin, and when all are at a barrier.
void forget_loops() noexcept;
void forget_posts() noexcept;

/// As over_processes.
void threads_have_data() noexcept;
void count_regions(std::uint64_t& spread, std::uint64_t& kept) noexcept;

/// For `spreader`: what hooks/cluster.hpp asks as team_for, has_begun and all_are_here.
[[nodiscard]] team* team_for_region(thread& t, int threads, const region_work& work) noexcept;
void tell_of_region(team& tm) noexcept;
void all_are_at_barrier(team& tm) noexcept;

[[noreturn]] void serve_regions() noexcept;

}  // namespace amity::omp::cluster
