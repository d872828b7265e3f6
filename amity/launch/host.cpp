#include "amity/launch/host.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

namespace amity::launching {
namespace {

/// Equal for processes of one machine, containers or not.
std::string machine() {
  char boot[64] = "?";
  if (FILE* f = fopen("/proc/sys/kernel/random/boot_id", "re")) {
    if (fscanf(f, "%63s", boot) != 1) boot[0] = '?';
    fclose(f);
  }
  // Tests have processes of one machine take themselves for those of several.
  const char* const pretended = getenv("AMITY_TEST_NODE");
  return pretended != nullptr ? std::string(boot) + "/" + pretended : boot;
}

/// The number of this process's namespace of a kind, as "net" or "pid". 0: nobody tells.
unsigned long own_namespace(const char* kind) {
  struct stat s {};
  return stat((std::string("/proc/self/ns/") + kind).c_str(), &s) == 0 ? s.st_ino : 0;
}

}  // namespace

std::string network_host() { return machine() + "/" + std::to_string(own_namespace("net")); }

std::string process_host() { return machine() + "/" + std::to_string(own_namespace("pid")); }

std::string memory_host() { return std::to_string(own_namespace("ipc")); }

}  // namespace amity::launching
