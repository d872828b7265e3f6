/// UCX within a node and sockets between nodes, where UCX knows no network but TCP: decision 0025.

#include "amity/net/internal/two_engines.hpp"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <utility>

namespace amity::net {
namespace {

struct pair_of_engines {
  const engine* near = nullptr;
  const engine* far = nullptr;
  bool (*shares_memory)(int) noexcept = nullptr;
  int epoll = -1;  ///< readable when one of theirs is
};
constinit pair_of_engines both;

const engine& of(int rank) noexcept { return both.shares_memory(rank) ? *both.near : *both.far; }

void send(int to, const message_header& h, const std::byte* bytes, std::size_t size) noexcept {
  of(to).send(to, h, bytes, size);
}
void send_large(int to, const message_header& h, std::byte* bytes, std::size_t size) noexcept {
  of(to).send_large(to, h, bytes, size);
}
int poll() noexcept { return both.near->poll() + both.far->poll(); }
bool arm() noexcept {
  bool const far = both.far->arm();
  return both.near->arm() && far;
}
int fd() noexcept { return both.epoll; }
std::size_t backlog(int rank) noexcept { return of(rank).backlog(rank); }
bool needs_polls() noexcept { return both.near->needs_polls() || both.far->needs_polls(); }
bool is_flushed() noexcept {
  bool const far = both.far->is_flushed();
  return both.near->is_flushed() && far;
}
void close_both() noexcept {
  both.near->close();
  both.far->close();
  ::close(std::exchange(both.epoll, -1));
}
void forget(int rank) noexcept { of(rank).forget(rank); }
bool has_handed_on(int rank) noexcept {
  const engine& its = of(rank);
  return its.has_handed_on == nullptr || its.has_handed_on(rank);
}

engine joined{"ucx and sockets",
              [](const engine_facts&, char*, std::size_t*) noexcept -> const char* { return "both are open"; },
              [](int, const char*) noexcept -> const char* { return nullptr; },
              send,
              send_large,
              poll,
              arm,
              fd,
              backlog,
              needs_polls,
              is_flushed,
              close_both,
              0,
              nullptr,
              forget,
              nullptr,
              has_handed_on};

bool watch(const engine& e) noexcept {
  epoll_event event{};
  event.events = EPOLLIN;
  return epoll_ctl(both.epoll, EPOLL_CTL_ADD, e.fd(), &event) == 0;
}

}  // namespace

const engine* join_engines(const engine& near, const engine& far, bool (*shares_memory)(int) noexcept,
                           const char** why) noexcept {
  both = {&near, &far, shares_memory, epoll_create1(EPOLL_CLOEXEC)};
  joined.loss_hazard = near.loss_hazard;
  if (both.epoll >= 0 && watch(near) && watch(far)) return &joined;
  *why = strerror(errno);
  return nullptr;
}

}  // namespace amity::net
