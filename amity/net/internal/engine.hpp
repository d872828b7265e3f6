#pragma once

/// What carries messages between the processes of a job. An engine knows ranks and bytes, and nothing of tasks. One
/// thread at a time calls it (messages.cpp sees to that), on a fiber; it never blocks.
///
/// A table of functions and no class with virtual ones: those for UCX and MPI are plug-ins (plugins/).

#include <cstddef>
#include <cstdint>

#include "amity/net/engine_collectives.hpp"

namespace amity::net {

/// What goes before the bytes of each message.
struct message_header {
  std::uint64_t code = 0;  ///< which function handles it (code.hpp)
  std::uint64_t word = 0;  ///< the handler's
};

/// In the code of a control message, so that the receiver does not count it either.
inline constexpr std::uint64_t control_bit = std::uint64_t{1} << 63;

/// What an engine says, within `poll`.
struct engine_events {
  /// A message. The bytes are gone when this returns.
  void (*arrived)(int from, const message_header& h, const std::byte* bytes, std::size_t size) noexcept;
  /// A large one, in memory of take_buffer, which is the callee's from now on.
  void (*arrived_large)(int from, const message_header& h, std::byte* bytes, std::size_t size) noexcept;
  /// `rank` can't be reached any more, for that reason. It may come several times.
  void (*lost)(int rank, const char* why) noexcept;
  /// Not within `poll`: the program itself is about to end what this engine goes by (MPI_Finalize). The job ends here,
  /// before this returns. Blocks the fiber.
  void (*taken_away)() noexcept;
  /// Memory for large messages (buffers.hpp), which is as good as malloc's and free's. At any time.
  std::byte* (*take_buffer)(std::size_t size) noexcept;
  void (*give_buffer)(std::byte* buffer) noexcept;
  /// Somebody who is none of the job, `who` as far as that is known, was turned away for that reason.
  void (*stranger)(const char* who, const char* why) noexcept;
};

/// What an engine may know of the job.
struct engine_facts {
  int rank;
  int size;
  bool one_node;                             ///< all ranks are on this one
  bool (*is_watched)(int rank) noexcept;     ///< the end of that rank's process is seen elsewhere (watch.hpp)
  bool (*shares_memory)(int rank) noexcept;  ///< with this process, where the engine can have it
  const char* ucx_within;                    ///< UCX's transports within a node; empty: the user leaves it none
  const char* ucx_between;                   ///< the same of a job on several
  const char* tcp_address;                   ///< of this machine: where others are to reach it; null: it has none
  const char* secret;                        ///< of the job, once the ranks know one another: what comes must prove it
  std::size_t secret_bytes;                  ///< the same for all
  const engine_events* events;
};

/// Collective operations of the engine's own. Unlike its other functions these are called by any thread at any time.
struct engine_collectives {
  /// Null: `why` says why not, in words.
  void* (*begin)(const engine_call& c, const char** why) noexcept;
  /// True: it has ended, and the request is gone. If it has failed, `why` says so.
  bool (*is_over)(void* request, const char** why) noexcept;
};

/// From so many bytes on a message is a large one, mostly.
inline constexpr std::size_t large_message = 16 * 1024;

struct engine {
  const char* name;
  /// `address`, of at most `*size` bytes, is what others reach this process by: text without white space. Null, or why
  /// it can't be used here, in words.
  const char* (*open)(const engine_facts& facts, char* address, std::size_t* size) noexcept;
  /// Where `rank` is reached. No connection need be made yet. Null, or what is wrong.
  const char* (*know)(int rank, const char* address) noexcept;
  /// Takes the bytes along, or sends them before it returns.
  void (*send)(int to, const message_header& h, const std::byte* bytes, std::size_t size) noexcept;
  /// The same of memory for messages, which is the engine's from now on: it calls give_buffer.
  void (*send_large)(int to, const message_header& h, std::byte* bytes, std::size_t size) noexcept;
  /// Sends and receives what can be. How much it did.
  int (*poll)() noexcept;
  /// From now on the next event makes `fd` readable. False: there is one already.
  bool (*arm)() noexcept;
  /// -1: there is none to sleep on; the next events are looked for after naps of at most `longest_nap_us`.
  int (*fd)() noexcept;
  /// Bytes that wait here to be sent to `rank`.
  std::size_t (*backlog)(int rank) noexcept;
  /// What was sent needs polls before it leaves, and no event will tell when.
  bool (*needs_polls)() noexcept;
  /// All that was sent has left. Polled until then.
  bool (*is_flushed)() noexcept;
  void (*close)() noexcept;
  unsigned longest_nap_us = 0;  ///< where there is no descriptor
  const engine_collectives* collectives = nullptr;
  /// `rank` is lost: drops what waits to be sent there, and waits for nothing from there. Nothing is sent there later.
  /// Null: the engine can't go on without one.
  void (*forget)(int rank) noexcept = nullptr;
  /// Why others of this node may not be heard of any more once one is lost, in words. Null: they are.
  const char* loss_hazard = nullptr;
  /// All that `rank`, whose process has ended, had sent was handed on, as far as it can be had. May hand on some
  /// itself, as a poll does. Null: a poll does that.
  bool (*has_handed_on)(int rank) noexcept = nullptr;
  /// Not beyond shared memory, once it is open. Null: it reaches all.
  bool (*stays_within)() noexcept = nullptr;
  /// From so many bytes on what is in memory for messages goes by send_large.
  std::size_t least_large = large_message;
};

extern const engine sockets_engine;

}  // namespace amity::net
