#include "amity/sched/monitor/internal/recorder.hpp"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "amity/base/report.hpp"

namespace amity::sched::recorder {
namespace {

FILE* file = nullptr;

}  // namespace

bool is_on = false;

void begin() noexcept {
  const char* const name = secure_getenv("AMITY_TEST_MONITOR_TRACE");
  if (name == nullptr || is_on) return;
  file = fopen(name, "we");
  if (file == nullptr) return base::warn("AMITY_TEST_MONITOR_TRACE: '%s' can't be written; nothing is recorded", name);
  setvbuf(file, nullptr, _IOLBF, 0);  // whole lines, however the process ends
  is_on = true;
}

void write(const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(file, format, arguments);
  va_end(arguments);
}

}  // namespace amity::sched::recorder
