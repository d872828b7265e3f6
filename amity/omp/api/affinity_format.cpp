#include "amity/omp/rt/affinity_format.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <mutex>

#include "amity/omp/api/fortran.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/teams.hpp"
#include "amity/omp/settings/affinity_field.hpp"
#include "amity/omp/settings/settings.hpp"
#include "amity/sync/mutex.hpp"

namespace amity::omp {
namespace {

// The affinity-format-var ICV, of the device: empty means the environment's.
amity::sync::mutex format_lock;
char format_set[settings::text_size];
bool format_is_set = false;

void copy_format(char* into, std::size_t size) noexcept {
  std::lock_guard guard(format_lock);
  snprintf(into, size, "%s", format_is_set ? format_set : environment().affinity_format);
}

// A text that counts what would not fit.
struct output {
  char* into;
  std::size_t size;
  std::size_t length = 0;

  void put(char c) noexcept {
    if (length + 1 < size) into[length] = c;
    ++length;
  }
  void end() noexcept {
    if (size != 0) into[length < size ? length : size - 1] = '\0';
  }
};

void put_padded(output& out, const char* text, const affinity_field& form, bool is_number) noexcept {
  const std::size_t length = strlen(text);
  const std::size_t padding = form.width > length ? form.width - length : 0;
  const bool zeros = form.zeros && form.right && is_number;
  if (form.right) {
    if (zeros && *text == '-') out.put(*text++);
    for (std::size_t i = 0; i < padding; ++i) out.put(zeros ? '0' : ' ');
  }
  for (; *text != '\0'; ++text) out.put(*text);
  if (!form.right)
    for (std::size_t i = 0; i < padding; ++i) out.put(' ');
}

void cpus_of(const thread& t, char* into, std::size_t size) noexcept {
  const sys::cpu_mask_list& places = environment().places;
  if (t.place.number >= 0 && static_cast<std::size_t>(t.place.number) < places.size())
    sys::format_cpus(places[static_cast<std::size_t>(t.place.number)], into, size);
  else
    sys::format_cpus(sys::cpu_mask::of_calling_thread(), into, size);
}

int ancestor_number(const thread& t) noexcept {
  return t.team->leader_outside == nullptr ? -1 : t.team->leader_outside->number;
}

void put_field(output& out, const thread& t, const affinity_field& form) noexcept {
  char text[1024];
  long number = 0;
  switch (form.type) {
    case 't':
      number = root_of(t).league_number;
      break;
    case 'T':
      number = root_of(t).league_size;
      break;
    case 'L':
      number = t.team->level;
      break;
    case 'n':
      number = t.number;
      break;
    case 'N':
      number = t.team->size;
      break;
    case 'a':
      number = ancestor_number(t);
      break;
    case 'P':
      number = getpid();
      break;
    case 'i':
      number = syscall(SYS_gettid);
      break;
    case 'H':
      if (gethostname(text, sizeof text) != 0) strcpy(text, "undefined");
      text[sizeof text - 1] = '\0';
      return put_padded(out, text, form, false);
    case 'A':
      cpus_of(t, text, sizeof text);
      return put_padded(out, text, form, false);
    default:
      return put_padded(out, "undefined", form, false);
  }
  snprintf(text, sizeof text, "%ld", number);
  put_padded(out, text, form, true);
}

}  // namespace

std::size_t format_affinity(const thread& t, const char* format, char* into, std::size_t size) noexcept {
  char in_force[settings::text_size];
  if (format == nullptr || *format == '\0') {
    copy_format(in_force, sizeof in_force);
    format = in_force;
  }
  output out{into, size};
  while (*format != '\0') {
    if (*format != '%') {
      out.put(*format++);
    } else if (*++format == '%') {
      out.put(*format++);
    } else {
      affinity_field field;
      take_affinity_field(format, field);
      put_field(out, t, field);
    }
  }
  out.end();
  return out.length;
}

void display_affinity(const thread& t, const char* format) noexcept {
  char text[2048];
  format_affinity(t, format, text, sizeof text - 1);
  puts(text);
  fflush(stdout);
}

}  // namespace amity::omp

using namespace amity::omp;
using namespace amity::omp::fortran;

namespace {

// Fortran's text has a length and no end, and is filled up with blanks.
struct c_text {
  char text[settings::text_size];
  c_text(const char* from, std::size_t length) noexcept {
    while (length > 0 && from[length - 1] == ' ') --length;
    if (length >= sizeof text) length = sizeof text - 1;
    memcpy(text, from, length);
    text[length] = '\0';
  }
};

void to_fortran(const char* text, std::size_t length, char* into, std::size_t size) noexcept {
  memcpy(into, text, length < size ? length : size);
  if (length < size) memset(into + length, ' ', size - length);
}

}  // namespace

extern "C" {

void omp_set_affinity_format(const char* format) {
  if (format == nullptr) return;
  std::lock_guard guard(format_lock);
  snprintf(format_set, sizeof format_set, "%s", format);
  format_is_set = true;
}
void omp_set_affinity_format_(const char* format, std::size_t length) {
  omp_set_affinity_format(c_text(format, length).text);
}
void ompc_set_affinity_format(const char* format) { omp_set_affinity_format(format); }

std::size_t omp_get_affinity_format(char* buffer, std::size_t size) {
  char text[settings::text_size];
  copy_format(text, sizeof text);
  if (size != 0) snprintf(buffer, size, "%s", text);
  return strlen(text);
}
int4 omp_get_affinity_format_(char* buffer, std::size_t size) {
  char text[settings::text_size];
  copy_format(text, sizeof text);
  to_fortran(text, strlen(text), buffer, size);
  return static_cast<int4>(strlen(text));
}
std::size_t ompc_get_affinity_format(char* buffer, std::size_t size) { return omp_get_affinity_format(buffer, size); }

void omp_display_affinity(const char* format) { display_affinity(this_thread(), format); }
void omp_display_affinity_(const char* format, std::size_t length) {
  omp_display_affinity(c_text(format, length).text);
}
void ompc_display_affinity(const char* format) { omp_display_affinity(format); }

std::size_t omp_capture_affinity(char* buffer, std::size_t size, const char* format) {
  return format_affinity(this_thread(), format, buffer, size);
}
int4 omp_capture_affinity_(char* buffer, const char* format, std::size_t buffer_length, std::size_t format_length) {
  char text[2048];
  const std::size_t length = format_affinity(this_thread(), c_text(format, format_length).text, text, sizeof text);
  to_fortran(text, length < sizeof text ? length : sizeof text - 1, buffer, buffer_length);
  return static_cast<int4>(length);
}
std::size_t ompc_capture_affinity(char* buffer, std::size_t size, const char* format) {
  return omp_capture_affinity(buffer, size, format);
}

}  // extern "C"
