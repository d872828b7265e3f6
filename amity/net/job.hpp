#pragma once

/// The job: the processes that a launcher has started together, each of which has a rank. A process without a launcher
/// is a job of one.
///
///     int const me = amity::rank_me(), n = amity::rank_n();
///
/// A process joins its job at the first call of this interface. It waits there for the others, which join at their
/// first call, or at their end.

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

struct job_view {
  int rank = 0;
  int size = 1;
  int local_rank = 0;  ///< among those of this node
  int local_size = 1;
};

/// Joins the job if this process has not. Ends the process, with words, if it can't.
[[nodiscard]] AMITY_API const job_view& job() noexcept;

/// The node of each rank, by numbers from 0 on in the order of the ranks. Empty: all are on one, or the job has one
/// rank. Containers of one machine are nodes of their own where they reach one another by a network alone.
[[nodiscard]] AMITY_API std::span<const int> nodes_of_ranks() noexcept;

/// Some process has to say why the job can't go on: the launcher ends all of them.
[[noreturn]] AMITY_API void end_job(const char* why) noexcept;

/// A process that ends leaves its job before all exit handlers and destructors of static objects, so that libraries
/// that it serves others with are whole. If another thread than the main one calls exit(), only before those that were
/// registered before this call. `until_unused` is called then, once, also where there is no job: it blocks the fiber
/// until these libraries do nothing any more. Does not join the job.
AMITY_API void serve_before_libraries_end(void (*until_unused)() noexcept) noexcept;

/// What a part of the runtime above this one does at turns of the job's life. Static.
struct job_hook {
  void (*when_joined)() noexcept = nullptr;  ///< the process has joined a job of several
  /// All have come to their end, and none has anything to do any more: the last moment at which messages may be sent.
  void (*at_last)() noexcept = nullptr;
  /// A rank was lost in a job that goes on (losses.hpp). Null: this part goes on, and has told those who wait; or why
  /// it can't go on, and then the job ends. In a task, one rank after the other.
  const char* (*when_lost)(int rank) noexcept = nullptr;
  job_hook* next = nullptr;
  void (*when_leaving)() noexcept = nullptr;  ///< the program ends, on the calling fiber
};
/// Before the process joins: in a constructor of the library.
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

/// The rank of this process: 0 to rank_n() - 1.
[[nodiscard]] inline int rank_me() noexcept { return net::detail::joined_job().rank; }
/// How many processes there are.
[[nodiscard]] inline int rank_n() noexcept { return net::detail::joined_job().size; }

}  // namespace amity
