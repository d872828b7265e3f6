#pragma once

/// Exceptions from other processes.
///
///     try {
///       amity::rpc(1, [] { throw std::out_of_range("no such row"); }).get();
///     } catch (const std::out_of_range& e) {     // e.what() is "no such row"
///     } catch (const amity::lost_rank& e) {      // a remote_error: that process has ended, in a job that goes on
///     } catch (const amity::remote_error& e) {   // of a type that isn't the standard library's
///     }                                          // all are amity::remote_origin as well: rank() and type()
///
/// An exception travels as its type's name and its what(). It is made anew as runtime_error, logic_error, out_of_range,
/// invalid_argument, length_error, domain_error, range_error, overflow_error, underflow_error or bad_alloc of the
/// standard library, if it was of that very type; any other one becomes an amity::remote_error. For example, what was
/// thrown as std::system_error arrives as a remote_error whose type() says "std::system_error". An exception_list
/// travels as its first exception, and is a list of that one again.

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <utility>

#include "amity/finish/exception_list.hpp"
#include "amity/pgas/finish_tree.hpp"

namespace amity {

/// A base of every exception that comes from another process, beside its own type: `dynamic_cast<const
/// amity::remote_origin*>(&e)`.
class remote_origin {
 public:
  /// `rank`: where it was thrown; `type`: the name of its type there.
  remote_origin(int rank, std::string type) : rank_(rank), type_(std::move(type)) {}
  /// The rank of the process that threw it; of a lost_rank: the rank that was lost.
  [[nodiscard]] int rank() const noexcept { return rank_; }
  /// The name of the type that was thrown there: "bank::no_such_account".
  [[nodiscard]] const std::string& type() const noexcept { return type_; }

 private:
  int rank_;
  std::string type_;
};

/// An exception of another process whose type is none of the standard library's that are made anew here. what() is that
/// of the exception there; of one that is no std::exception it names the type.
struct remote_error : std::runtime_error, remote_origin {
  /// `rank`: where it was thrown; `type`: the name of its type there; `text`: its what().
  remote_error(int rank, std::string type, const std::string& text)
      : std::runtime_error(text), remote_origin(rank, std::move(type)) {}
};

/// What was asked of a process will not be answered: the process was lost, in a job that goes on (net/losses.hpp).
struct lost_rank : remote_error {
  /// `rank`: which was lost; `text`: how.
  lost_rank(int rank, const std::string& text) : remote_error(rank, "amity::lost_rank", text) {}
};

namespace pgas::detail {

/// One of the standard library's.
template <class Base>
struct standard_error : Base, remote_origin {
  standard_error(int rank, std::string type, const std::string& text)
      : Base(text), remote_origin(rank, std::move(type)) {}
};
template <>
struct standard_error<std::bad_alloc> : std::bad_alloc, remote_origin {
  standard_error(int rank, std::string type, const std::string&) : remote_origin(rank, std::move(type)) {}
};

[[gnu::cold]] inline std::string name_of(const std::type_info& type) {
  int status = 0;
  char* const plain = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string name = plain != nullptr ? plain : type.name();
  std::free(plain);
  return name;
}

/// Stands in front of a type's name: the exception was the first one of an exception_list.
inline constexpr char listed[] = "amity::exception_list of ";

[[gnu::cold]] inline void to_words(const std::exception_ptr& error, error_words& words) {
  try {
    std::rethrow_exception(error);
  } catch (const exception_list& e) {
    words.text = e.what();
    words.type = name_of(typeid(e));
    if (e.size() == 0) return;
    to_words(*e.begin(), words);
    words.type = listed + words.type;
  } catch (const std::exception& e) {
    words.text = e.what();
    words.type = name_of(typeid(e));
    if (const auto* const origin = dynamic_cast<const remote_origin*>(&e)) {
      words.rank = origin->rank();
      words.type = origin->type();
    }
  } catch (...) {
    const std::type_info* const type = abi::__cxa_current_exception_type();
    words.type = type != nullptr ? name_of(*type) : "an exception";
    words.text = "an exception of type " + words.type;
  }
}

template <class Known>
[[gnu::cold, gnu::noinline]] std::exception_ptr made_again(const error_words& w) {
  return std::make_exception_ptr(standard_error<Known>(w.rank, w.type, w.text));
}

/// In every program that calls, so it is kept small: nothing of it is fast.
[[gnu::cold]] inline std::exception_ptr from_words(const error_words& w) {
  struct known {
    const char* type;  ///< as name_of gives it
    std::exception_ptr (*make)(const error_words& w);
  };
  static constexpr known all[] = {
      {"std::runtime_error", made_again<std::runtime_error>},
      {"std::logic_error", made_again<std::logic_error>},
      {"std::out_of_range", made_again<std::out_of_range>},
      {"std::invalid_argument", made_again<std::invalid_argument>},
      {"std::length_error", made_again<std::length_error>},
      {"std::domain_error", made_again<std::domain_error>},
      {"std::range_error", made_again<std::range_error>},
      {"std::overflow_error", made_again<std::overflow_error>},
      {"std::underflow_error", made_again<std::underflow_error>},
      {"std::bad_alloc", made_again<std::bad_alloc>},
  };
  if (w.type.starts_with(listed)) {
    error_words one = w;
    one.type.erase(0, sizeof listed - 1);
    return std::make_exception_ptr(exception_list(from_words(one)));
  }
  if (w.type == "amity::lost_rank") return std::make_exception_ptr(lost_rank(w.rank, w.text));
  for (const known& each : all)
    if (w.type == each.type) return each.make(w);
  return std::make_exception_ptr(remote_error(w.rank, w.type, w.text));
}

}  // namespace pgas::detail
}  // namespace amity
