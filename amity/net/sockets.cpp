/// Messages over stream sockets: of the kernel's own within a node, TCP between nodes. It needs no library and no
/// device, and sleeps on one descriptor; UCX is faster.
///
/// Each process connects to those that it sends to, at its first message, and reads from those that connected to it. So
/// a connection goes one way, and the messages from one process to another keep their order. A connection begins with a
/// greeting that proves the job's secret. Then come frames: a header, the number of bytes, the bytes.
///
/// A frame's length is believed as far as bytes have come: memory for a large message grows with it.

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "amity/net/buffers.hpp"
#include "amity/net/internal/engine.hpp"
#include "amity/net/internal/host.hpp"

namespace amity::net {
namespace {

constexpr std::size_t read_at_once = 256 * 1024;
constexpr std::uint32_t magic = 0x79'74'69'6d;  // "mity"
constexpr std::uint64_t first_room = 1 << 20;   // for a large message, before its bytes have come
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 46;

struct greeting {
  std::uint32_t magic;
  std::uint32_t rank;
  char secret[32];
};

struct frame {
  message_header header;
  std::uint64_t size;
};

/// What is to be sent, as far as the socket did not take it at once.
struct piece {
  std::unique_ptr<std::byte, decltype(&free)> bytes{nullptr, &free};
  std::size_t size = 0;
  std::size_t sent = 0;
};

/// A descriptor in the epoll, by its address.
struct endpoint {
  enum class kind : std::uint8_t { listener, incoming, outgoing } what;
  int fd = -1;
};

struct outgoing : endpoint {
  int rank = 0;
  std::string address;
  std::deque<piece> queue;
  std::size_t queued = 0;
  bool waits_for_room = false;
  bool is_lost = false;
};

struct incoming : endpoint {
  int rank = -1;  ///< -1: it has not greeted yet
  std::vector<std::byte> unread;
  std::size_t begin = 0, end = 0;  ///< of what is in `unread`
  // Of the large message that is being read.
  message_header header;
  std::byte* large = nullptr;
  std::uint64_t large_size = 0, large_room = 0, large_read = 0;
};

struct sockets {
  engine_facts facts{};
  int epoll = -1;
  endpoint local_listener{endpoint::kind::listener}, tcp_listener{endpoint::kind::listener};
  std::string host;  ///< what is equal for processes that reach one another by the kernel's own sockets
  std::vector<outgoing> to;
  std::vector<std::unique_ptr<incoming>> from;
  std::size_t queued = 0;
  std::string error;
};

sockets& all() noexcept {
  static auto* const one = new sockets;
  return *one;
}

const char* fail(const std::string& what) noexcept {
  all().error = what + ": " + strerror(errno);
  return all().error.c_str();
}

void watch(endpoint& e, std::uint32_t events, int how) noexcept {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &e;
  epoll_ctl(all().epoll, how, e.fd, &event);
}

// --- addresses

socklen_t local_address(const std::string& name, sockaddr_un& a) noexcept {
  a = {};
  a.sun_family = AF_UNIX;
  memcpy(a.sun_path + 1, name.data(), name.size());  // without a file: what begins with a zero
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
}

/// "1.2.3.4" of all interfaces that are up, but for loopback.
std::string own_addresses(int port) {
  std::string result;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return result;
  for (const ifaddrs* i = list; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || i->ifa_addr->sa_family != AF_INET) continue;
    if ((i->ifa_flags & IFF_UP) == 0 || (i->ifa_flags & IFF_LOOPBACK) != 0) continue;
    char text[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(i->ifa_addr)->sin_addr, text, sizeof text);
    result += ";" + std::string(text) + ":" + std::to_string(port);
  }
  freeifaddrs(list);
  return result;
}

const char* open(const engine_facts& facts, char* address, std::size_t* size) noexcept {
  sockets& s = all();
  s.facts = facts;
  s.host = network_host();
  s.to = std::vector<outgoing>(static_cast<std::size_t>(facts.size));
  for (int r = 0; r < facts.size; ++r) {
    s.to[r].what = endpoint::kind::outgoing;
    s.to[r].rank = r;
  }
  s.epoll = epoll_create1(EPOLL_CLOEXEC);
  if (s.epoll < 0) return fail("no epoll");

  std::uint64_t random[2];
  if (getrandom(random, sizeof random, 0) != sizeof random) return fail("no random number");
  char name[64];
  snprintf(name, sizeof name, "amity-%016lx%016lx", random[0], random[1]);
  sockaddr_un a;
  socklen_t const length = local_address(name, a);
  s.local_listener.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (s.local_listener.fd < 0 || bind(s.local_listener.fd, reinterpret_cast<sockaddr*>(&a), length) != 0 ||
      listen(s.local_listener.fd, SOMAXCONN) != 0)
    return fail("no socket to listen at");
  watch(s.local_listener, EPOLLIN, EPOLL_CTL_ADD);
  std::string text = s.host + ";" + name;

  if (!facts.one_node) {
    s.tcp_listener.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_in any{};
    any.sin_family = AF_INET;
    socklen_t any_length = sizeof any;
    if (s.tcp_listener.fd < 0 || bind(s.tcp_listener.fd, reinterpret_cast<sockaddr*>(&any), sizeof any) != 0 ||
        listen(s.tcp_listener.fd, SOMAXCONN) != 0 ||
        getsockname(s.tcp_listener.fd, reinterpret_cast<sockaddr*>(&any), &any_length) != 0)
      return fail("no TCP socket to listen at");
    watch(s.tcp_listener, EPOLLIN, EPOLL_CTL_ADD);
    text += own_addresses(ntohs(any.sin_port));
  }
  if (text.size() + 1 > *size) return "this machine has too many network addresses";
  memcpy(address, text.c_str(), text.size() + 1);
  *size = text.size();
  return nullptr;
}

const char* know(int rank, const char* address) noexcept {
  all().to[rank].address = address;
  return nullptr;
}

// --- sending

/// `why`: null where that is known already.
void lose(outgoing& o, const char* why) noexcept {
  sockets& s = all();
  if (o.fd >= 0) ::close(o.fd);
  o.fd = -1;
  s.queued -= o.queued;
  o.queued = 0;
  o.queue.clear();
  if (std::exchange(o.is_lost, true)) return;
  if (why != nullptr) s.facts.events->lost(o.rank, why);
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

int begin_local(const std::string& name) noexcept {
  sockaddr_un a;
  socklen_t const length = local_address(name, a);
  // Not non-blocking yet: where the other has more connections to accept than it queues, this one waits for it.
  int const fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  if (connect(fd, reinterpret_cast<sockaddr*>(&a), length) != 0) {
    int const error = errno;
    ::close(fd);
    return errno = error, -1;
  }
  fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

void queue_bytes(outgoing& o, std::byte* bytes, std::size_t size, std::size_t sent) noexcept {
  piece p;
  p.bytes.reset(bytes);
  p.size = size;
  p.sent = sent;
  o.queued += size - sent;
  all().queued += size - sent;
  o.queue.push_back(std::move(p));
}

void queue_copy(outgoing& o, const std::byte* bytes, std::size_t size) noexcept {
  if (size == 0) return;
  std::byte* const copy = take_buffer(size);
  if (copy == nullptr) return lose(o, "there is no memory for what waits to be sent there");
  memcpy(copy, bytes, size);
  queue_bytes(o, copy, size, 0);
}

bool connect_to(outgoing& o) noexcept {
  sockets& s = all();
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
    lose(o, why.c_str());
    return false;
  }
  greeting g{magic, static_cast<std::uint32_t>(s.facts.rank), {}};
  memcpy(g.secret, s.facts.secret, std::min(sizeof g.secret, s.facts.secret_bytes));
  queue_copy(o, reinterpret_cast<const std::byte*>(&g), sizeof g);
  o.waits_for_room = true;
  watch(o, EPOLLOUT | EPOLLRDHUP, EPOLL_CTL_ADD);
  return true;
}

/// Writes what the socket takes of some pieces. How many bytes; -1: it is lost.
ssize_t write_some(outgoing& o, iovec* pieces, int n) noexcept {
  for (;;) {
    msghdr message{};
    message.msg_iov = pieces;
    message.msg_iovlen = static_cast<std::size_t>(n);
    ssize_t const written = sendmsg(o.fd, &message, MSG_NOSIGNAL);
    if (written >= 0) return written;
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOTCONN) return 0;
    lose(o, errno == EPIPE || errno == ECONNRESET ? "it has ended" : strerror(errno));
    return -1;
  }
}

void want_room(outgoing& o, bool want) noexcept {
  if (o.fd < 0 || std::exchange(o.waits_for_room, want) == want) return;
  watch(o, want ? EPOLLOUT | EPOLLRDHUP : EPOLLRDHUP, EPOLL_CTL_MOD);
}

void flush(outgoing& o) noexcept {
  sockets& s = all();
  while (!o.queue.empty()) {
    constexpr int most = 16;
    iovec pieces[most];
    int n = 0;
    for (auto p = o.queue.begin(); p != o.queue.end() && n < most; ++p, ++n)
      pieces[n] = {p->bytes.get() + p->sent, p->size - p->sent};
    ssize_t const written = write_some(o, pieces, n);
    if (written < 0) return;
    if (written == 0) return want_room(o, true);
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
  want_room(o, false);
}

/// `large`: from malloc, and this function's.
void send_bytes(int to, const message_header& h, const std::byte* bytes, std::byte* large, std::size_t size) noexcept {
  std::unique_ptr<std::byte, decltype(&free)> owned(large, &free);
  outgoing& o = all().to[to];
  if (o.is_lost || (o.fd < 0 && !connect_to(o))) return;
  frame f{h, size};
  std::size_t sent = 0;
  if (o.queue.empty()) {
    iovec pieces[2] = {{&f, sizeof f}, {const_cast<std::byte*>(bytes), size}};
    ssize_t const written = write_some(o, pieces, size == 0 ? 1 : 2);
    if (written < 0) return;
    sent = static_cast<std::size_t>(written);
    if (sent == sizeof f + size) return;
  }
  if (sent < sizeof f) {
    queue_copy(o, reinterpret_cast<const std::byte*>(&f) + sent, sizeof f - sent);
    sent = 0;
  } else {
    sent -= sizeof f;
  }
  if (owned != nullptr)
    queue_bytes(o, owned.release(), size, sent);
  else
    queue_copy(o, bytes + sent, size - sent);
  want_room(o, true);
}

void send(int to, const message_header& h, const std::byte* bytes, std::size_t size) noexcept {
  send_bytes(to, h, bytes, nullptr, size);
}

void send_large(int to, const message_header& h, std::byte* bytes, std::size_t size) noexcept {
  send_bytes(to, h, bytes, bytes, size);
}

// --- receiving

void drop(incoming& c, const char* why) noexcept {
  sockets& s = all();
  int const rank = c.rank;
  ::close(c.fd);
  free(c.large);
  std::erase_if(s.from, [&c](const auto& each) { return each.get() == &c; });
  if (rank >= 0) s.facts.events->lost(rank, why);
}

/// Equal, in a time that says nothing of where they differ.
bool same_secret(const char* a, const char* b, std::size_t size) noexcept {
  unsigned char difference = 0;
  for (std::size_t i = 0; i < size; ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

/// False: it is none of the job's.
bool greet(incoming& c, const greeting& g) noexcept {
  const engine_facts& facts = all().facts;
  if (g.magic != magic || g.rank >= static_cast<std::uint32_t>(facts.size)) return false;
  if (!same_secret(g.secret, facts.secret, std::min(sizeof g.secret, facts.secret_bytes))) return false;
  c.rank = static_cast<int>(g.rank);
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
int end_large(incoming& c) noexcept {
  if (c.large_size == 0 || c.large_read < c.large_size) return 0;
  std::byte* const bytes = std::exchange(c.large, nullptr);
  std::uint64_t const size = c.large_size;
  c.large_size = c.large_room = c.large_read = 0;
  all().facts.events->arrived_large(c.rank, c.header, bytes, size);
  return 1;
}

/// Takes apart what has been read. How many messages that were; -1: the connection is to be dropped.
int parse(incoming& c) noexcept {
  int taken = 0;
  for (;;) {
    const std::byte* const at = c.unread.data() + c.begin;
    std::size_t const there = c.end - c.begin;
    if (c.large_size != 0) {
      std::uint64_t const part = std::min<std::uint64_t>(there, c.large_room - c.large_read);
      memcpy(c.large + c.large_read, at, part);
      c.large_read += part;
      c.begin += part;
      taken += end_large(c);
      if (c.large_size == 0) continue;
      if (!make_room(c)) return -1;
      if (c.begin == c.end) return taken;
      continue;
    }
    if (c.rank < 0) {
      if (there < sizeof(greeting)) return taken;
      greeting g;
      memcpy(&g, at, sizeof g);
      if (!greet(c, g)) return -1;
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
    all().facts.events->arrived(c.rank, f.header, at + sizeof f, f.size);
    ++taken;
  }
}

/// Reads what there is. How many messages that were.
int receive(incoming& c) noexcept {
  int taken = 0;
  for (int reads = 0; reads < 4; ++reads) {  // then it is another's turn
    ssize_t n;
    if (c.large_size != 0 && c.begin == c.end) {  // straight into place
      n = recv(c.fd, c.large + c.large_read, c.large_room - c.large_read, 0);
      if (n > 0) {
        c.large_read += static_cast<std::uint64_t>(n);
        taken += end_large(c);
        if (c.large_size != 0 && !make_room(c)) return drop(c, "there is no memory for a message from it"), taken;
        continue;
      }
    } else {
      if (c.begin != 0) {
        memmove(c.unread.data(), c.unread.data() + c.begin, c.end - c.begin);
        c.end -= c.begin;
        c.begin = 0;
      }
      if (c.unread.size() < read_at_once) c.unread.resize(read_at_once);
      n = recv(c.fd, c.unread.data() + c.end, c.unread.size() - c.end, 0);
      if (n > 0) {
        c.end += static_cast<std::size_t>(n);
        int const parsed = parse(c);
        if (parsed < 0) return drop(c, "what it sends makes no sense, or there is no memory for it"), taken;
        taken += parsed;
        continue;
      }
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return taken;
    return drop(c, n == 0 || errno == ECONNRESET ? "it has ended" : strerror(errno)), taken;
  }
  return taken;
}

void accept_all(endpoint& listener) noexcept {
  for (;;) {
    int const fd = accept4(listener.fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) return;
    ucred peer{};
    socklen_t size = sizeof peer;
    bool const local = &listener == &all().local_listener;
    if (local && (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != geteuid())) {
      ::close(fd);
      continue;
    }
    auto c = std::make_unique<incoming>();
    c->what = endpoint::kind::incoming;
    c->fd = fd;
    watch(*c, EPOLLIN, EPOLL_CTL_ADD);
    all().from.push_back(std::move(c));
  }
}

int poll() noexcept {
  sockets& s = all();
  constexpr int most = 32;
  epoll_event events[most];
  int const n = epoll_wait(s.epoll, events, most, 0);
  int taken = 0;
  for (int i = 0; i < n; ++i) {
    auto* const e = static_cast<endpoint*>(events[i].data.ptr);
    switch (e->what) {
      case endpoint::kind::listener:
        accept_all(*e);
        ++taken;
        break;
      case endpoint::kind::incoming:
        taken += receive(static_cast<incoming&>(*e));
        break;
      case endpoint::kind::outgoing: {
        auto& o = static_cast<outgoing&>(*e);
        if ((events[i].events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP)) != 0) {
          lose(o, "it has ended");
        } else {
          flush(o);
          ++taken;
        }
        break;
      }
    }
  }
  return taken;
}

bool arm() noexcept { return true; }  // the epoll is readable as long as there is something
int fd() noexcept { return all().epoll; }
std::size_t backlog(int rank) noexcept { return all().to[rank].queued; }
bool needs_polls() noexcept { return false; }  // the epoll tells when there is room
bool is_flushed() noexcept { return all().queued == 0; }

/// What comes from there is left to its end.
void forget(int rank) noexcept { lose(all().to[rank], nullptr); }

void close_all() noexcept {
  sockets& s = all();
  for (outgoing& o : s.to)
    if (o.fd >= 0) ::close(std::exchange(o.fd, -1));
  for (const auto& c : s.from) ::close(c->fd);
  for (endpoint* e : {&s.local_listener, &s.tcp_listener})
    if (e->fd >= 0) ::close(std::exchange(e->fd, -1));
}

}  // namespace

const engine sockets_engine{"sockets", open,        know,       send,      send_large, poll,    arm,   fd,
                            backlog,   needs_polls, is_flushed, close_all, 0,          nullptr, forget};

}  // namespace amity::net
