#pragma once

/// A finish whose tasks are in several processes: who waits for whom (README.md, F1 to F5). The algorithm is Dijkstra's
/// and Scholten's ("Termination detection for diffusing computations", 1980): the processes that have tasks of a finish
/// are a tree, whose root is the process of the finish.
///
///     finish_id const id = spawn_elsewhere(w.current, to);  // F1; the message takes it along
///     sched::scope* s = arrive(id, from, answer);           // F2, in the handler: the task runs within `s`

#include <cstdint>
#include <exception>
#include <string>

#include "amity/base/config.hpp"
#include "amity/base/language.hpp"
#include "amity/sched/tasks/task.hpp"

namespace amity::pgas {

/// The same in all processes, and never another's.
struct finish_id {
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  std::uint32_t root = nobody;  ///< the rank of the finish; nobody: no finish waits
  std::uint32_t spare = 0;
  std::uint64_t serial = 0;  ///< of that rank
};

/// An exception on its way between processes.
struct error_words {
  int rank = -1;  ///< where it was thrown; -1: there is none
  std::string type;
  std::string text;
};

/// A task of scope `s` is going to begin in process `to`: it is counted here. Null: no finish waits for it.
[[nodiscard]] AMITY_API finish_id spawn_elsewhere(sched::scope* s, int to) noexcept;

/// A task of `id` has come from rank `from`, and is counted. In a handler. Null: no finish waits for it.
/// `answer_counts`: comes true if the answer to this message, which will be sent, is to acknowledge it as well; that it
/// will be sent is what the caller says by true.
[[nodiscard]] AMITY_API sched::scope* arrive(const finish_id& id, int from, bool& answer_counts) noexcept;

/// Process `from` has acknowledged a message of this one (F4).
AMITY_API void acknowledged(const finish_id& id, int from) noexcept;

/// Some finish waits for an acknowledgement from process `rank`.
[[nodiscard]] bool some_finish_waits_for(int rank) noexcept;

/// For a look from outside: how many finishes have tasks elsewhere, or tasks here for others.
struct finish_counts {
  std::uint64_t roots = 0, members = 0;
};
[[nodiscard]] AMITY_API finish_counts count_finishes() noexcept;

/// Exceptions as words, and back: the program's own C++ library makes them, so it hands these in (remote_error.hpp).
struct error_translation {
  void (*to_words)(const std::exception_ptr& error, error_words& words);
  std::exception_ptr (*from_words)(const error_words& words);
};
/// `t` lasts as long as the process. The first one of a program is taken.
AMITY_API void set_error_translation(const error_translation& t) noexcept;

}  // namespace amity::pgas
