/// gcc's entries for the error directive, with the words that programs (and tests of them) know.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cstddef>

#include "amity/omp/hooks/tool.hpp"

namespace ompt = amity::omp::ompt;

namespace {

/// A null text stands for none; a length of (size_t)-1 for a terminated string.
void print(const char* kind, const char* text, std::size_t length) noexcept {
  fflush(stdout);
  if (text == nullptr)
    fprintf(stderr, "\nlibgomp: %serror directive encountered\n", kind);
  else if (length == static_cast<std::size_t>(-1))
    fprintf(stderr, "\nlibgomp: %serror directive encountered: %s\n", kind, text);
  else
    fprintf(stderr, "\nlibgomp: %serror directive encountered: %.*s\n", kind, static_cast<int>(length), text);
}

void tell(ompt::severity how, const char* text, std::size_t length) noexcept {
  bool const is_terminated = length == static_cast<std::size_t>(-1);
  ompt::error(how, text, text == nullptr ? 0 : is_terminated ? strlen(text) : length);
}

}  // namespace

extern "C" {

void GOMP_warning(const char* text, std::size_t length) {
  ompt::entered([=] { print("", text, length); },
                [=] {
                  tell(ompt::severity::warning, text, length);
                  print("", text, length);
                });
}
void GOMP_error(const char* text, std::size_t length) {
  ompt::entered([] {}, [=] { tell(ompt::severity::fatal, text, length); });
  print("fatal error: ", text, length);
  exit(1);
}

}  // extern "C"
