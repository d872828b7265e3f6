#pragma once

/// A static object that is made before the program begins and never destroyed: OS threads of the pool go on while
/// the process ends and its static objects are destroyed.
///
///     constinit base::lasting<task_queue> queue;
///     queue.value.push(t);

namespace amity::base {

template <class T>
union lasting {
  constexpr lasting() noexcept : value() {}
  ~lasting() {}  // NOLINT(modernize-use-equals-default): that would be deleted
  T value;
};

}  // namespace amity::base
