#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "amity/omp/settings/parse.hpp"

namespace amity::omp::parse {
namespace {

bool is_word_character(char c) noexcept { return isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

void cursor::skip_space() noexcept {
  while (isspace(static_cast<unsigned char>(*at_)) != 0) ++at_;
}

bool cursor::at_end() noexcept {
  skip_space();
  return *at_ == '\0';
}

const char* cursor::rest() noexcept {
  skip_space();
  return at_;
}

bool cursor::take(char c) noexcept {
  skip_space();
  if (*at_ != c) return false;
  ++at_;
  return true;
}

bool cursor::take_word(const char* word) noexcept {
  skip_space();
  const std::size_t length = strlen(word);
  if (strncasecmp(at_, word, length) != 0 || is_word_character(at_[length])) return false;
  at_ += length;
  return true;
}

bool cursor::take_integer(long long& value) noexcept {
  skip_space();
  const char* p = at_;
  const bool negative = *p == '-';
  if (*p == '-' || *p == '+') ++p;
  if (isdigit(static_cast<unsigned char>(*p)) == 0) return false;
  long long sum = 0;
  for (; isdigit(static_cast<unsigned char>(*p)) != 0; ++p)
    if (__builtin_mul_overflow(sum, 10LL, &sum) || __builtin_add_overflow(sum, *p - '0', &sum)) return false;
  at_ = p;
  value = negative ? -sum : sum;
  return true;
}

bool cursor::take_integer(long long least, long long most, int& value) noexcept {
  const char* const before = at_;
  long long wide;
  if (!take_integer(wide) || wide < least || wide > most) {
    at_ = before;
    return false;
  }
  value = static_cast<int>(wide);
  return true;
}

bool boolean(const char* text, bool& value) noexcept {
  for (const char* word : {"true", "1", "yes", "on", "enabled", ".true.", "t", "y"}) {
    cursor c(text);
    if (c.take_word(word) && c.at_end()) return value = true, true;
  }
  for (const char* word : {"false", "0", "no", "off", "disabled", ".false.", "f", "n"}) {
    cursor c(text);
    if (c.take_word(word) && c.at_end()) return value = false, true;
  }
  return false;
}

bool integer(const char* text, long long least, long long most, int& value) noexcept {
  cursor c(text);
  int parsed;
  if (!c.take_integer(least, most, parsed) || !c.at_end()) return false;
  value = parsed;
  return true;
}

bool size(const char* text, std::size_t unit, std::size_t& value) noexcept {
  cursor c(text);
  long long number;
  if (!c.take_integer(number) || number <= 0) return false;
  static constexpr struct {
    const char* word;
    std::size_t factor;
  } units[] = {{"b", 1},        {"k", 1 << 10},  {"m", 1 << 20}, {"g", 1 << 30}, {"t", std::size_t{1} << 40},
               {"kb", 1 << 10}, {"mb", 1 << 20}, {"gb", 1 << 30}};
  for (const auto& known : units)
    if (c.take_word(known.word)) {
      unit = known.factor;
      break;
    }
  std::size_t bytes;
  // No address space holds more than 2^47 bytes of stack.
  if (!c.at_end() || __builtin_mul_overflow(static_cast<std::size_t>(number), unit, &bytes) || bytes >> 47 != 0)
    return false;
  value = bytes;
  return true;
}

bool text(const char* from, char* into, std::size_t size) noexcept {
  const std::size_t length = strlen(from);
  if (length >= size) return false;
  memcpy(into, from, length + 1);
  return true;
}

bool integer_list(const char* text, long long least, int* values, int& count) noexcept {
  int parsed[settings::most_levels];
  int n = 0;
  cursor c(text);
  do {
    if (n == settings::most_levels || !c.take_integer(least, 0x7fffffff, parsed[n])) return false;
    ++n;
  } while (c.take(','));
  if (!c.at_end()) return false;
  memcpy(values, parsed, sizeof(int) * static_cast<std::size_t>(n));
  count = n;
  return true;
}

bool spin_count(const char* text, std::uint64_t& value) noexcept {
  cursor c(text);
  if (c.take_word("infinite") || c.take_word("infinity")) {
    if (!c.at_end()) return false;
    return value = ~std::uint64_t{0}, true;
  }
  long long number;
  if (!c.take_integer(number) || number < 0) return false;
  long long factor = 1;
  if (c.take_word("k"))
    factor = 1'000;
  else if (c.take_word("m"))
    factor = 1'000'000;
  else if (c.take_word("g"))
    factor = 1'000'000'000;
  else if (c.take_word("t"))
    factor = 1'000'000'000'000;
  if (!c.at_end() || __builtin_mul_overflow(number, factor, &number)) return false;
  value = static_cast<std::uint64_t>(number);
  return true;
}

bool blocktime(const char* text, std::int64_t& microseconds) noexcept {
  cursor c(text);
  if (c.take_word("infinite") || c.take_word("infinity")) {
    if (!c.at_end()) return false;
    return microseconds = for_ever_us, true;
  }
  long long number;
  if (!c.take_integer(number) || number < 0) return false;
  long long factor = 1'000;
  if (c.take_word("us"))
    factor = 1;
  else if (c.take_word("s"))
    factor = 1'000'000;
  else if (c.take_word("ms"))
    factor = 1'000;
  if (!c.at_end()) return false;
  if (__builtin_mul_overflow(number, factor, &number) || number > for_ever_us) number = for_ever_us;
  microseconds = number;
  return true;
}

}  // namespace amity::omp::parse
