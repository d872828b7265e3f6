#include "amity/sched/profile/setting.hpp"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdint>

#include "amity/base/report.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/loop/upcalls.hpp"
#include "amity/sched/profile/beside.hpp"
#include "amity/sched/profile/rows.hpp"
#include "amity/sched/profile/tasks.hpp"
#include "amity/sched/profile/timeline.hpp"
#include "amity/sched/profile/write.hpp"
#include "amity/sys/launcher.hpp"

namespace amity::sched {

namespace profile {
namespace {

// As they were at the first question; later the program may be changing its environment. Empty: not asked for.
char written_to[1024];
char traced_to[1024];
/// Relaxed: it changes before the program has threads of ours, or by drop(), which orders nothing.
std::atomic<bool> wanted{false};

void copy(const char* name, char (&into)[1024]) noexcept {
  const char* const text = getenv(name);
  if (text != nullptr) snprintf(into, sizeof into, "%s", text);
}

/// Of AMITY_TRACE_SIZE: a number, and B, K, M, G or T for its unit.
std::uint64_t size_of_trace() noexcept {
  constexpr std::uint64_t usual = std::uint64_t{1} << 30;
  const char* const text = getenv("AMITY_TRACE_SIZE");
  if (text == nullptr || text[0] == '\0') return usual;
  char* rest = nullptr;
  unsigned long long const number = strtoull(text, &rest, 10);
  while (*rest == ' ') ++rest;
  static constexpr char units[] = "bkmgt";
  const char* const unit = *rest == '\0' ? units : strchr(units, *rest | 0x20);
  auto const shift = unit == nullptr ? 0 : static_cast<unsigned>(10 * (unit - units));
  bool const is_good = rest != text && text[0] != '-' && unit != nullptr && (*rest == '\0' || rest[1] == '\0') &&
                       number != 0 && number <= ~std::uint64_t{0} >> 1 >> shift;
  if (is_good) return std::uint64_t{number} << shift;
  base::warn("AMITY_TRACE_SIZE='%s' is no size such as 64M; it is 1G", base::quoted(text).text);
  return usual;
}

bool are_one_file(const char* a, const char* b) noexcept {
  struct stat of_a {
  }, of_b{};
  return strcmp(a, b) == 0 ||
         (stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino);
}

void read() {
  copy("AMITY_PROFILE", written_to);
  copy("AMITY_TRACE", traced_to);
  wanted.store(written_to[0] != '\0' || traced_to[0] != '\0', std::memory_order_relaxed);
}

}  // namespace

bool is_on() noexcept {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read);
  return wanted.load(std::memory_order_relaxed);
}

process_number own_number() noexcept {
  return setting.node >= 0 ? process_number{setting.node, true} : process_number{sys::rank_in_job(), false};
}

bool was_on() noexcept { return written_to[0] != '\0' || traced_to[0] != '\0'; }

void end() noexcept {
  if (!wanted.exchange(false, std::memory_order_relaxed)) return;
  timeline::close();
  if (written_to[0] != '\0') write_profile(written_to);
}

bool is_traced_to(const char* path) noexcept { return timeline::is_open() && are_one_file(path, traced_to); }

void drop() noexcept {
  if (wanted.exchange(false, std::memory_order_relaxed)) timeline::discard();
}

}  // namespace profile

void begin_profile() noexcept {
  using namespace profile;
  if (!is_on()) return;
  if (traced_to[0] != '\0') timeline::open(traced_to, size_of_trace());
  if (is_traced_to(written_to)) {
    base::warn("AMITY_PROFILE and AMITY_TRACE both name '%s'; there is no profile, give each a file",
               base::quoted(written_to).text);
    written_to[0] = '\0';
  }
  begin_rows();
  watch_tasks();
  atexit([] { end(); });
}

void restart_profile() noexcept {
  if (!profile::is_on()) return;
  profile::timeline::reopen_in_child();
  profile::begin_beside_anew();
  profile::begin_rows();
}

}  // namespace amity::sched
