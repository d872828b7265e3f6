#include "amity/base/report.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "amity/base/hex.hpp"

namespace amity::base {
namespace {

constexpr char prefix[] = "amity: ";
constexpr char ellipsis[] = "...";
constexpr std::size_t prefix_length = sizeof prefix - 1;

void print_line(const char* format, std::va_list arguments) noexcept {
  const int saved_errno = errno;
  char line[report_limit + 1];  // one more for the newline
  std::memcpy(line, prefix, prefix_length);
  const std::size_t room = report_limit - prefix_length;
  const int wanted = std::vsnprintf(line + prefix_length, room, format, arguments);
  std::size_t length = prefix_length;
  if (wanted > 0) length += static_cast<std::size_t>(wanted);
  if (length >= report_limit) {
    length = report_limit - 1;
    std::memcpy(line + length - (sizeof ellipsis - 1), ellipsis, sizeof ellipsis - 1);
  }
  line[length++] = '\n';
  while (::write(STDERR_FILENO, line, length) < 0 && errno == EINTR) {
  }
  errno = saved_errno;
}

}  // namespace

quoted::quoted(const char* from) noexcept {
  constexpr std::size_t longest = 4;  // of one byte: \xHH
  std::size_t n = 0;
  while (*from != '\0' && n + longest + sizeof ellipsis <= sizeof text) {
    const auto c = static_cast<unsigned char>(*from++);
    if (c >= 0x20 && c < 0x7f) {
      text[n++] = static_cast<char>(c);
      continue;
    }
    text[n++] = '\\';
    text[n++] = 'x';
    put_hex(text + n, c);
    n += 2;
  }
  std::strcpy(text + n, *from != '\0' ? ellipsis : "");
}

void warn(const char* format, ...) noexcept {
  std::va_list arguments;
  va_start(arguments, format);
  print_line(format, arguments);
  va_end(arguments);
}

void fatal(const char* format, ...) noexcept {
  std::va_list arguments;
  va_start(arguments, format);
  print_line(format, arguments);
  va_end(arguments);
  std::abort();
}

}  // namespace amity::base
