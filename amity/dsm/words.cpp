#include "amity/dsm/words.hpp"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cstddef>

#include "amity/sys/raw_syscall.hpp"

namespace amity::dsm {
namespace {

constexpr int own_failure = 125;  // as `amity run` itself
int own = -1;

}  // namespace

void words_are_of(int process) noexcept { own = process; }

void end_process_with(const char* format, va_list arguments) noexcept {
  char line[600];
  int length = own >= 0 ? snprintf(line, sizeof line, "amity: node %d: ", own) : snprintf(line, sizeof line, "amity: ");
  length += vsnprintf(line + length, sizeof line - static_cast<std::size_t>(length) - 1, format, arguments);
  if (length > static_cast<int>(sizeof line) - 2) length = sizeof line - 2;
  line[length++] = '\n';
  sys::raw_syscall(SYS_write, STDERR_FILENO, reinterpret_cast<long>(line), length);
  for (;;) sys::raw_syscall(SYS_exit_group, own_failure);
}

void end_process(const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  end_process_with(format, arguments);
}

}  // namespace amity::dsm
