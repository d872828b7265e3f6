#pragma once

/// Checks and words on standard output, by UPC++'s names.

#include <cassert>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>

#include "amity/upcxx/persona.hpp"

/// The release of UPC++ whose names these headers have.
#define UPCXX_VERSION 20210300L
/// The specification's.
#define UPCXX_SPEC_VERSION 20201000L
#ifndef UPCXX_BACKEND
#define UPCXX_BACKEND 1
#endif
#ifndef UPCXX_BACKEND_GASNET_PAR
#define UPCXX_BACKEND_GASNET_PAR 1  // any thread may call
#endif
#define UPCXX_THREADMODE 1

/// Ends the job with file, line and words where the condition does not hold: `UPCXX_ASSERT_ALWAYS(x > 0, "x=" << x)`.
#define UPCXX_ASSERT_ALWAYS(ok, ...)                                                             \
  ((ok) ? static_cast<void>(0)                                                                   \
        : ::upcxx::detail::assert_failed(__FILE__, __LINE__, #ok, [&](std::ostream& upcxx_out) { \
            static_cast<void>(upcxx_out << "" __VA_OPT__(<< __VA_ARGS__));                       \
          }))
#if defined(UPCXX_ASSERT_ENABLED) && !UPCXX_ASSERT_ENABLED
#define UPCXX_ASSERT(...) static_cast<void>(0)
#else
#ifndef UPCXX_ASSERT_ENABLED
#define UPCXX_ASSERT_ENABLED 1
#endif
/// The same, unless UPCXX_ASSERT_ENABLED is 0.
#define UPCXX_ASSERT(...) UPCXX_ASSERT_ALWAYS(__VA_ARGS__)
#endif

namespace upcxx {

/// A rank, and a number of them.
using intrank_t = int;

namespace detail {
template <class Words>
[[noreturn, gnu::cold]] void assert_failed(const char* file, int line, const char* what, Words words) {
  std::ostringstream out;
  out << "assertion failed at " << file << ':' << line << ": " << what;
  std::ostringstream more;
  words(more);
  if (!more.str().empty()) out << "; " << more.str();
  die(out.str().c_str());
}
}  // namespace detail

/// Collects words, and writes them as one line at its end, with the rank before them: `upcxx::say() << "x=" << x`.
class say {
 public:
  /// `prefix`: written first, with the rank for "%d".
  explicit say(std::ostream& to, const char* prefix = "[%d] ") : to_(&to) { start(prefix); }
  explicit say(const char* prefix = "[%d] ") : to_(&std::cout) { start(prefix); }
  say(const say&) = delete;
  say& operator=(const say&) = delete;
  ~say() {
    words_ << '\n';
    *to_ << words_.str() << std::flush;
  }
  template <class X>
  say& operator<<(const X& x) {
    words_ << x;
    return *this;
  }

 private:
  void start(std::string prefix) {
    if (std::size_t const at = prefix.find("%d"); at != std::string::npos)
      prefix.replace(at, 2, std::to_string(amity::rank_me()));
    words_ << prefix;
  }
  std::ostream* to_;
  std::ostringstream words_;
};

/// A variable of the environment; null: there is none.
[[nodiscard]] inline const char* getenv_console(const char* name) noexcept { return std::getenv(name); }
/// The same as a T.
template <class T>
[[nodiscard]] T os_env(const std::string& name) {
  T x{};
  if (const char* const text = std::getenv(name.c_str())) std::istringstream(text) >> x;
  return x;
}
/// The same, or `otherwise` where there is none.
template <class T>
[[nodiscard]] T os_env(const std::string& name, const std::type_identity_t<T>& otherwise) {
  return std::getenv(name.c_str()) != nullptr ? os_env<T>(name) : otherwise;
}
/// UPCXX_VERSION and UPCXX_SPEC_VERSION.
[[nodiscard]] inline long release_version() noexcept { return UPCXX_VERSION; }
[[nodiscard]] inline long spec_version() noexcept { return UPCXX_SPEC_VERSION; }

}  // namespace upcxx
