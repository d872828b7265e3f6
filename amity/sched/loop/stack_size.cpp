#include "amity/sched/loop/stack_size.hpp"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <algorithm>

#include "amity/base/report.hpp"
#include "amity/sched/loop/pool.hpp"

namespace amity::sched {
namespace {

const char* past_blanks(const char* text) noexcept {
  while (isspace(static_cast<unsigned char>(*text)) != 0) ++text;
  return text;
}

}  // namespace

std::size_t stack_size_of_the_kernel() noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0) return 8u << 20;
  // A user who lifts the limit has large frames in mind. So much is address space first of all, and what libomp gives.
  return limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : 64u << 20;
}

std::size_t read_stack_size(const char* text, bool* is_one) noexcept {
  *is_one = false;
  const char* at = past_blanks(text);
  if (isdigit(static_cast<unsigned char>(*at)) == 0) return 0;
  char* end = nullptr;
  errno = 0;
  unsigned long long const number = strtoull(at, &end, 10);
  at = past_blanks(end);
  unsigned shift = 10;
  switch (tolower(static_cast<unsigned char>(*at))) {
    case 'b':
      shift = 0;
      break;
    case 'k':
      break;
    case 'm':
      shift = 20;
      break;
    case 'g':
      shift = 30;
      break;
    case 't':
      shift = 40;
      break;
    default:
      --at;
  }
  at = past_blanks(at + 1);
  constexpr unsigned long long most = 1ULL << 47;  // no address space holds more
  if (errno != 0 || *at != '\0' || number > (most - 1) >> shift) return 0;
  *is_one = true;
  return static_cast<std::size_t>(number) << shift;
}

std::size_t default_stack_size() noexcept {
  for (const char* name : {"AMITY_STACKSIZE", "OMP_STACKSIZE"}) {
    const char* const text = getenv(name);
    if (text == nullptr || *text == '\0') continue;
    bool is_one = false;
    std::size_t const size = read_stack_size(text, &is_one);
    if (is_one && size == 0) break;
    if (is_one) return std::max(size, least_stack_size);
    base::warn("%s='%s' is not a size, like 64M or 512k; stacks are as large as without it", name,
               base::quoted(text).text);
  }
  return stack_size_of_the_kernel();
}

}  // namespace amity::sched
