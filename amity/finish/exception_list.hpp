#pragma once

/// What several tasks threw, in one exception: thrown by algorithms that were given a policy, by task blocks, and by
/// experimental::task_group. As the C++ Parallelism TS and HPX have it.
///
///     try {
///       amity::for_each(amity::execution::par, v.begin(), v.end(), check);
///     } catch (const amity::exception_list& all) {
///       for (const std::exception_ptr& each : all) report(each);      // at least one
///     }
///
/// std::bad_alloc is not put into a list: if one of the tasks has thrown it, it is thrown itself. A list that was
/// thrown within a task, say by an algorithm that runs there, comes apart: the outer list has its exceptions.

#include <cxxabi.h>

#include <cstddef>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "amity/base/language.hpp"

namespace amity {

/// Exceptions, those of an algorithm in the order of its elements, those of tasks in the order in which they were
/// thrown.
class exception_list : public std::exception {
 public:
  /// What is in it.
  using value_type = std::exception_ptr;
  /// Of its size.
  using size_type = std::size_t;
  /// Of its exceptions, which can't be changed.
  using const_iterator = std::vector<std::exception_ptr>::const_iterator;
  /// The same.
  using iterator = const_iterator;

  /// An empty list.
  exception_list() = default;
  /// A list of one, or of those that `one` holds if it is a list. Requires: not null.
  explicit exception_list(std::exception_ptr one) { add(std::move(one)); }
  /// The same of several.
  explicit exception_list(const std::vector<std::exception_ptr>& all) {
    for (const std::exception_ptr& each : all) add(each);
  }

  /// Puts one more at the end, or those that it holds if it is a list. Requires: not null.
  void add(std::exception_ptr one) {
    try {
      std::rethrow_exception(one);
    } catch (const exception_list& inner) {
      for (const std::exception_ptr& each : inner) put(each);
    } catch (...) {
      put(std::move(one));
    }
  }

  /// How many there are.
  [[nodiscard]] size_type size() const noexcept { return all_.size(); }
  /// The first one.
  [[nodiscard]] const_iterator begin() const noexcept { return all_.begin(); }
  /// Behind the last one.
  [[nodiscard]] const_iterator end() const noexcept { return all_.end(); }

  /// What the first one says, and how many there are besides: "odd (and 2 more)".
  [[nodiscard]] const char* what() const noexcept override { return words_.c_str(); }
  /// The same.
  [[nodiscard]] std::string get_message() const { return words_; }

 private:
  void put(std::exception_ptr one) {
    all_.push_back(std::move(one));
    words_ = words_of(all_.front());
    if (all_.size() > 1) words_ += " (and " + std::to_string(all_.size() - 1) + " more)";
  }
  static std::string words_of(const std::exception_ptr& one) {
    try {
      std::rethrow_exception(one);
    } catch (const std::exception& e) {
      return e.what();
    } catch (...) {
      return "an exception that is no std::exception";
    }
  }

  std::vector<std::exception_ptr> all_;
  std::string words_ = "no exception";
};

namespace detail {

inline bool is_bad_alloc(const std::exception_ptr& one) {
  try {
    std::rethrow_exception(one);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

/// Throws a list of them, or a std::bad_alloc if there is one. Requires: there is one at least, none is null.
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_list(const std::vector<std::exception_ptr>& all) {
  exception_list list(all);  // made here and not in the library, whose std::exception may be another one
  for (const std::exception_ptr& each : list)
    if (is_bad_alloc(each)) std::rethrow_exception(each);
  throw list;
}

/// Within a handler: throws a list of what is handled, or that itself if it is a list, a std::bad_alloc, or the end of
/// the thread.
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_handled_as_list() {
  try {
    throw;
  } catch (const exception_list&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
    throw exception_list(std::current_exception());
  }
}

}  // namespace detail
}  // namespace amity
