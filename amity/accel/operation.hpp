#pragma once

/// An operation on a device, from its call to its end. README.md has its phases and the rules.
///
///     auto op = new_operation(device);
///     op->what.is = command::kind::write; ...
///     op->use(buffer, access::overwrites);
///     future<void> done = begin<void>(std::move(op));

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "amity/accel/objects.hpp"
#include "amity/base/language.hpp"
#include "amity/future/future.hpp"

namespace amity::accel::detail {

struct kernel_object;
struct graph_object;

enum class phase : std::uint8_t { waits, handed_over, ended };
/// `overwrites`: all of it, so what it was before doesn't matter.
enum class access : std::uint8_t { reads, writes, overwrites };

struct AMITY_API operation : counted<operation> {
  explicit operation(device_object& d) noexcept : on(&d) {}
  ~operation();
  /// Memory of operations is used again: they come and go every few microseconds, on different threads.
  static void* operator new(std::size_t bytes);
  static void operator delete(void* memory) noexcept;

  // --- of its maker, until it is handed over
  device_object* on;
  stream_object* stream = nullptr;  ///< chosen by the program, or when it is handed over
  command what;
  struct use_of {
    buffer_object* buffer;  ///< counted
    access how;
  };
  few<use_of, 8> uses;
  few<argument, 8> arguments;  ///< of a launch
  few<std::byte, 64> values;
  kernel_object* kernel = nullptr;    ///< counted; of a launch
  graph_object* graph = nullptr;      ///< counted; of a launch of a graph
  std::shared_ptr<const void> keeps;  ///< memory of the host
  const char* name = "an operation";  ///< for messages

  // --- under the lock of order.cpp
  struct edge {
    operation* to;      ///< counted
    bool carries_data;  ///< if that one failed, so does this one
  };
  few<edge, 4> before;                      ///< those that it comes after, until its end
  few<operation*, 4> at_hand_over, at_end;  ///< counted: those that wait for this one
  std::exception_ptr cause;                 ///< of its failure

  // --- shared
  /// How many things have to come before it can be handed over; its maker is one. Release, acquire: what they left.
  std::atomic<int> missing{1};
  /// Written under the lock. Release: mark and cause; acquire: a reader that does not hold the lock.
  std::atomic<phase> now{phase::waits};
  std::atomic<bool> failed{false};
  /// Another one waits for its end in software.
  std::atomic<bool> is_awaited{false};

  // --- of the profile, if there is one
  std::uint64_t handed_over_at = 0;  ///< ticks; 0: it is in none
  std::uint32_t profile_key = 0;

  // --- under the lock of its stream
  mark native_mark = nullptr;
  std::vector<mark> marks_before;  ///< of the parts of a graph but the last
  operation* next = nullptr;
  bool is_announced = false;

  // --- where its end is told
  amity::detail::state* result = nullptr;  ///< one reference
  void (*put)(operation&) = nullptr;       ///< puts the value into `result`
  void (*drop)(amity::detail::state&) noexcept = nullptr;
  sched::scope* within = nullptr;

  void use(buffer_object& b, access how) {
    b.keep();
    uses.push_back({&b, how});
  }
  /// At its end: gives up all that it has needed.
  void forget() noexcept;
};

[[nodiscard]] inline ref<operation> new_operation(device_object& d) { return ref<operation>::adopt(new operation(d)); }

// --- order.cpp: what comes before what

/// A child of a fork finds the order whole.
void hold_order_over_forks() noexcept;
/// Gives the operation its place in the order of all buffers that it uses. It waits for those before it from now on.
AMITY_API void place(operation& op);
/// `op` waits for the end of `other`, and fails if that one does.
void wait_for_end(operation& op, operation& other);
/// One more thing has to come before it is handed over; let_go says that it has.
inline void hold(operation& op) noexcept {
  op.keep();
  op.missing.fetch_add(1, std::memory_order_relaxed);
}
/// Something that had to come is there. The last one hands the operation over: in a task of its own, since the driver
/// may take its time.
AMITY_API void let_go(operation& op) noexcept;
/// It will fail with this, unless there is a cause already. Before the caller's let_go.
AMITY_API void blame(operation& op, std::exception_ptr cause) noexcept;
/// Its own cause, or that of one before it that carries data.
[[nodiscard]] std::exception_ptr cause_of(operation& op) noexcept;
[[nodiscard]] bool all_before_ended(operation& op) noexcept;
/// The driver has it: those that wait for that may go on.
void note_hand_over(operation& op) noexcept;
/// It is over. Tells its future, its finish and all that wait for it.
void end_operation(operation& op, std::exception_ptr cause) noexcept;

// --- hand_over.cpp

/// Hands it to the driver, or ends it with what is wrong with it.
void hand_over(operation& op) noexcept;

/// Counts the operation in the finish around the caller.
AMITY_API void begin_within_scope(operation& op) noexcept;
/// The maker's part of `missing`: hands it over here and now, if nothing else has to come.
AMITY_API void let_go_here(ref<operation> op) noexcept;

template <class T, class Put>
[[nodiscard]] future<T> begin_with(ref<operation> op, Put) {
  amity::detail::state& s = amity::detail::new_state<T>();
  s.claimed.store(amity::detail::on_question, std::memory_order_relaxed);
  future<T> told = amity::detail::adopt<T>(s);
  op->result = &s;
  op->put = [](operation& o) { Put{}(o); };
  op->drop = [](amity::detail::state& x) noexcept { amity::detail::drop<T>(x); };
  begin_within_scope(*op);
  place(*op);
  let_go_here(std::move(op));
  return told;
}

/// It waits for the future too, and fails with its error.
AMITY_API void hold_for(operation& op, const shared_future<void>& f);
/// Begins it; the future is ready at its end.
[[nodiscard]] AMITY_API future<void> begin(ref<operation> op);

}  // namespace amity::accel::detail
