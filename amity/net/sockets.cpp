/// Messages over stream sockets: of the kernel's own within a node, TCP between nodes. It needs no library and no
/// device, and sleeps on one descriptor; UCX is faster.
///
/// Each process connects to those that it sends to, at its first message, and reads from those that connected to it. So
/// a connection goes one way, and the messages from one process to another keep their order. A connection begins with a
/// greeting that proves the job's secret. Then come frames: a header, the number of bytes, the bytes.
///
/// A frame's length is believed as far as bytes have come: memory for a large message grows with it.
///
/// Strangers: a socket for TCP is there only where the job is on several nodes, at one address of this one. A
/// connection that does not begin with the greeting is closed, and so is one that takes long with it. Before it has
/// greeted it gets no memory but for the greeting; and where many have not, those that come later wait in the system's
/// queue.

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "amity/launch/host.hpp"
#include "amity/net/internal/engine.hpp"
#include "amity/sys/clock.hpp"

namespace amity::net {
namespace {

constexpr std::size_t read_at_once = 256 * 1024;
constexpr std::uint32_t magic = 0x79'74'69'6d;  // "mity"
constexpr std::uint64_t first_room = 1 << 20;   // for a large message, before its bytes have come
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 46;

// Connections that have not greeted. A process whose cores are taken may be slow with it; but not so many are.
constexpr int most_ungreeted = 256;
constexpr std::uint64_t second_ns = 1'000'000'000;
constexpr std::uint64_t time_to_greet_ns = 60 * second_ns, time_where_many_wait_ns = 5 * second_ns;

struct greeting {
  std::uint32_t magic;
  std::uint32_t rank;
  char secret[32];
};

struct frame {
  message_header header;
  std::uint64_t size;
};

/// Of take_buffer, or a sender's own: given back when it has been sent.
using message_memory = std::unique_ptr<std::byte, decltype(engine_events::give_buffer)>;

/// What is to be sent, as far as the socket did not take it at once.
struct piece {
  message_memory bytes;
  std::size_t size;
  std::size_t sent;
};

/// A descriptor in the epoll, by its address.
struct endpoint {
  enum class kind : std::uint8_t { listener, incoming, outgoing, clock } what;
  int fd = -1;
};

struct outgoing : endpoint {
  int rank = 0;
  std::string address;
  std::deque<piece> queue;
  std::size_t queued = 0;
  bool waits_for_room = false;
  bool is_lost = false;       ///< nothing is sent there any more
  bool is_forgotten = false;  ///< nothing from there is handed on, either
};

struct incoming : endpoint {
  int rank = -1;  ///< -1: it has not greeted yet
  std::uint64_t since = 0;
  std::string who;
  std::vector<std::byte> unread;
  std::size_t begin = 0, end = 0;  ///< of what is in `unread`
  // Of the large message that is being read.
  message_header header;
  std::byte* large = nullptr;  ///< from malloc
  std::uint64_t large_size = 0, large_room = 0, large_read = 0;
  bool is_forgotten = false;  ///< its rank is: what comes is read, and dropped

  incoming() noexcept : endpoint{kind::incoming} {}
  ~incoming() { free(large); }
  incoming(const incoming&) = delete;
  incoming& operator=(const incoming&) = delete;
};

struct sockets : engine_instance {
  engine_facts facts{};
  int epoll = -1;
  endpoint local_listener{endpoint::kind::listener}, tcp_listener{endpoint::kind::listener};
  endpoint clock{endpoint::kind::clock};  ///< each second, as long as `clock_runs`
  bool clock_runs = false;
  int ungreeted = 0;
  bool accepts = true;
  std::string host;  ///< what is equal for processes that reach one another by the kernel's own sockets
  std::vector<outgoing> to;
  std::vector<std::unique_ptr<incoming>> from;
  std::size_t queued = 0;

  sockets() noexcept = default;
  ~sockets() {
    for (const outgoing& o : to) close_if_open(o.fd);
    for (const auto& c : from) close_if_open(c->fd);
    for (int fd : {local_listener.fd, tcp_listener.fd, clock.fd, epoll}) close_if_open(fd);
  }
  sockets(const sockets&) = delete;
  sockets& operator=(const sockets&) = delete;

 private:
  static void close_if_open(int fd) noexcept {
    if (fd >= 0) ::close(fd);
  }
};

void watch(sockets& s, endpoint& e, std::uint32_t events, int how) noexcept {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &e;
  epoll_ctl(s.epoll, how, e.fd, &event);
}

// --- addresses

socklen_t local_address(const std::string& name, sockaddr_un& a) noexcept {
  a = {};
  a.sun_family = AF_UNIX;
  memcpy(a.sun_path + 1, name.data(), name.size());  // without a file: what begins with a zero
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
}

/// Null: `text` is the address. Or what the system refuses.
const char* begin(sockets& s, std::string& text) {
  const engine_facts& facts = s.facts;
  s.host = launching::network_host();
  s.to = std::vector<outgoing>(static_cast<std::size_t>(facts.size));
  for (int r = 0; r < facts.size; ++r) {
    s.to[r].what = endpoint::kind::outgoing;
    s.to[r].rank = r;
  }
  s.epoll = epoll_create1(EPOLL_CLOEXEC);
  if (s.epoll < 0) return "no epoll";

  std::uint64_t random[2];
  if (getrandom(random, sizeof random, 0) != sizeof random) return "no random number";
  char name[64];
  snprintf(name, sizeof name, "amity-%016lx%016lx", random[0], random[1]);
  sockaddr_un a;
  socklen_t const length = local_address(name, a);
  s.local_listener.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (s.local_listener.fd < 0 || bind(s.local_listener.fd, reinterpret_cast<sockaddr*>(&a), length) != 0 ||
      listen(s.local_listener.fd, SOMAXCONN) != 0)
    return "no socket to listen at";
  watch(s, s.local_listener, EPOLLIN, EPOLL_CTL_ADD);
  s.clock.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (s.clock.fd < 0) return "no timer";
  watch(s, s.clock, EPOLLIN, EPOLL_CTL_ADD);
  text = s.host + ";" + name;

  if (!facts.one_node && facts.tcp_address != nullptr) {
    s.tcp_listener.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_in here{};
    here.sin_family = AF_INET;
    socklen_t here_length = sizeof here;
    if (s.tcp_listener.fd < 0 || inet_pton(AF_INET, facts.tcp_address, &here.sin_addr) != 1 ||
        bind(s.tcp_listener.fd, reinterpret_cast<sockaddr*>(&here), sizeof here) != 0 ||
        listen(s.tcp_listener.fd, SOMAXCONN) != 0 ||
        getsockname(s.tcp_listener.fd, reinterpret_cast<sockaddr*>(&here), &here_length) != 0)
      return "no TCP socket to listen at";
    watch(s, s.tcp_listener, EPOLLIN, EPOLL_CTL_ADD);
    text += ";" + std::string(facts.tcp_address) + ":" + std::to_string(ntohs(here.sin_port));
  }
  return nullptr;
}

engine_instance* open(const engine_facts& facts, char* text, std::size_t size) noexcept {
  auto s = std::make_unique<sockets>();
  s->facts = facts;
  std::string address;
  if (const char* const refused = begin(*s, address)) {
    std::string const why = std::string(refused) + ": " + strerror(errno);
    return not_opened(why.c_str(), text, size);
  }
  if (address.size() >= size) return not_opened("it has a name that is too long", text, size);
  memcpy(text, address.c_str(), address.size() + 1);
  return s.release();
}

const char* know(sockets& s, int rank, const char* address) noexcept {
  s.to[rank].address = address;
  return nullptr;
}

// --- sending

/// `why`: null where that is known already.
void lose(sockets& s, outgoing& o, const char* why) noexcept {
  if (o.fd >= 0) ::close(o.fd);
  o.fd = -1;
  s.queued -= o.queued;
  o.queued = 0;
  o.queue.clear();
  if (std::exchange(o.is_lost, true)) return;
  if (why != nullptr) s.facts.events->lost(s.facts.owner, o.rank, why);
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t const end = std::min(text.find(';', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

/// A connection that may not be made yet; -1: there can be none, errno says why.
int begin_tcp(const std::string& address) noexcept {
  std::size_t const colon = address.rfind(':');
  if (colon == std::string::npos) return errno = EINVAL, -1;
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_port = htons(static_cast<std::uint16_t>(atoi(address.c_str() + colon + 1)));
  if (inet_pton(AF_INET, address.substr(0, colon).c_str(), &a.sin_addr) != 1) return errno = EINVAL, -1;
  int const fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  int const yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (connect(fd, reinterpret_cast<sockaddr*>(&a), sizeof a) == 0 || errno == EINPROGRESS) return fd;
  int const error = errno;
  ::close(fd);
  return errno = error, -1;
}

/// The process at the other end of a connection within the node is the same user's.
bool is_own_users(int fd, ucred& peer) noexcept {
  socklen_t size = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

int begin_local(const std::string& name) noexcept {
  sockaddr_un a;
  socklen_t const length = local_address(name, a);
  // Not non-blocking yet: where the other has more connections to accept than it queues, this one waits for it.
  int const fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  ucred peer{};
  errno = EACCES;  // where another user has taken the name, who is not to get the secret
  if (connect(fd, reinterpret_cast<sockaddr*>(&a), length) != 0 || !is_own_users(fd, peer)) {
    int const error = errno;
    ::close(fd);
    return errno = error, -1;
  }
  fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

void queue_bytes(sockets& s, outgoing& o, std::byte* bytes, std::size_t size, std::size_t sent) noexcept {
  o.queued += size - sent;
  s.queued += size - sent;
  o.queue.push_back({message_memory(bytes, s.facts.events->give_buffer), size, sent});
}

void queue_copy(sockets& s, outgoing& o, const std::byte* bytes, std::size_t size) noexcept {
  if (size == 0) return;
  std::byte* const copy = s.facts.events->take_buffer(size);
  if (copy == nullptr) return lose(s, o, "there is no memory for what waits to be sent there");
  memcpy(copy, bytes, size);
  queue_bytes(s, o, copy, size, 0);
}

void flush(sockets& s, outgoing& o) noexcept;

bool connect_to(sockets& s, outgoing& o) noexcept {
  std::vector<std::string> const parts = split(o.address);
  bool const local = parts.size() > 1 && parts[0] == s.host;
  if (local) {
    o.fd = begin_local(parts[1]);
  } else {
    for (std::size_t i = 2; i < parts.size() && o.fd < 0; ++i) o.fd = begin_tcp(parts[i]);
  }
  if (o.fd < 0) {
    std::string const why = std::string("it can't be connected to: ") +
                            (!local && parts.size() < 3 ? "it is on another node and has no address" : strerror(errno));
    lose(s, o, why.c_str());
    return false;
  }
  greeting g{magic, static_cast<std::uint32_t>(s.facts.rank), {}};
  memcpy(g.secret, s.facts.secret, std::min(sizeof g.secret, s.facts.secret_bytes));
  queue_copy(s, o, reinterpret_cast<const std::byte*>(&g), sizeof g);
  o.waits_for_room = true;
  watch(s, o, EPOLLOUT | EPOLLRDHUP, EPOLL_CTL_ADD);
  if (local) flush(s, o);  // so the first message can be written now, too, and arrives though this process may end
  return !o.is_lost;
}

/// Writes what the socket takes of some pieces. How many bytes; -1: it is lost.
ssize_t write_some(sockets& s, outgoing& o, iovec* pieces, int n) noexcept {
  for (;;) {
    msghdr message{};
    message.msg_iov = pieces;
    message.msg_iovlen = static_cast<std::size_t>(n);
    ssize_t const written = sendmsg(o.fd, &message, MSG_NOSIGNAL);
    if (written >= 0) return written;
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOTCONN) return 0;
    lose(s, o, errno == EPIPE || errno == ECONNRESET ? "it has ended" : strerror(errno));
    return -1;
  }
}

void want_room(sockets& s, outgoing& o, bool want) noexcept {
  if (o.fd < 0 || std::exchange(o.waits_for_room, want) == want) return;
  watch(s, o, want ? EPOLLOUT | EPOLLRDHUP : EPOLLRDHUP, EPOLL_CTL_MOD);
}

void flush(sockets& s, outgoing& o) noexcept {
  while (!o.queue.empty()) {
    constexpr int most = 16;
    iovec pieces[most];
    int n = 0;
    for (auto p = o.queue.begin(); p != o.queue.end() && n < most; ++p, ++n)
      pieces[n] = {p->bytes.get() + p->sent, p->size - p->sent};
    ssize_t const written = write_some(s, o, pieces, n);
    if (written < 0) return;
    if (written == 0) return want_room(s, o, true);
    auto left = static_cast<std::size_t>(written);
    o.queued -= left;
    s.queued -= left;
    while (left > 0) {
      piece& p = o.queue.front();
      std::size_t const part = std::min(left, p.size - p.sent);
      p.sent += part;
      left -= part;
      if (p.sent == p.size) o.queue.pop_front();
    }
  }
  want_room(s, o, false);
}

/// `large`: memory for messages, and this function's.
void send_bytes(sockets& s, int to, const message_header& h, const std::byte* bytes, std::byte* large,
                std::size_t size) noexcept {
  message_memory owned(large, s.facts.events->give_buffer);
  outgoing& o = s.to[to];
  if (o.is_lost || (o.fd < 0 && !connect_to(s, o))) return;
  frame f{h, size};
  std::size_t sent = 0;
  if (o.queue.empty()) {
    iovec pieces[2] = {{&f, sizeof f}, {const_cast<std::byte*>(bytes), size}};
    ssize_t const written = write_some(s, o, pieces, size == 0 ? 1 : 2);
    if (written < 0) return;
    sent = static_cast<std::size_t>(written);
    if (sent == sizeof f + size) return;
  }
  if (sent < sizeof f) {
    queue_copy(s, o, reinterpret_cast<const std::byte*>(&f) + sent, sizeof f - sent);
    sent = 0;
  } else {
    sent -= sizeof f;
  }
  if (owned != nullptr)
    queue_bytes(s, o, owned.release(), size, sent);
  else
    queue_copy(s, o, bytes + sent, size - sent);
  want_room(s, o, true);
}

void send(sockets& s, int to, const message_header& h, const std::byte* bytes, std::size_t size) noexcept {
  send_bytes(s, to, h, bytes, nullptr, size);
}

void send_large(sockets& s, int to, const message_header& h, std::byte* bytes, std::size_t size) noexcept {
  send_bytes(s, to, h, bytes, bytes, size);
}

// --- receiving

/// Each second from now on, or not any more.
void run_clock(sockets& s, bool run) noexcept {
  if (std::exchange(s.clock_runs, run) == run) return;
  itimerspec when{};
  if (run) when.it_value.tv_sec = when.it_interval.tv_sec = 1;
  timerfd_settime(s.clock.fd, 0, &when, nullptr);
}

void accept_or_wait(sockets& s, bool accept) noexcept {
  if (std::exchange(s.accepts, accept) == accept) return;
  for (endpoint* e : {&s.local_listener, &s.tcp_listener})
    if (e->fd >= 0) watch(s, *e, accept ? std::uint32_t{EPOLLIN} : 0, EPOLL_CTL_MOD);
}

void count_ungreeted(sockets& s, int more) noexcept {
  s.ungreeted += more;
  if (s.ungreeted >= most_ungreeted) accept_or_wait(s, false);
  if (s.ungreeted <= most_ungreeted / 2) accept_or_wait(s, true);
  run_clock(s, s.ungreeted != 0);
}

void drop(sockets& s, incoming& c, const char* why) noexcept {
  int const rank = c.rank;
  std::string const who = std::move(c.who);
  ::close(c.fd);
  std::erase_if(s.from, [&c](const auto& each) { return each.get() == &c; });
  if (rank >= 0) return s.facts.events->lost(s.facts.owner, rank, why);
  count_ungreeted(s, -1);
  s.facts.events->stranger(s.facts.owner, who.c_str(), why);
}

/// Equal, in a time that says nothing of where they differ.
bool same_secret(const char* a, const char* b, std::size_t size) noexcept {
  unsigned char difference = 0;
  for (std::size_t i = 0; i < size; ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

/// False: it is none of the job's.
bool greet(sockets& s, incoming& c, const greeting& g) noexcept {
  const engine_facts& facts = s.facts;
  if (g.magic != magic || g.rank >= static_cast<std::uint32_t>(facts.size)) return false;
  if (!same_secret(g.secret, facts.secret, std::min(sizeof g.secret, facts.secret_bytes))) return false;
  c.rank = static_cast<int>(g.rank);
  c.is_forgotten = s.to[g.rank].is_forgotten;
  count_ungreeted(s, -1);
  return true;
}

/// Room for the rest of a large message, as far as it can be believed: twice what has come.
bool make_room(incoming& c) noexcept {
  if (c.large_room == c.large_size || c.large_read < c.large_room) return true;
  std::uint64_t const room = std::min(c.large_size, std::max(first_room, 2 * c.large_room));
  auto* const larger = static_cast<std::byte*>(realloc(c.large, room));
  if (larger == nullptr) return false;
  c.large = larger;
  c.large_room = room;
  return true;
}

/// Hands a large message on when it is whole.
int end_large(sockets& s, incoming& c) noexcept {
  if (c.large_size == 0 || c.large_read < c.large_size) return 0;
  std::byte* const bytes = std::exchange(c.large, nullptr);
  std::uint64_t const size = c.large_size;
  c.large_size = c.large_room = c.large_read = 0;
  if (c.is_forgotten)
    free(bytes);
  else
    s.facts.events->arrived_large(s.facts.owner, c.rank, c.header, bytes, size);
  return 1;
}

/// Takes apart what has been read. How many messages that were; -1: the connection is to be dropped.
int parse(sockets& s, incoming& c) noexcept {
  int taken = 0;
  for (;;) {
    const std::byte* const at = c.unread.data() + c.begin;
    std::size_t const there = c.end - c.begin;
    if (c.large_size != 0) {
      std::uint64_t const part = std::min<std::uint64_t>(there, c.large_room - c.large_read);
      memcpy(c.large + c.large_read, at, part);
      c.large_read += part;
      c.begin += part;
      taken += end_large(s, c);
      if (c.large_size == 0) continue;
      if (!make_room(c)) return -1;
      if (c.begin == c.end) return taken;
      continue;
    }
    if (c.rank < 0) {
      greeting g;
      if (there >= sizeof g.magic && memcmp(at, &magic, sizeof magic) != 0) return -1;
      if (there < sizeof g) return taken;
      memcpy(&g, at, sizeof g);
      if (!greet(s, c, g)) return -1;
      c.begin += sizeof g;
      continue;
    }
    if (there < sizeof(frame)) return taken;
    frame f;
    memcpy(&f, at, sizeof f);
    if (f.size > most_bytes) return -1;
    if (f.size >= large_message) {
      c.header = f.header;
      c.large_size = f.size;
      c.begin += sizeof f;
      if (!make_room(c)) return -1;
      continue;
    }
    if (there < sizeof f + f.size) return taken;
    c.begin += sizeof f + f.size;
    if (!c.is_forgotten) s.facts.events->arrived(s.facts.owner, c.rank, f.header, at + sizeof f, f.size);
    ++taken;
  }
}

/// Reads what there is. How many messages that were.
int receive(sockets& s, incoming& c) noexcept {
  int taken = 0;
  for (int reads = 0; reads < 4; ++reads) {  // then it is another's turn
    ssize_t n;
    if (c.large_size != 0 && c.begin == c.end) {  // straight into place
      n = recv(c.fd, c.large + c.large_read, c.large_room - c.large_read, 0);
      if (n > 0) {
        c.large_read += static_cast<std::uint64_t>(n);
        taken += end_large(s, c);
        if (c.large_size != 0 && !make_room(c)) return drop(s, c, "there is no memory for a message from it"), taken;
        continue;
      }
    } else {
      if (c.begin != 0) {
        memmove(c.unread.data(), c.unread.data() + c.begin, c.end - c.begin);
        c.end -= c.begin;
        c.begin = 0;
      }
      if (std::size_t const room = c.rank < 0 ? sizeof(greeting) : read_at_once; c.unread.size() < room)
        c.unread.resize(room);
      n = recv(c.fd, c.unread.data() + c.end, c.unread.size() - c.end, 0);
      if (n > 0) {
        c.end += static_cast<std::size_t>(n);
        int const parsed = parse(s, c);
        if (parsed < 0) {
          drop(s, c,
               c.rank < 0 ? "it did not begin with the job's secret"
                          : "what it sends makes no sense, or there is no memory for it");
          return taken;
        }
        taken += parsed;
        continue;
      }
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return taken;
    const char* const ended = c.rank < 0 ? "it ended without the job's secret" : "it has ended";
    return drop(s, c, n == 0 || errno == ECONNRESET ? ended : strerror(errno)), taken;
  }
  return taken;
}

void let_in(sockets& s, int fd, std::string who) noexcept {
  auto c = std::make_unique<incoming>();
  c->fd = fd;
  c->since = sys::monotonic_ns();
  c->who = std::move(who);
  watch(s, *c, EPOLLIN, EPOLL_CTL_ADD);
  s.from.push_back(std::move(c));
  count_ungreeted(s, 1);
}

void accept_all(sockets& s, endpoint& listener) noexcept {
  while (s.accepts) {
    sockaddr_in from{};
    socklen_t size = sizeof from;
    bool const local = &listener == &s.local_listener;
    int const fd = local
                       ? accept4(listener.fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)
                       : accept4(listener.fd, reinterpret_cast<sockaddr*>(&from), &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM) return;
      accept_or_wait(s, false);  // until the clock looks again, or some of those that have not greeted go
      return run_clock(s, true);
    }
    char who[100];
    if (!local) {
      char text[INET_ADDRSTRLEN] = "?";
      inet_ntop(AF_INET, &from.sin_addr, text, sizeof text);
      snprintf(who, sizeof who, "by TCP from %s, port %d", text, ntohs(from.sin_port));
      let_in(s, fd, who);
      continue;
    }
    ucred peer{};
    bool const own = is_own_users(fd, peer);
    snprintf(who, sizeof who, "process %d of user %u on this machine", static_cast<int>(peer.pid), peer.uid);
    if (own) {
      let_in(s, fd, who);
    } else {
      ::close(fd);
      s.facts.events->stranger(s.facts.owner, who, "the job is another user's");
    }
  }
}

/// Those that have not greeted in their time are no ranks.
void look_at_clock(sockets& s) noexcept {
  std::uint64_t ticks = 0;
  if (read(s.clock.fd, &ticks, sizeof ticks) < 0) return;
  std::uint64_t const now = sys::monotonic_ns();
  std::uint64_t const longest = s.accepts ? time_to_greet_ns : time_where_many_wait_ns;
  for (std::size_t i = 0; i < s.from.size();) {
    incoming& c = *s.from[i];
    if (c.rank >= 0 || now - c.since < longest)
      ++i;
    else
      drop(s, c, "it did not say the job's secret in time");
  }
  if (s.ungreeted < most_ungreeted) accept_or_wait(s, true);
  run_clock(s, s.ungreeted != 0);
}

int poll(sockets& s) noexcept {
  constexpr int most = 32;
  epoll_event events[most];
  int const n = epoll_wait(s.epoll, events, most, 0);
  int taken = 0;
  bool clock_ticks = false;
  for (int i = 0; i < n; ++i) {
    auto* const e = static_cast<endpoint*>(events[i].data.ptr);
    switch (e->what) {
      case endpoint::kind::listener:
        accept_all(s, *e);
        ++taken;
        break;
      case endpoint::kind::clock:
        clock_ticks = true;  // at last: some of these events may be of what it drops
        break;
      case endpoint::kind::incoming:
        taken += receive(s, static_cast<incoming&>(*e));
        break;
      case endpoint::kind::outgoing: {
        auto& o = static_cast<outgoing&>(*e);
        if ((events[i].events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP)) != 0) {
          lose(s, o, "it has ended");
        } else {
          flush(s, o);
          ++taken;
        }
        break;
      }
    }
  }
  if (clock_ticks) look_at_clock(s);
  return taken;
}

/// What lies in connections from there, also in those that were not accepted yet, up to their ends.
bool has_handed_on(sockets& s, int rank) noexcept {
  for (endpoint* e : {&s.local_listener, &s.tcp_listener})
    if (e->fd >= 0) accept_all(s, *e);
  bool some_left = false;
  for (std::size_t i = 0; i < s.from.size();) {
    incoming& c = *s.from[i];
    std::size_t const before = s.from.size();
    if (c.rank == rank || c.rank < 0) {
      receive(s, c);
      if (s.from.size() < before) continue;  // that was its end
      some_left = true;
    }
    ++i;
  }
  return !some_left;
}

bool arm(sockets&) noexcept { return true; }  // the epoll is readable as long as there is something
int fd(sockets& s) noexcept { return s.epoll; }
std::size_t backlog(sockets& s, int rank) noexcept { return s.to[rank].queued; }
bool needs_polls(sockets&) noexcept { return false; }  // the epoll tells when there is room
bool is_flushed(sockets& s) noexcept { return s.queued == 0; }

/// What comes from there is read up to its end, and dropped: the other one is not told in this way.
void forget(sockets& s, int rank) noexcept {
  lose(s, s.to[rank], nullptr);
  s.to[rank].is_forgotten = true;
  for (const auto& c : s.from) c->is_forgotten = c->is_forgotten || c->rank == rank;
}

void close_all(sockets& s) noexcept { delete &s; }

}  // namespace

const engine sockets_engine{.name = "sockets",
                            .open = open,
                            .know = with_own<know>,
                            .send = with_own<send>,
                            .send_large = with_own<send_large>,
                            .poll = with_own<poll>,
                            .arm = with_own<arm>,
                            .fd = with_own<fd>,
                            .backlog = with_own<backlog>,
                            .needs_polls = with_own<needs_polls>,
                            .is_flushed = with_own<is_flushed>,
                            .close = with_own<close_all>,
                            .forget = with_own<forget>,
                            .has_handed_on = with_own<has_handed_on>};

}  // namespace amity::net
