#pragma once

/// One OpenMP program over several processes: what the library that has started these (amity/nodes) and this room do
/// for each other. That library loads the program into each of them, shares its memory and carries messages; what
/// messages mean is this room's concern.
///
///     process 0: main() forks -> region      process 1: serve() takes it, and leads the members there
///
/// Process 0 is where main() runs. All processes have the program and its libraries at the same addresses.

#include <cstddef>
#include <cstdint>

namespace amity::omp::cluster {

/// What a message is about.
enum class topic : std::uint32_t {
  region,         ///< 0 -> others: run your part of it
  joined,         ///< others -> 0: it is over here
  arrived,        ///< others -> 0: all here are at the barrier
  go_on,          ///< 0 -> others: so are all others
  asks_single,    ///< others -> 0: is it ours?
  single_is,      ///< 0 -> others
  single_begins,  ///< others -> 0: its block runs here
  asks_chunk,     ///< others -> 0: of a loop
  asks_schedule,  ///< others -> 0: of a loop by schedule(runtime)
  chunk_is,       ///< 0 -> others; of a schedule, too
  offers_memory,  ///< others -> 0: of a loop whose members share some
  leaves_memory,  ///< others -> 0
  asks_turn,      ///< others -> 0: of an ordered loop
  turn_is,        ///< 0 -> others: yours now
  passes_turn,    ///< others -> 0
  posts,          ///< others -> 0: of a doacross loop
  asks_post,      ///< others -> 0
  post_is,        ///< 0 -> others
  cancels,        ///< to 0, and on to others: the region, a loop or sections
  through,        ///< others -> 0: all here are at the end of a cancellable region
  all_through,    ///< 0 -> others: all are; where the region was cancelled
  asks_token,     ///< to a token's home (tokens.hpp), and what follows from that
  tries_token,
  token,
  no_token,
  recalls_token,
  recalls_if_free,
  gives_back,
  keeps_token,
  last = keeps_token
};

/// What a message is for, in a user's words: a construct, mostly.
[[nodiscard]] constexpr const char* construct_of(topic t) noexcept {
  using enum topic;
  switch (t) {
    case region:
    case joined:
      return "regions";
    case arrived:
    case go_on:
      return "barriers";
    case asks_single:
    case single_is:
    case single_begins:
      return "singles";
    case asks_chunk:
    case asks_schedule:
    case chunk_is:
    case offers_memory:
    case leaves_memory:
      return "loops";
    case asks_turn:
    case turn_is:
    case passes_turn:
      return "ordered";
    case posts:
    case asks_post:
    case post_is:
      return "doacross";
    case cancels:
    case through:
    case all_through:
      return "cancellation";
    case asks_token:
    case tries_token:
    case token:
    case no_token:
    case recalls_token:
    case recalls_if_free:
    case gives_back:
    case keeps_token:
      return "locks";
  }
  return "the end";
}

/// What a thread was doing when it waited for memory that is elsewhere.
enum class during : std::uint32_t { serial_part, regions, loops, singles, ordered, locks, last = locks };

[[nodiscard]] constexpr const char* words_of(during what) noexcept {
  using enum during;
  switch (what) {
    case serial_part:
      return "outside regions over nodes";
    case regions:
      return "regions";
    case loops:
      return "loops";
    case singles:
      return "singles";
    case ordered:
      return "ordered";
    case locks:
      break;
  }
  return "locks";
}

/// A message; `bytes` of it follow the head. What `a`, `b` and `c` are depends on the topic.
struct message {
  topic about;
  std::uint32_t bytes = 0;
  std::uint64_t a = 0, b = 0, c = 0;
};

/// Part of what follows a message's head.
struct piece {
  const void* data;
  std::size_t bytes;
};

inline constexpr int most_processes = 64;

/// What the library that has started the processes does. With count > 1 nothing may be null.
struct processes {
  int count = 1;  ///< up to most_processes
  int own = 0;    ///< the calling one, from 0
  /// Members that each process has of a team of as many as these are together; 0: it takes part in none. A smaller
  /// team fills one after the other, a larger one is dealt in these proportions.
  int threads[most_processes] = {1};
  /// To another process. In order, and nothing is lost; a process that is gone ends the program. May block briefly.
  /// Called by any thread.
  void (*send)(int to, const message& m, const piece* pieces, int count) noexcept = nullptr;
  /// The caller is main()'s thread, whose memory all processes have.
  bool (*is_mains_thread)() noexcept = nullptr;
  /// All processes have the function that begins at `code`.
  bool (*is_everywhere)(const void* code) noexcept = nullptr;
  /// Before a region is told to others, or reported to be over: what the program has printed goes out.
  void (*print_all)() noexcept = nullptr;
  /// Before others may go on that have waited for threads here, at a barrier, for a turn or a lock: what the program
  /// has printed is seen before what they print later. By a thread of the program's; it waits for no lock of a FILE.
  void (*hand_on_output)() noexcept = nullptr;
  /// What is written in one process has to be brought to another, while a thread there waits for it.
  bool memory_travels = false;
  /// With that: a thread of this process waits for memory just now.
  bool (*waits_for_memory)() noexcept = nullptr;
  /// With that: how long threads of this process have waited so far, in nanoseconds. Null where regions are to be
  /// spread in any case; else those that are not worth it have all their members in process 0 (worth.hpp).
  std::uint64_t (*waited)() noexcept = nullptr;
  /// With that, too: how often the calling OS thread has waited so far. Null: nobody wants to know
  /// (over_processes).
  std::uint64_t (*waits_of_thread)() noexcept = nullptr;
  /// By any thread: the one that takes messages asks soon when it is due again (over_processes).
  void (*ask_when_due)() noexcept = nullptr;
  /// Where the environment is that main() has changed last; and that it is there, in another process.
  std::uint64_t (*environment)() noexcept = nullptr;
  void (*environment_is)(std::uint64_t there) noexcept = nullptr;
};

/// What this room does. The OpenMP library hands it out by amity_omp_over_processes().
struct over_processes {
  /// From here on regions of main()'s thread have members in all processes. `p` lives as long as the process. To be
  /// called before any OpenMP construct runs.
  void (*begin)(const processes& p) noexcept;
  /// A message has come. By one thread of the process at a time, in the order in which they come from each process.
  /// `body`: the `m.bytes` that follow, good until this returns. Never blocks, takes no memory.
  void (*take)(int from, const message& m, const void* body) noexcept;
  /// How long the thread that takes messages may wait for one, in milliseconds; -1: as long as none comes. Afterwards,
  /// and after each message, look_at_time is due.
  int (*milliseconds_until_due)() noexcept;
  void (*look_at_time)() noexcept;
  /// In each process but 0, on a thread whose memory all processes have: leads the members here, for ever.
  void (*serve)() noexcept;

  /// Threads of the program have data of their own that last from one region to the next: from here on a thread stays
  /// in its process, and regions are spread in any case. By any thread.
  void (*threads_have_data)() noexcept;
  /// Process 0: how many regions were spread, and how many were not worth it.
  void (*count_regions)(std::uint64_t& spread, std::uint64_t& kept) noexcept;
  /// How often threads of this process have waited meanwhile. A loop's are those of dynamic and guided ones and
  /// sections; those of a static one are its region's.
  std::uint64_t (*waited)(during what) noexcept;

  // --- mutual exclusion among all threads of the program, by the address of what the program calls a lock. Nothing is
  // written there.
  void (*lock)(const void* address) noexcept;
  void (*unlock)(const void* address) noexcept;
  bool (*try_lock)(const void* address) noexcept;
  /// The same for nestable locks, which belong to a task. The depth afterwards; 0: free, or another's.
  int (*nest_lock)(const void* address) noexcept;
  int (*nest_unlock)(const void* address) noexcept;
  int (*nest_try_lock)(const void* address) noexcept;
};

}  // namespace amity::omp::cluster

/// Exported by libomp_amity.so, for libamity_nodes.so of the same build alone.
extern "C" const amity::omp::cluster::over_processes* amity_omp_over_processes();
