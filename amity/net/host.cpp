#include "amity/net/internal/host.hpp"

#include <stdio.h>
#include <sys/stat.h>

namespace amity::net {

std::string machine() {
  char boot[64] = "?";
  if (FILE* f = fopen("/proc/sys/kernel/random/boot_id", "re")) {
    if (fscanf(f, "%63s", boot) != 1) boot[0] = '?';
    fclose(f);
  }
  return boot;
}

unsigned long own_namespace(const char* kind) {
  struct stat s {};
  return stat((std::string("/proc/self/ns/") + kind).c_str(), &s) == 0 ? s.st_ino : 0;
}

std::string network_host() { return machine() + "/" + std::to_string(own_namespace("net")); }

std::string memory_host() { return std::to_string(own_namespace("ipc")); }

}  // namespace amity::net
