#include "amity/net/internal/inherited.hpp"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

namespace amity::net {
namespace {

bool listens_on_network(int fd) noexcept {
  int listens = 0, family = 0;
  socklen_t size = sizeof listens;
  if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0) return false;
  size = sizeof family;
  return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &size) == 0 && (family == AF_INET || family == AF_INET6);
}

/// Calls `f` with the number of each descriptor of a process.
template <class F>
void for_each_descriptor(pid_t process, F f) noexcept {
  char path[40];
  snprintf(path, sizeof path, "/proc/%d/fd", static_cast<int>(process));
  DIR* const folder = opendir(path);
  if (folder == nullptr) return;
  while (const dirent* const each = readdir(folder))
    if (each->d_name[0] != '.') f(atoi(each->d_name));
  closedir(folder);
}

bool has(pid_t process, const struct stat& socket) noexcept {
  bool found = false;
  for_each_descriptor(process, [&](int fd) {
    char path[60];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", static_cast<int>(process), fd);
    struct stat its {};
    found = found || (stat(path, &its) == 0 && its.st_ino == socket.st_ino && its.st_dev == socket.st_dev);
  });
  return found;
}

}  // namespace

void close_inherited_listeners() noexcept {
  std::vector<int> listeners;
  for_each_descriptor(getpid(), [&](int fd) {
    if (listens_on_network(fd)) listeners.push_back(fd);
  });
  for (int fd : listeners)
    if (struct stat its{}; fstat(fd, &its) == 0 && has(getppid(), its)) close(fd);
}

}  // namespace amity::net
