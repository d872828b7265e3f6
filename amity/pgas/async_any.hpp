#pragma once

/// Tasks that may run in any process: processes without work take them from those that have some.
///
///     amity::set_stealing(amity::stealing::lifelines);              // or AMITY_DISTRIBUTED_STEALING=lifelines; in
///     every process amity::finish_spmd([&] {
///       if (amity::rank_me() == 0) amity::async_any(search, root);   // void search(node n) { ... async_any(search,
///       child); }
///     });
///
/// What travels is as for rpc: a closure as its bytes, arguments serialised; both are made into bytes at once. A task
/// runs in its own process until another one asks for work. That one gets the older half of what waits.
///
/// Off by default: then the tasks are such as any other, of their process.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "amity/base/config.hpp"
#include "amity/pgas/remote_call.hpp"

namespace amity {

/// How a process without tasks looks for some.
enum class stealing : std::uint8_t {
  off,          ///< it does not
  random,       ///< it asks others by chance, and after as many failures as there are others it rests for a moment
  round_robin,  ///< the same, one after the other
  lifelines     ///< it asks two others by chance, then its neighbours in a hypercube, who send when they have something
};

/// From now on this process looks for tasks so. Those it has may be taken by others from any setting but `off`.
AMITY_API void set_stealing(stealing how) noexcept;
/// As it was set, or as AMITY_DISTRIBUTED_STEALING says.
[[nodiscard]] AMITY_API stealing get_stealing() noexcept;

/// For a look from outside, of this process.
struct stealing_counts {
  std::uint64_t made = 0;    ///< tasks that could be taken
  std::uint64_t given = 0;   ///< of those, taken by others
  std::uint64_t asked = 0;   ///< requests
  std::uint64_t failed = 0;  ///< requests that brought nothing
};
[[nodiscard]] AMITY_API stealing_counts count_stealing() noexcept;

namespace pgas::detail {

/// `out` is a call as it would be sent, of code `code`; `call` runs it here.
AMITY_API void begin_movable(out_archive& out, std::uint64_t code, void (*call)(arrived_call&) noexcept) noexcept;

}  // namespace pgas::detail

/// Makes a task that calls `f(args...)` in some process. Within a finish, the finish waits for it, and gets what it
/// throws; outside, what it throws ends the job. Throws as rpc does.
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
