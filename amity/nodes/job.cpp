#include "amity/nodes/job.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "amity/dsm/words.hpp"
#include "amity/nodes/page_trace.hpp"

namespace amity::nodes {

job us;
bool is_on = false;

namespace {

int next_number(const char*& text) noexcept {
  char* end;
  long const value = strtol(text, &end, 10);
  if (end == text) refuse("AMITY_NODES_JOB is damaged at '%s'", text);
  text = *end == '\0' ? end : end + 1;
  return static_cast<int>(value);
}

void close_on_exec(int fd) noexcept {
  if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) refuse("descriptor %d: %s", fd, strerror(errno));
}

// The value of `variable` ("NAME="), which is no longer among those of `environment` then; null: it is not there.
const char* take_out(char** environment, const char* variable) noexcept {
  for (char** e = environment; *e != nullptr; ++e) {
    if (strncmp(*e, variable, strlen(variable)) != 0) continue;
    const char* const value = *e + strlen(variable);
    do e[0] = e[1];
    while (*e++ != nullptr);
    return value;
  }
  return nullptr;
}

}  // namespace

void refuse(const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  dsm::end_process_with(format, arguments);
}

bool read_job(char** environment) noexcept {
  const char* text = take_out(environment, "AMITY_NODES_JOB=");
  if (text == nullptr) return false;
  us.own = next_number(text);
  dsm::words_are_of(us.own);
  us.count = next_number(text);
  bool const fits = us.count >= 1 && us.count <= most_processes && us.own >= 0 && us.own < us.count;
  if (!fits) refuse("AMITY_NODES_JOB says process %d of %d", us.own, us.count);
  for (int p = 0; p < us.count; ++p) us.threads[p] = next_number(text);
  us.memory = next_number(text);
  for (int p = 0; p < us.count; ++p) us.links[p] = next_number(text);
  for (int p = 0; p < us.count && us.memory < 0; ++p) us.pagers[p] = next_number(text);
  for (char** e = environment; *e != nullptr; ++e)
    if (strncmp(*e, "AMITY_STATS=", 12) == 0) us.prints_figures = strcmp(*e + 12, "0") != 0;
  if (const char* const regions = take_out(environment, "AMITY_NODES_REGIONS="); regions != nullptr)
    us.always_spreads = strcmp(regions, "always") == 0;
  if (const char* const folder = take_out(environment, "AMITY_NODES_TRACE="); folder != nullptr && us.memory < 0)
    page_trace::begin(folder);
  for (int p = 0; p < us.count; ++p) {
    sockaddr of{};
    socklen_t bytes = sizeof of;
    if (p != us.own && getsockname(us.links[p], &of, &bytes) == 0)
      us.has_launcher_of_others = of.sa_family == AF_INET || of.sa_family == AF_INET6;
  }
  // What the program starts has nothing of this. A damaged list is seen here.
  if (us.memory >= 0) close_on_exec(us.memory);
  for (int p = 0; p < us.count; ++p) {
    if (p == us.own) continue;
    close_on_exec(us.links[p]);
    if (us.memory < 0) close_on_exec(us.pagers[p]);
  }
  return true;
}

}  // namespace amity::nodes
