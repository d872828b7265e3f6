#pragma once

/// All processes meet.
///
///     amity::barrier_all();                             // returns when all have called it
///     amity::finish_spmd([&] {
///       amity::async_at(next, [] { work(); });          // `next`: a rank
///     });                                               // returns when all processes' tasks have ended

#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include "amity/finish/finish.hpp"
#include "amity/net/job.hpp"
#include "amity/pgas/remote_call.hpp"
#include "amity/pgas/remote_error.hpp"

namespace amity {

namespace pgas::detail {

/// Meets all others; all get the error of the lowest rank that brought one. Blocks the fiber.
AMITY_API void meet(error_words& words) noexcept;

/// The numbers of all processes, by rank. Collective, as a barrier.
[[nodiscard]] AMITY_API std::vector<std::uint64_t> exchange(std::uint64_t mine);

/// The same for an exception: what it gives is the same in all processes, null if none brought one.
inline std::exception_ptr meet_with(const std::exception_ptr& error) {
  tell_translation();
  error_words words;
  if (error != nullptr) {
    to_words(error, words);
    if (words.rank < 0) words.rank = net::job().rank;
  }
  int const own = error != nullptr ? words.rank : -1;
  meet(words);
  if (words.rank < 0) return nullptr;
  return words.rank == own && words.rank == net::job().rank ? error : from_words(words);
}

}  // namespace pgas::detail

/// Waits until all processes of the job have called it. The fiber waits, never the core: tasks go on meanwhile, those
/// that others send here as well. To be called by one fiber of each process at a time, and as often by all. Returns at
/// once in a job of one process. Nothing is thrown: if a rank is lost, or its program has ended without the call,
/// the job ends with a message on stderr that names it.
///
/// Memory ordering: what any process did before its call happens before the return of every process's call.
inline void barrier_all() {
  if (net::detail::joined_job().size == 1) return;
  pgas::error_words none;
  pgas::detail::meet(none);
}

/// A finish of all processes together: each calls it, runs `body`, and waits until all tasks that were begun within it
/// anywhere have ended, those of other processes among them. So tasks may be sent to and fro by async_at and rpc as
/// long as it takes.
///
/// Collective: called by one fiber of each process at a time, and as often by all. It begins with a barrier, so no body
/// begins before all processes are there. Where bodies or tasks have thrown, it throws the error of the lowest rank in
/// every process: there the exception itself, elsewhere what remote_error.hpp makes of it. The job ends where a rank is
/// lost that others wait for. finish may be used within, and another finish_spmd afterwards.
template <class Body>
void finish_spmd(Body&& body) {
  std::exception_ptr error;
  static_cast<void>(net::detail::joined_job());
  pgas::detail::tell_translation();
  barrier_all();
  try {
    finish(std::forward<Body>(body));
  } catch (...) {
    error = std::current_exception();
  }
  if (net::job().size > 1) error = pgas::detail::meet_with(error);
  if (error != nullptr) std::rethrow_exception(error);
}

}  // namespace amity
