#include "amity/omp/settings/affinity_field.hpp"

#include <string.h>

namespace amity::omp {
namespace {

// The names of the types: the letter, and the long form in braces.
constexpr struct {
  char letter;
  const char* name;
} types[] = {{'t', "team_num"},         {'T', "num_teams"},      {'L', "nesting_level"}, {'n', "thread_num"},
             {'N', "num_threads"},      {'a', "ancestor_tnum"},  {'H', "host"},          {'P', "process_id"},
             {'i', "native_thread_id"}, {'A', "thread_affinity"}};

// False: it doesn't end.
bool take_type(const char*& format, char& type) noexcept {
  type = 0;
  if (*format == '{') {
    const char* const end = strchr(format, '}');
    if (end == nullptr) return false;
    const auto length = static_cast<std::size_t>(end - format - 1);
    for (const auto& known : types)
      if (strlen(known.name) == length && strncmp(known.name, format + 1, length) == 0) type = known.letter;
    format = end + 1;
    return true;
  }
  if (*format == '\0') return false;
  const char letter = *format++;
  for (const auto& known : types)
    if (known.letter == letter) type = letter;
  return true;
}

}  // namespace

bool take_affinity_field(const char*& format, affinity_field& field) noexcept {
  field = {};
  if (*format == '0') field.zeros = true, ++format;
  if (*format == '.') field.right = true, ++format;
  bool fits = true;
  for (; *format >= '0' && *format <= '9'; ++format) {
    field.width = field.width * 10 + static_cast<std::size_t>(*format - '0');
    if (field.width <= affinity_field::widest) continue;
    field.width = affinity_field::widest;
    fits = false;
  }
  return take_type(format, field.type) && fits;
}

}  // namespace amity::omp
