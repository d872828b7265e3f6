// User and groups belong to the process: whichever thread of a team changes them, and however many threads share a
// core, all threads have the new ones when the call returns, those that wait or sleep too. Without the right to change
// any, the calls ask for the ids that are there, and still have to reach every thread and to end.
#define _GNU_SOURCE
#include <dirent.h>
#include <grp.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "expect.h"

enum { rounds = 24, other_user = 54321, other_group = 54322 };

// How many OS threads of the process have this effective user and group.
static void count_threads(unsigned user, unsigned group, int* with, int* all) {
  DIR* const folder = opendir("/proc/self/task");
  struct dirent* entry;
  *with = *all = 0;
  while (folder != NULL && (entry = readdir(folder)) != NULL) {
    char path[300], line[300];
    unsigned real, uid = 0, gid = 0;
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
    FILE* const file = fopen(path, "r");
    if (file == NULL) continue;
    while (fgets(line, sizeof line, file) != NULL) {
      if (!strncmp(line, "Uid:", 4)) sscanf(line + 4, "%u %u", &real, &uid);
      if (!strncmp(line, "Gid:", 4)) sscanf(line + 4, "%u %u", &real, &gid);
    }
    fclose(file);
    ++*all;
    *with += uid == user && gid == group;
  }
  if (folder != NULL) closedir(folder);
}

static void expect_everywhere(unsigned user, unsigned group) {
  int with = 0, all = 0;
  count_threads(user, group, &with, &all);
  expect(with == all && all > 0, "an OS thread has other ids than the one that changed them");
}

static void change(int caller, int threads, unsigned user, unsigned group) {
#pragma omp parallel num_threads(threads)
  {
    if (omp_get_thread_num() == caller % omp_get_num_threads()) {
      // The group first where the user gives rights up, last where it gets them back; the other way it is refused.
      if (user != 0) expect(setresgid(-1, group, -1) == 0, "setresgid is refused");
      expect(setresuid(-1, user, -1) == 0, "setresuid is refused");
      if (user == 0) expect(setresgid(-1, group, -1) == 0, "setresgid is refused");
      expect_everywhere(user, group);
    }
#pragma omp barrier
    expect(syscall(SYS_geteuid) == (long)user && syscall(SYS_getegid) == (long)group, "a thread has other ids");
  }
}

static void change_groups(void) {
  gid_t const lists[2][3] = {{1, 2, 3}, {7, 8, 9}};
#pragma omp parallel num_threads(5)
  for (int i = 0; i < omp_get_num_threads(); ++i) {
    gid_t now[8] = {0};
    if (omp_get_thread_num() == i) expect(setgroups(3 - i % 2, lists[i % 2]) == 0, "setgroups is refused");
#pragma omp barrier
    expect(syscall(SYS_getgroups, 8, now) == 3 - i % 2 && now[0] == lists[i % 2][0], "a thread has other groups");
#pragma omp barrier
  }
}

// All members of a team that has more of them than the machine has cores ask for the same at the same time, again and
// again: some are moved to other OS threads in the midst of it.
static void change_together(int threads, unsigned user, unsigned other) {
#pragma omp parallel num_threads(threads)
  for (int i = 0; i < rounds; ++i) {
    unsigned const next = i % 2 == 0 ? other : user;
    expect(setresuid(-1, next, -1) == 0, "setresuid is refused");
    expect(syscall(SYS_geteuid) == (long)next, "the thread that called has other ids");
#pragma omp barrier
    expect(syscall(SYS_geteuid) == (long)next, "a thread has other ids");
#pragma omp barrier
  }
}

int main(void) {
  unsigned const user = geteuid(), group = getegid();
  int const may = user == 0 && setresuid(-1, other_user, -1) == 0 && setresuid(-1, 0, -1) == 0;
  for (int i = 0; i < rounds; ++i) {
    int const other = may && i % 2 == 0;
    change(i, i < 9 ? 1 + i : 9, other ? other_user : user, other ? other_group : group);
  }
  if (may) change_groups();
  for (int i = 0; i < 4; ++i) change_together(6 + 9 * i, user, may ? other_user : user);
  if (wrong) return 1;
  puts("ok");
  return 0;
}
