#include "amity/net/plugins/ucx_wakeups.hpp"

#include <dirent.h>
#include <errno.h>
#include <linux/filter.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <algorithm>

namespace amity::net {
namespace {

bool is_option(int fd, int option, int expected) noexcept {
  int value = 0;
  socklen_t size = sizeof value;
  return getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 && value == expected;
}

std::vector<int> datagram_sockets() {
  std::vector<int> found;
  DIR* const folder = opendir("/proc/self/fd");
  if (folder == nullptr) return found;
  while (const dirent* const each = readdir(folder)) {
    int const fd = each->d_name[0] != '.' ? atoi(each->d_name) : -1;
    if (fd >= 0 && is_option(fd, SO_DOMAIN, AF_UNIX) && is_option(fd, SO_TYPE, SOCK_DGRAM)) found.push_back(fd);
  }
  closedir(folder);
  return found;
}

}  // namespace

ucx_wakeups::ucx_wakeups() : before_(datagram_sockets()) {}

bool ucx_wakeups::guard() const {
  sock_filter keep_what_is_not_empty[] = {
      {BPF_LD | BPF_W | BPF_LEN, 0, 0, 0},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0},
      {BPF_RET | BPF_K, 0, 0, 0},
      {BPF_RET | BPF_K, 0, 0, ~0u},
  };
  sock_fprog const program{std::size(keep_what_is_not_empty), keep_what_is_not_empty};
  for (int fd : datagram_sockets()) {
    if (std::find(before_.begin(), before_.end(), fd) != before_.end()) continue;
    if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0) continue;
    if (errno != EBADF && errno != ENOTSOCK) return false;  // else another instance has closed it meanwhile
  }
  return true;
}

}  // namespace amity::net
