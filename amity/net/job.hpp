#pragma once

/// The job: the processes that a launcher has started together, each of which has a rank. A process without a launcher
/// is a job of one.
///
///     int const me = amity::rank_me(), n = amity::rank_n();
///
/// A process joins its job at the first call of this interface. It waits there for the others, which join at their
/// first call, or at their end.
///
/// Programs use rank_me() and rank_n(). What stands in amity::net is for libraries that are built on Amity.

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <span>
#include <string>
#include <typeinfo>

#include "amity/base/config.hpp"
#include "amity/base/language.hpp"

namespace amity {

namespace net {

/// This process's place in its job. Of a process without a launcher: rank 0 of 1.
struct job_view {
  int rank = 0;        ///< from 0 to size - 1
  int size = 1;        ///< how many processes the launcher has started
  int local_rank = 0;  ///< the number of this process among those of its node, from 0 on
  int local_size = 1;  ///< how many processes its node has
};

/// The place of this process in its job, which does not change. The first call joins the job, and waits for the other
/// processes. A process that can't join ends, with a message on stderr that says why.
[[nodiscard]] AMITY_API const job_view& job() noexcept;

/// The node of each rank: element r is the number of rank r's node. Nodes are numbered from 0 on, in the order of their
/// first ranks. Empty: all ranks are on one node. Containers of one machine are nodes of their own where they reach one
/// another by a network alone. The elements live as long as the process. Joins the job, as job() does.
[[nodiscard]] AMITY_API std::span<const int> nodes_of_ranks() noexcept;

/// Ends all processes of the job. `why` comes to stderr, with the rank, the process and its host. No destructors and no
/// exit handlers run. Never returns; a second thread that calls it waits for the end.
[[noreturn]] AMITY_API void end_job(const char* why) noexcept;

/// A process that ends leaves its job before all exit handlers and destructors of static objects, so that libraries
/// that it serves others with are whole. If another thread than the main one calls exit(), only before those that were
/// registered before this call. `until_unused` is called then, once, also where there is no job: it blocks the fiber
/// until these libraries do nothing any more. Does not join the job.
AMITY_API void serve_before_libraries_end(void (*until_unused)() noexcept) noexcept;

/// What a part of the runtime above this one does at turns of the job's life. Requires: it lives as long as the
/// process.
struct job_hook {
  void (*when_joined)() noexcept = nullptr;  ///< the process has joined a job of several
  /// All have come to their end, and none has anything to do any more: the last moment at which messages may be sent.
  void (*at_last)() noexcept = nullptr;
  /// A rank was lost in a job that goes on (losses.hpp). Null: this part goes on, and has told those who wait; or why
  /// it can't go on, and then the job ends. In a task, one rank after the other.
  const char* (*when_lost)(int rank) noexcept = nullptr;
  job_hook* next = nullptr;                   ///< written by add_job_hook
  void (*when_leaving)() noexcept = nullptr;  ///< the program ends, on the calling fiber
};
/// Adds a hook. Requires: the process has not joined, and no other thread adds one, as in a constructor of a library.
AMITY_API void add_job_hook(job_hook& h) noexcept;

namespace detail {

/// The type and the words of an exception.
[[nodiscard]] inline std::string words_of(const std::exception_ptr& error) noexcept {
  std::string type = "an exception", text;
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    text = e.what();
    type = typeid(e).name();
  } catch (...) {
    if (const std::type_info* const t = abi::__cxa_current_exception_type()) type = t->name();
  }
  int status = 0;
  if (char* const name = abi::__cxa_demangle(type.c_str(), nullptr, nullptr, &status)) {
    type = name;
    std::free(name);
  }
  return text.empty() ? type : type + ": " + text;
}

/// An exception that nobody catches ends the whole job, and says where it was.
[[noreturn]] inline void on_terminate() noexcept {
  std::exception_ptr const error = std::current_exception();
  std::string const what = error ? "nobody caught " + words_of(error) : "std::terminate was called";
  end_job(what.c_str());
}

/// The job, with what the program's own C++ library has to be told when it is joined.
[[nodiscard]] inline const job_view& joined_job() noexcept {
  static const job_view& joined = [&]() -> const job_view& {
    const job_view& j = job();
    if (j.size > 1) std::set_terminate(on_terminate);
    return j;
  }();
  return joined;
}

}  // namespace detail
}  // namespace net

/// The rank of this process: 0 to rank_n() - 1. The first call of a process joins its job, and waits for the others;
/// later ones never wait.
[[nodiscard]] inline int rank_me() noexcept { return net::detail::joined_job().rank; }
/// How many processes the job has; 1 without a launcher. It stays the same when ranks are lost. Joins the job, as
/// rank_me() does.
[[nodiscard]] inline int rank_n() noexcept { return net::detail::joined_job().size; }

}  // namespace amity
