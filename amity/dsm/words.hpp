#pragma once

/// The pager may use nothing that could wait for a page: no malloc, no stdio, no lock that a thread of the program may
/// hold. So it has its own way to say why the process ends.

#include <stdarg.h>

namespace amity::dsm {

/// Prints "amity: node 1: " and the words, and ends the process with status 125.
[[noreturn, gnu::format(printf, 1, 2)]] void end_process(const char* format, ...) noexcept;

/// The same with the arguments of another function of that kind.
[[noreturn]] void end_process_with(const char* format, va_list arguments) noexcept;

/// Which number it says. -1 at first: none.
void words_are_of(int process) noexcept;

}  // namespace amity::dsm
