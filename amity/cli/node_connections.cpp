#include "amity/cli/node_connections.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "amity/base/hex.hpp"
#include "amity/cli/local/node_channels.hpp"
#include "amity/cli/node_threads.hpp"
#include "amity/launch/host.hpp"
#include "amity/launch/membership.hpp"
#include "amity/launch/networks.hpp"
#include "amity/launch/plugin.hpp"
#include "amity/launch/wire_up.hpp"
#include "amity/omp/cluster/processes.hpp"

namespace amity::cli {
namespace {

using std::chrono::steady_clock;

constexpr int most_nodes = omp::cluster::most_processes;
constexpr auto patience = std::chrono::seconds(60);

// What who connects says first. The secret is of the process that is connected to, which has told it by the launcher.
struct hello {
  std::array<unsigned char, 16> secret;
  std::uint32_t from;
  std::uint32_t for_pages;  // 0: for messages
};

struct node_facts {
  sockaddr_in address{};
  std::array<unsigned char, 16> secret{};
};

std::string text_of(const node_facts& f) {
  char address[INET_ADDRSTRLEN];
  inet_ntop(AF_INET, &f.address.sin_addr, address, sizeof address);
  std::string text = std::string(address) + '|' + std::to_string(ntohs(f.address.sin_port)) + '|';
  return text + hex(f.secret.data(), f.secret.size());
}

bool read_address(node_facts& f, const char* text) {
  char address[64], secret[64];
  unsigned port;
  if (sscanf(text, "%63[^|]|%u|%63s", address, &port, secret) != 3 || std::strlen(secret) != 2 * f.secret.size())
    return false;
  f.address.sin_family = AF_INET;
  f.address.sin_port = htons(static_cast<std::uint16_t>(port));
  for (std::size_t i = 0; i < f.secret.size(); ++i) {
    const char two[3] = {secret[2 * i], secret[2 * i + 1], 0};
    f.secret[i] = static_cast<unsigned char>(std::strtoul(two, nullptr, 16));
  }
  return inet_pton(AF_INET, address, &f.address.sin_addr) == 1;
}

std::string with_reason(const std::string& what) { return what + ": " + std::strerror(errno); }

// All of `bytes`, or false, before `until`.
bool receive_all(int fd, void* data, std::size_t bytes, steady_clock::time_point until) {
  for (auto* at = static_cast<char*>(data); bytes > 0;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_clock::now()).count();
    pollfd readable{fd, POLLIN, 0};
    if (left <= 0 || poll(&readable, 1, static_cast<int>(left)) <= 0) return false;
    const ssize_t n = recv(fd, at, bytes, 0);
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

void suit(int fd) {
  const int yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);  // each message is small, and waited for
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);  // a machine that is gone says nothing
}

// -1, with errno.
int listen_at(node_facts& own, const std::string& address) {
  own.address.sin_family = AF_INET;
  socklen_t length = sizeof own.address;
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || inet_pton(AF_INET, address.c_str(), &own.address.sin_addr) != 1 ||
      bind(fd, reinterpret_cast<sockaddr*>(&own.address), length) != 0 || listen(fd, SOMAXCONN) != 0 ||
      getsockname(fd, reinterpret_cast<sockaddr*>(&own.address), &length) != 0)
    return -1;
  return fd;
}

int connect_to(const node_facts& f, const hello& first) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  suit(fd);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&f.address), sizeof f.address) == 0 &&
      send(fd, &first, sizeof first, MSG_NOSIGNAL) == sizeof first)
    return fd;
  close(fd);
  return -1;
}

// What each process says under `key`, which is without white space, as PMI-1 wants it; empty: `problem` says why.
std::vector<std::string> exchange(const launching::wire_up& wires, int count, const char* key, const std::string& mine,
                                  std::string& problem) {
  const char* why = wires.put(key, mine.c_str());
  if (why == nullptr) why = wires.fence();
  std::vector<std::string> all;
  for (int p = 0; p < count && why == nullptr; ++p) {
    const char* value = nullptr;
    why = wires.get(p, key, &value);
    if (why == nullptr) all.emplace_back(value);
  }
  if (why == nullptr) return all;
  problem = why;
  return {};
}

}  // namespace

node_connections::node_connections(const std::function<std::vector<int>(int own, int count)>& deal,
                                   const std::string& plugins) {
  launching::plugins_are_in(plugins);
  const char* why = nullptr;
  launching::membership of = launching::read_membership(&why);
  if (why == nullptr && of.by == launching::wiring::none)
    why =
        "without a number, it is for the processes that mpirun or srun starts, as in `mpirun -n 2 amity run --nodes -- "
        "./program`, and nobody of these has started this one. `--nodes 2` starts two here";
  const launching::wire_up* wires = nullptr;
  if (why == nullptr) wires = launching::find_wire_up(of.by, &why);
  if (why == nullptr) why = wires->open(of);
  if (why != nullptr) {
    problem_ = why;
    return;
  }
  own_ = of.rank;
  count_ = of.size;
  if (count_ > most_nodes) {
    problem_ = std::to_string(count_) + " nodes: at most " + std::to_string(most_nodes) + " can be";
    return;
  }
  threads_ = deal(own_, count_);
  for_messages_.assign(static_cast<std::size_t>(count_), -1);
  for_pages_ = for_messages_;
  meet(*wires);
  wires->close();
}

// Which networks everybody is in; then where each listens.
void node_connections::meet(const launching::wire_up& wires) {
  const std::string host = launching::network_host();
  const std::string networks = launching::own_networks(std::getenv("AMITY_NET_DEVICE"));
  const std::vector<std::string> places =
      exchange(wires, count_, "amity-nodes-place", host + '|' + text_of(threads_) + '|' + networks, problem_);
  if (places.empty()) return;
  bool one_machine = true;
  std::vector<std::string> others;
  for (const std::string& text : places) {
    const std::size_t first = text.find('|'), second = text.find('|', first + 1);
    one_machine = one_machine && text.substr(0, first) == host;
    if (&text == &places.front()) threads_ = threads_of(text.substr(first + 1, second - first - 1));
    if (&text != &places[static_cast<std::size_t>(own_)]) others.push_back(text.substr(second + 1));
  }
  if (static_cast<int>(threads_.size()) != count_) {
    problem_ = "node 0 says '" + places.front() + "' of itself, which is not understood";
    return;
  }
  const std::string address = one_machine ? "127.0.0.1" : launching::choose_address(networks, others);
  node_facts mine;
  const int listener = address.empty() ? -1 : listen_at(mine, address);
  if (address.empty())
    problem_ = "this machine is in no network, and not all nodes are on this machine";
  else if (listener < 0 || getrandom(mine.secret.data(), mine.secret.size(), 0) < 0)
    problem_ = with_reason("no TCP socket at " + address);
  if (!problem_.empty()) return;
  const std::vector<std::string> texts = exchange(wires, count_, "amity-nodes-address", text_of(mine), problem_);
  if (texts.empty()) return;
  // Each connects to those before it, and is connected to by those behind it.
  for (int p = 0; p < own_ && problem_.empty(); ++p) connect(p, texts[static_cast<std::size_t>(p)]);
  if (problem_.empty()) accept(listener, mine.secret);
  close(listener);
}

void node_connections::connect(int to, const std::string& text) {
  node_facts f;
  if (!read_address(f, text.c_str())) {
    problem_ = "node " + std::to_string(to) + " says no address, but '" + text + "'";
    return;
  }
  for (const bool pages : {false, true}) {
    const int fd = connect_to(f, {f.secret, static_cast<std::uint32_t>(own_), pages});
    if (fd < 0) {
      problem_ = with_reason("node " + std::to_string(to) + " can't be reached at " + text.substr(0, text.find('|')));
      return;
    }
    place(to, pages) = fd;
  }
}

void node_connections::accept(int listener, const std::array<unsigned char, 16>& secret) {
  const auto until = steady_clock::now() + patience;
  for (int missing = 2 * (count_ - 1 - own_); missing > 0;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_clock::now()).count();
    pollfd acceptable{listener, POLLIN, 0};
    if (left <= 0 || poll(&acceptable, 1, static_cast<int>(left)) <= 0) {
      problem_ = std::to_string(missing) + " connections of other nodes have not come within 60 s";
      return;
    }
    const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    hello first{};
    const auto soon = std::min(until, steady_clock::now() + std::chrono::seconds(5));
    const bool is_known = receive_all(fd, &first, sizeof first, soon) && first.secret == secret &&
                          first.from < static_cast<std::uint32_t>(count_);
    int* const at = is_known ? &place(static_cast<int>(first.from), first.for_pages != 0) : nullptr;
    if (at == nullptr || *at >= 0) {  // a stranger
      close(fd);
      continue;
    }
    suit(fd);
    *at = fd;
    --missing;
  }
}

void node_connections::hand_over() const { tell_of_connections(own_, threads_, -1, for_messages_, for_pages_); }

}  // namespace amity::cli
