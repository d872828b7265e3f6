/// UCX within a node and sockets between nodes, where UCX knows no network but TCP: decision 0025.

#include "amity/net/internal/two_engines.hpp"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

namespace amity::net {
namespace {

struct pair_of_engines : engine_instance {
  engine table;  ///< this pair's: the near one's hazard is its own
  open_engine near, far;
  engine_facts facts{};
  int epoll = -1;  ///< readable when one of theirs is
};

const open_engine& of(const pair_of_engines& both, int rank) noexcept {
  return both.facts.shares_memory(both.facts.owner, rank) ? both.near : both.far;
}

const char* know(pair_of_engines&, int, const char*) noexcept { return nullptr; }
void send(pair_of_engines& both, int to, const message_header& h, const std::byte* bytes, std::size_t size) noexcept {
  of(both, to).send(to, h, bytes, size);
}
void send_large(pair_of_engines& both, int to, const message_header& h, std::byte* bytes, std::size_t size) noexcept {
  of(both, to).send_large(to, h, bytes, size);
}
int poll(pair_of_engines& both) noexcept { return both.near.poll() + both.far.poll(); }
bool arm(pair_of_engines& both) noexcept {
  bool const far = both.far.arm();
  return both.near.arm() && far;
}
int fd(pair_of_engines& both) noexcept { return both.epoll; }
std::size_t backlog(pair_of_engines& both, int rank) noexcept { return of(both, rank).backlog(rank); }
bool needs_polls(pair_of_engines& both) noexcept { return both.near.needs_polls() || both.far.needs_polls(); }
bool is_flushed(pair_of_engines& both) noexcept {
  bool const far = both.far.is_flushed();
  return both.near.is_flushed() && far;
}
void close_both(pair_of_engines& both) noexcept {
  ::close(both.epoll);
  both.near.close();
  both.far.close();
  delete &both;
}
void forget(pair_of_engines& both, int rank) noexcept { of(both, rank).forget(rank); }
bool has_handed_on(pair_of_engines& both, int rank) noexcept { return of(both, rank).has_handed_on(rank); }

constexpr engine joined{
    .name = "ucx and sockets",
    .open = [](const engine_facts&, char* text,
               std::size_t size) noexcept { return not_opened("both are open", text, size); },
    .know = with_own<know>,
    .send = with_own<send>,
    .send_large = with_own<send_large>,
    .poll = with_own<poll>,
    .arm = with_own<arm>,
    .fd = with_own<fd>,
    .backlog = with_own<backlog>,
    .needs_polls = with_own<needs_polls>,
    .is_flushed = with_own<is_flushed>,
    .close = with_own<close_both>,
    .forget = with_own<forget>,
    .has_handed_on = with_own<has_handed_on>,
};

bool watch(int epoll, const open_engine& e) noexcept {
  epoll_event event{};
  event.events = EPOLLIN;
  return epoll_ctl(epoll, EPOLL_CTL_ADD, e.fd(), &event) == 0;
}

}  // namespace

open_engine join_engines(const open_engine& near, const open_engine& far, const engine_facts& facts,
                         const char** why) noexcept {
  int const epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0 || !watch(epoll, near) || !watch(epoll, far)) {
    *why = strerror(errno);
    if (epoll >= 0) ::close(epoll);
    return {};
  }
  auto* const both = new pair_of_engines{{}, joined, near, far, facts, epoll};
  both->table.loss_hazard = near.table->loss_hazard;
  return {&both->table, both};
}

}  // namespace amity::net
