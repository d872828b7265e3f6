#pragma once

/// What carries messages between the processes of a job. An engine knows ranks and bytes, and nothing of tasks.
///
/// What it knows and holds is in an *instance*, which `open` makes and `close` destroys:
///
///     char text[most_address];
///     engine_instance* const i = sockets_engine.open(facts, text, sizeof text);  // null: `text` says why not
///     open_engine const e{&sockets_engine, i};
///     e.know(rank, address_of_rank);  // of each rank
///     e.send(rank, header, bytes, size);
///     e.poll();  // facts.events->arrived(facts.owner, ...)
///
/// A process of a job has one instance of each engine that it has opened. A test has several: one for each of its
/// ranks, or for several jobs. One thread at a time calls an instance, on a fiber, and it never blocks; several may be
/// called at once. An event calls no function of its instance. README-engines.md lists what each engine promises, C1 to
/// C9.
///
/// A table of functions and no class with virtual ones: those for UCX and MPI are plug-ins (plugins/).

#include <stdio.h>

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

/// What an instance says, within `poll` where nothing else is written. `owner`: engine_facts::owner.
struct engine_events {
  /// A message. The bytes are gone when this returns.
  void (*arrived)(void* owner, int from, const message_header& h, const std::byte* bytes, std::size_t size) noexcept;
  /// A large one, in memory of take_buffer, which is the callee's from now on.
  void (*arrived_large)(void* owner, int from, const message_header& h, std::byte* bytes, std::size_t size) noexcept;
  /// `rank` can't be reached any more, for that reason. It may come several times, and as something is sent.
  void (*lost)(void* owner, int rank, const char* why) noexcept;
  /// Not within `poll`: the program itself is about to end what this engine goes by (MPI_Finalize). The job ends here,
  /// and the instance is closed, before this returns. Blocks the fiber.
  void (*taken_away)(void* owner) noexcept;
  /// Memory for large messages (buffers.hpp), which is as good as malloc's and free's. At any time, by any thread: it
  /// is the process's.
  std::byte* (*take_buffer)(std::size_t size) noexcept;
  void (*give_buffer)(std::byte* buffer) noexcept;
  /// Somebody who is none of the job, `who` as far as that is known, was turned away for that reason.
  void (*stranger)(void* owner, const char* who, const char* why) noexcept;
};

/// What an instance may know of the job. What it points to stays as long as the instance.
struct engine_facts {
  int rank;
  int size;
  bool one_node;                                          ///< all ranks are on this one
  bool (*is_watched)(void* owner, int rank) noexcept;     ///< the end of its process is seen elsewhere (watch.hpp)
  bool (*shares_memory)(void* owner, int rank) noexcept;  ///< with this process, where the engine can have it
  const char* ucx_within;    ///< UCX's transports within a node; empty: the user leaves none
  const char* ucx_between;   ///< the same of a job on several
  const char* tcp_address;   ///< of this machine: where others are to reach it; null: it has none
  const char* secret;        ///< of the job, once the ranks know one another: what comes must prove it
  std::size_t secret_bytes;  ///< the same for all
  const engine_events* events;
  void* owner;  ///< whose instance it is: handed to the functions above and to the events
};

/// Collective operations of the engine's own. They are the process's, and no instance's: MPI has them for its
/// processes. Any thread calls them at any time.
struct engine_collectives {
  /// Null: `why` says why not, in words.
  void* (*begin)(const engine_call& c, const char** why) noexcept;
  /// True: it has ended, and the request is gone. If it has failed, `why` says so.
  bool (*is_over)(void* request, const char** why) noexcept;
};

/// From so many bytes on a message is a large one, mostly.
inline constexpr std::size_t large_message = 16 * 1024;

/// As long as an address may be, with the zero behind it.
inline constexpr std::size_t most_address = 16 * 1024;

/// What `open` makes. Each engine derives its own kind from it, and its functions are given no other (with_own).
struct engine_instance {};

struct engine {
  const char* name;
  /// An instance; `text`, of `size` bytes, is then what others reach it by, without white space. Null: it can't be used
  /// here, and `text` says why, in words.
  engine_instance* (*open)(const engine_facts& facts, char* text, std::size_t size) noexcept;
  /// Where `rank` is reached. No connection need be made yet. Null, or what is wrong.
  const char* (*know)(engine_instance& i, int rank, const char* address) noexcept;
  /// Takes the bytes along, or sends them before it returns.
  void (*send)(engine_instance& i, int to, const message_header& h, const std::byte* bytes, std::size_t size) noexcept;
  /// The same of memory for messages, which is the engine's from now on: it calls give_buffer.
  void (*send_large)(engine_instance& i, int to, const message_header& h, std::byte* bytes, std::size_t size) noexcept;
  /// Sends and receives what can be. How much it did.
  int (*poll)(engine_instance& i) noexcept;
  /// From now on the next event makes `fd` readable. False: there is one already.
  bool (*arm)(engine_instance& i) noexcept;
  /// -1: there is none to sleep on; the next events are looked for after naps of at most `longest_nap_us`.
  int (*fd)(engine_instance& i) noexcept;
  /// Bytes that wait here to be sent to `rank`.
  std::size_t (*backlog)(engine_instance& i, int rank) noexcept;
  /// What was sent needs polls before it leaves, and no event will tell when.
  bool (*needs_polls)(engine_instance& i) noexcept;
  /// All that was sent has left. Polled until then.
  bool (*is_flushed)(engine_instance& i) noexcept;
  /// The instance is gone, and what waits to be sent with it. Events may come before this returns.
  void (*close)(engine_instance& i) noexcept;
  unsigned longest_nap_us = 0;  ///< where there is no descriptor
  const engine_collectives* collectives = nullptr;
  /// `rank` is lost: drops what waits to be sent there and what comes from there, and waits for nothing from there.
  /// Nothing is sent there later. Not in an event. Null: the engine can't go on without one.
  void (*forget)(engine_instance& i, int rank) noexcept = nullptr;
  /// Why others of this node may not be heard of any more once one is lost, in words. Null: they are.
  const char* loss_hazard = nullptr;
  /// All that `rank`, whose process has ended, had sent was handed on, as far as it can be had. May hand on some
  /// itself, as a poll does. Null: a poll does that.
  bool (*has_handed_on)(engine_instance& i, int rank) noexcept = nullptr;
  /// Not beyond shared memory, once it is open. Null: it reaches all.
  bool (*stays_within)(engine_instance& i) noexcept = nullptr;
  /// From so many bytes on what is in memory for messages goes by send_large.
  std::size_t least_large = large_message;
};

/// An instance, and what can be done with it.
struct open_engine {
  const engine* table = nullptr;
  engine_instance* instance = nullptr;

  const char* know(int rank, const char* address) const noexcept { return table->know(*instance, rank, address); }
  void send(int to, const message_header& h, const std::byte* bytes, std::size_t size) const noexcept {
    table->send(*instance, to, h, bytes, size);
  }
  void send_large(int to, const message_header& h, std::byte* bytes, std::size_t size) const noexcept {
    table->send_large(*instance, to, h, bytes, size);
  }
  int poll() const noexcept { return table->poll(*instance); }
  [[nodiscard]] bool arm() const noexcept { return table->arm(*instance); }
  [[nodiscard]] int fd() const noexcept { return table->fd(*instance); }
  [[nodiscard]] std::size_t backlog(int rank) const noexcept { return table->backlog(*instance, rank); }
  [[nodiscard]] bool needs_polls() const noexcept { return table->needs_polls(*instance); }
  [[nodiscard]] bool is_flushed() const noexcept { return table->is_flushed(*instance); }
  void close() const noexcept { table->close(*instance); }
  /// Requires: the table has it.
  void forget(int rank) const noexcept { table->forget(*instance, rank); }
  [[nodiscard]] bool has_handed_on(int rank) const noexcept {
    return table->has_handed_on == nullptr || table->has_handed_on(*instance, rank);
  }
  [[nodiscard]] bool stays_within() const noexcept {
    return table->stays_within != nullptr && table->stays_within(*instance);
  }
};

namespace detail {
template <auto Function>
struct on_own;
template <class Own, class Result, class... Rest, Result (*Function)(Own&, Rest...) noexcept>
struct on_own<Function> {
  static Result call(engine_instance& i, Rest... rest) noexcept { return Function(static_cast<Own&>(i), rest...); }
};
}  // namespace detail

/// `Function`, which takes an engine's own kind of instance, for the engine's table.
template <auto Function>
inline constexpr auto with_own = &detail::on_own<Function>::call;

/// For `open`: it says why not.
inline engine_instance* not_opened(const char* why, char* text, std::size_t size) noexcept {
  snprintf(text, size, "%s", why);
  return nullptr;
}

extern const engine sockets_engine;

}  // namespace amity::net
