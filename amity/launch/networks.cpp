#include "amity/launch/networks.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace amity::launching {
namespace {

constexpr std::size_t most_networks = 16;  // what a process says at the launcher's is limited

struct network {
  std::string address;
  std::uint32_t number = 0;  ///< the address, in the order of the machine
  std::uint32_t mask = 0;
};

std::vector<network> read(const std::string& text) {
  std::vector<network> all;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = std::min(text.find(';', at), text.size());
    std::size_t const slash = text.find('/', at);
    if (slash < end) {
      network n;
      n.address = text.substr(at, slash - at);
      int const bits = atoi(text.c_str() + slash + 1);
      n.mask = bits == 0 ? 0 : ~std::uint32_t{0} << (32 - std::clamp(bits, 1, 32));
      in_addr a{};
      if (inet_pton(AF_INET, n.address.c_str(), &a) == 1) {
        n.number = ntohl(a.s_addr);
        all.push_back(n);
      }
    }
    at = end + 1;
  }
  return all;
}

bool are_all_there(const network& mine, const std::vector<std::vector<network>>& others) {
  std::vector<std::uint32_t> seen{mine.number};
  for (const std::vector<network>& other : others) {
    auto const its = std::find_if(other.begin(), other.end(), [&mine, &seen](const network& n) {
      return ((n.number ^ mine.number) & mine.mask) == 0 && std::find(seen.begin(), seen.end(), n.number) == seen.end();
    });
    if (its == other.end()) return false;
    seen.push_back(its->number);
  }
  return true;
}

/// The address that this machine has in the kernel's way to `there`. Nothing is sent.
std::string own_end_of_route(const network& there) {
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_port = htons(9);
  a.sin_addr.s_addr = htonl(there.number);
  char text[INET_ADDRSTRLEN] = "";
  socklen_t size = sizeof a;
  int const fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && connect(fd, reinterpret_cast<sockaddr*>(&a), sizeof a) == 0 &&
      getsockname(fd, reinterpret_cast<sockaddr*>(&a), &size) == 0)
    inet_ntop(AF_INET, &a.sin_addr, text, sizeof text);
  if (fd >= 0) close(fd);
  return text;
}

}  // namespace

std::string own_networks(const char* device) {
  bool const any = device == nullptr || *device == '\0';
  std::string result;
  std::size_t found = 0;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return result;
  for (const ifaddrs* i = list; i != nullptr && found < most_networks; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || i->ifa_netmask == nullptr || i->ifa_addr->sa_family != AF_INET) continue;
    if ((i->ifa_flags & IFF_UP) == 0 || (any && (i->ifa_flags & IFF_LOOPBACK) != 0)) continue;
    char text[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(i->ifa_addr)->sin_addr, text, sizeof text);
    if (!any && strcmp(device, i->ifa_name) != 0 && strcmp(device, text) != 0) continue;
    std::uint32_t const mask = reinterpret_cast<const sockaddr_in*>(i->ifa_netmask)->sin_addr.s_addr;
    result += (result.empty() ? "" : ";") + std::string(text) + "/" + std::to_string(__builtin_popcount(mask));
    ++found;
  }
  freeifaddrs(list);
  return result;
}

std::string choose_address(const std::string& own, const std::vector<std::string>& others) {
  std::vector<network> const mine = read(own);
  std::vector<std::vector<network>> theirs;
  for (const std::string& each : others) theirs.push_back(read(each));
  if (mine.empty()) return {};
  for (const network& each : mine)
    if (are_all_there(each, theirs)) return each.address;
  for (const std::vector<network>& other : theirs) {
    if (other.empty()) continue;
    std::string const found = own_end_of_route(other.front());
    for (const network& each : mine)
      if (each.address == found) return found;
  }
  return mine.front().address;
}

}  // namespace amity::launching
