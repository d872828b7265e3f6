#pragma once

/// Tasks that may run in any process: processes without work take them from those that have some.
///
///     void search(node n) {
///       for (node child : n.children()) amity::async_any(search, child);
///     }
///
///     amity::set_stealing(amity::stealing::lifelines);   // in every process; or AMITY_DISTRIBUTED_STEALING=lifelines
///     amity::finish_spmd([&] {
///       if (amity::rank_me() == 0) amity::async_any(search, root);
///     });
///
/// What travels is as for rpc: a closure as its bytes, arguments serialised; both are made into bytes at once. A task
/// runs in its own process unless another one asks for work before it begins. The asker gets the older half of the
/// tasks that wait, 64 at most.
///
/// Off by default: then async_any makes a task of this process, like any other.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "amity/base/config.hpp"
#include "amity/pgas/remote_call.hpp"

namespace amity {

/// How a process that has no task waiting looks for tasks of other processes.
enum class stealing : std::uint8_t {
  off,          ///< it does not look for any, and others take none of the tasks that it makes
  random,       ///< it asks ranks by chance; after rank_n() - 1 answers of "none" it rests for 50 us to 1 ms
  round_robin,  ///< it asks one rank after the other, and rests as with `random`
  /// It asks two ranks by chance, then those 1, 2, 4, ... further; these send it tasks once more than one waits there.
  lifelines
};

/// From now on this process looks for tasks in this way, and other processes may take the tasks that it makes; with
/// `off`, tasks that async_any makes from now on stay here. Every process sets it for itself. Has no effect in a job of
/// one process. Joins the job; waits for no other process. While any process has it on, the loss of a rank ends the
/// job.
AMITY_API void set_stealing(stealing how) noexcept;
/// What set_stealing has set last in this process, or what the environment's AMITY_DISTRIBUTED_STEALING says (off,
/// random, round_robin, lifelines); off in a job of one process. Joins the job.
[[nodiscard]] AMITY_API stealing get_stealing() noexcept;

/// What stealing has done in this process since it began: for measuring, and to see whether work is shared.
struct stealing_counts {
  std::uint64_t made = 0;    ///< tasks that others could take
  std::uint64_t given = 0;   ///< how many of these others have taken
  std::uint64_t asked = 0;   ///< requests that this process has made
  std::uint64_t failed = 0;  ///< requests of this process that were answered by "none"
};
/// The counts of this process so far; those of other processes by a call there. Never waits.
[[nodiscard]] AMITY_API stealing_counts count_stealing() noexcept;

namespace pgas::detail {

/// `out` is a call as it would be sent, of code `code`; `call` runs it here.
AMITY_API void begin_movable(out_archive& out, std::uint64_t code, void (*call)(arrived_call&) noexcept) noexcept;

}  // namespace pgas::detail

/// Makes a task that calls `f(args...)` in this process, or in another one that takes it before it begins. Never waits
/// for it. A finish around the call waits for the task, wherever it runs, and gets what it throws; without a finish,
/// what the task throws ends the job. What travels is as for rpc, and so are the errors of the call itself:
/// std::invalid_argument for a closure that holds nothing but addresses of the caller's stack.
template <class F, class... Args>
void async_any(F&& f, Args&&... args) {
  namespace d = pgas::detail;
  using function = d::sent_function<F>;
  if constexpr (d::call_travels<function, std::decay_t<Args>...>()) {
    static_cast<void>(net::detail::joined_job());
    d::tell_translation();
    out_archive out;
    d::call_head const head;
    out.write(&head, sizeof head);
    d::write_function(out, static_cast<const function&>(f));
    (out(static_cast<const d::traveller<Args>&>(args)), ...);
    d::begin_movable(out, net::code_of<d::take_call<function, d::unasked, d::traveller<Args>...>>(),
                     d::run_call<function, d::unasked, d::traveller<Args>...>);
  }
}

}  // namespace amity
