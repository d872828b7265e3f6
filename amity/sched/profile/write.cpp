#include "amity/sched/profile/write.hpp"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "amity/base/report.hpp"
#include "amity/sched/profile/beside.hpp"
#include "amity/sched/profile/place.hpp"
#include "amity/sched/profile/rows.hpp"
#include "amity/sched/profile/setting.hpp"

namespace amity::sched::profile {

namespace {

using ull = unsigned long long;

void write_device_row(FILE* out, unsigned row) noexcept {
  device_sums d{};
  if (device_sum_of(row, d))
    fprintf(out, "device\t%llu\t%llu\t%llu\t%llu\t%s\n", ull{d.calls}, ull{d.ns}, ull{d.bytes}, ull{d.by_host}, d.name);
}

void write_row(FILE* out, const sums& r) noexcept {
  fprintf(out, "row\t%u\t%llu\t%llu\t%llu\t%llu\t%llu", static_cast<unsigned>(r.what), ull{r.calls}, ull{r.ns[0]},
          ull{r.ns[1]}, ull{r.ns[2]}, ull{r.ns[3]});
  char path[4096];
  std::uintptr_t begin = 0;
  if (find_place(r.code, path, sizeof path, begin))
    fprintf(out, "\t%llx\t%llx\t%s\n", ull{address_in(r.code, r.what)}, ull{begin}, path);
  else
    fputs("\t-\t-\t-\n", out);
}

void write_all(FILE* out) noexcept {
  overview const all = close_rows();
  fprintf(out, "amity profile\t2\nprogram\t%s\t%d\t%d\t%s\ntime\t%llu\t%u\n", program_invocation_short_name,
          static_cast<int>(getpid()), own_number().number, own_number().is_node ? "node" : "rank", ull{all.wall_ns},
          all.carriers);
  sums r{};
  for (unsigned row = 0; row < most_rows; ++row) {
    if (!sum_of(row, r)) continue;
    is_beside(r.what) ? write_device_row(out, row) : write_row(out, r);
  }
}

/// There was a region, or something else that has a row.
bool has_rows() noexcept {
  sums r{};
  for (unsigned row = others_row; row < most_rows; ++row)
    if (sum_of(row, r) && (r.calls != 0 || r.what == construct::operation)) return true;
  return false;
}

/// Of a program that reads the profile: ours is `amity`, which needs no OpenMP runtime in another's place, and must not
/// write a profile of its own.
bool is_for_this_program(const char* entry) noexcept {
  for (const char* name : {"LD_PRELOAD=", "LD_AUDIT=", "AMITY_", "OMP_", "GLIBC_TUNABLES="})
    if (strncmp(entry, name, strlen(name)) == 0) return true;
  return false;
}

/// Starts `program profile -` with `input` as its standard input, and nothing else of ours but the standard output and
/// error. -1 with errno: it can't be.
pid_t start_reader(const char* program, int input) noexcept {
  std::size_t count = 0;
  while (environ[count] != nullptr) ++count;
  auto* const kept = static_cast<char**>(calloc(count + 1, sizeof(char*)));
  if (kept == nullptr) return -1;
  std::size_t at = 0;
  for (char** e = environ; *e != nullptr; ++e)
    if (!is_for_this_program(*e)) kept[at++] = *e;
  char* const words[] = {const_cast<char*>(program), const_cast<char*>("profile"), const_cast<char*>("-"), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);  // with the program's other messages
  pid_t child = -1;
  int const error = posix_spawn(&child, program, &files, nullptr, words, kept);
  posix_spawn_file_actions_destroy(&files);
  free(kept);
  errno = error;
  return error == 0 ? child : -1;
}

void write_to_program(const char* program) noexcept {
  int ends[2];
  pid_t reader = -1;
  if (pipe2(ends, O_CLOEXEC) == 0) {
    reader = start_reader(program, ends[0]);
    close(ends[0]);
    if (reader < 0) close(ends[1]);
  }
  if (reader < 0) {
    base::warn("--profile: '%s' could not be started to print the profile: %s; there is none",
               base::quoted(program).text, strerror(errno));
    return;
  }
  // If the reader ends early, that is no reason to end here.
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  FILE* const out = fdopen(ends[1], "w");
  if (out != nullptr) {
    write_all(out);
    fclose(out);
  } else {
    close(ends[1]);
  }
  sigaction(SIGPIPE, &before, nullptr);
  while (waitpid(reader, nullptr, 0) < 0 && errno == EINTR) {
  }
}

/// A process of a job writes one of its own.
void write_to_file(const char* given) noexcept {
  char path[1100];
  int const rank = own_number().number;
  if (rank >= 0)
    snprintf(path, sizeof path, "%.1023s.%d", given, rank);
  else
    snprintf(path, sizeof path, "%s", given);
  FILE* const out = fopen(path, "we");
  bool good = out != nullptr;
  if (good) {
    write_all(out);
    good = fflush(out) == 0;
  }
  if (!good)
    base::warn("AMITY_PROFILE='%s' can't be written: %s; there is no profile", base::quoted(path).text,
               strerror(errno));
  if (out != nullptr) fclose(out);
}

}  // namespace

void write_profile(const char* where) noexcept {
  if (!has_rows()) return;
  if (where[0] == '|')
    write_to_program(where + 1);
  else
    write_to_file(where);
}

}  // namespace amity::sched::profile
