#pragma once

#include <cstdint>

/// What `rt` asks and tells of teams that have members in other processes. Defined in `cluster`; called in cold halves
/// only (cold.hpp).

namespace amity::omp {
struct region_work;
struct schedule;
struct team;
struct thread;
enum class cancel_kind : std::uint8_t;
}  // namespace amity::omp

namespace amity::omp::cluster {

/// The team on which `t` is to run a region of `threads` threads, spread() already; null: one in this process alone.
[[nodiscard]] team* team_for(thread& t, int threads, const region_work& work) noexcept;

/// A region of such a team has begun here: from now on join_from_outside may be called. By its leader, before it runs
/// its own part.
void has_begun(team& tm) noexcept;

/// The caller is the last member of `tm` in this process to arrive at a barrier. All here wait from now on until
/// arrive_from_outside (outside.hpp), which may be called in here.
void all_are_here(team& tm) noexcept;

// --- cancellation, in a team with members in other processes
/// A member has cancelled the region, or a loop or sections (rt/cancel.hpp: note_cancellation). Members elsewhere hear
/// of it before they leave the barrier of that round.
void cancels(team& tm, cancel_kind what, std::uint32_t round, std::uint64_t loop) noexcept;
/// All members of `tm` in this process are at the end of a cancellable region. If it was cancelled they meet barriers
/// until leave_from_outside.
void all_are_through(team& tm) noexcept;
/// All of them have joined: from now on nothing is said to `tm` of cancellation.
void part_is_over(team& tm) noexcept;

/// There are other processes, whose threads may want what a lock keeps apart.
[[nodiscard]] bool spans_processes() noexcept;

/// The calling thread has entered the runtime: the block of a single that it runs has begun, if it runs one.
void enters() noexcept;

/// Threads of the program have data of their own that last from one region to the next.
void threads_have_data() noexcept;

/// The calling member has done its part of a region, of whichever team.
void ends_part(const thread& t) noexcept;

/// In a team with members in other processes: the caller is the first of the whole team at this single. Blocks the
/// fiber.
[[nodiscard]] bool is_first(thread& t) noexcept;

// --- loops of such a team, whose number in the region is loop_state::number_across. All block the fiber.
/// The next iterations of a dynamic loop (`chunks` chunks, or as many as there are) or of a guided one; none are left
/// if begin == end.
void next_chunks(thread& t, std::uint64_t chunks, std::uint64_t& begin, std::uint64_t& end) noexcept;
/// What the first process to come says, of a loop whose members may differ.
[[nodiscard]] schedule agree_on(std::uint64_t number, const schedule& ours) noexcept;
/// Memory that all members of a loop share: the block of the first process to come, which may be `ours`. And whether
/// the caller's process is the last to leave it, and gives it back.
[[nodiscard]] void* agree_on_memory(std::uint64_t number, void* ours) noexcept;
/// Constructs that are no loops and agree on memory are numbered from here on. Their memory is kept, not left.
inline constexpr std::uint64_t first_of_reductions = std::uint64_t{1} << 63;
/// Notes that this process is to give `memory` back; and whether it is, once.
void keep(void* memory) noexcept;
[[nodiscard]] bool has_kept(void* memory) noexcept;
[[nodiscard]] bool is_last_to_leave(std::uint64_t number) noexcept;
/// Until all iterations before the chunk in hand have left their ordered regions; and the turn of what follows it.
void await_turn(thread& t) noexcept;
void pass_turn(thread& t) noexcept;

/// Where posts of a doacross loop are: the loop's number in the region, and the member's number or the chunk's.
struct post_place {
  std::uint64_t loop, key;
  [[nodiscard]] bool operator==(const post_place&) const noexcept = default;
};
/// All positions below `progress` are posted there.
void post(const post_place& of, std::uint64_t progress) noexcept;
/// Until the progress there is `need`; what it is then. Blocks the fiber.
[[nodiscard]] std::uint64_t await_post(const post_place& of, std::uint64_t need) noexcept;
/// The key of a member: of a loop in which each knows its share (static).
[[nodiscard]] constexpr std::uint64_t key_of_member(std::uint64_t number) noexcept {
  return std::uint64_t{1} << 63 | number;
}

/// Behind the next barrier of such a team, `data` is what all find as team::copyprivate.
void hands_over(void* data) noexcept;

/// Mutual exclusion among all threads of all processes. Requires: spans_processes().
void lock_everywhere(const void* name) noexcept;
void unlock_everywhere(const void* name) noexcept;

}  // namespace amity::omp::cluster
