/// An engine before another one: what is small and goes to a process of the same node is written into a ring in that
/// one's memory; all else is the next engine's, and so is waking up who sleeps. README-memory.md, U1 to U5.

#include "amity/net/internal/rings.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "amity/launch/host.hpp"
#include "amity/net/buffers.hpp"
#include "amity/net/code.hpp"
#include "amity/net/internal/hex.hpp"
#include "amity/net/internal/loans.hpp"
#include "amity/net/internal/ring.hpp"
#include "amity/net/messages.hpp"

namespace amity::net {
namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

/// Each poll looks at all of them.
constexpr std::size_t most_near = 16;

/// At the front of a process's memory. Behind it is a ring for each rank of the job, of which those of others' nodes
/// are never touched, and behind those what the process lends.
struct front {
  unsigned char mark[16];  ///< random: whose it is
  /// 1: the process sleeps until an event of the next engine. A sender that sees it makes it 0 and rings.
  alignas(base::cache_line) std::atomic<std::uint32_t> sleeps;
};
constexpr std::size_t front_bytes = 64 * 1024;  // on the boundaries of any pages
static_assert(sizeof(front) <= front_bytes);

/// Where a rank's memory is.
struct place {
  std::string host;
  int process = 0, fd = -1;
  std::string mark;
};

/// "HOST,PROCESS,FD,MARK"
std::optional<place> read_place(const std::string& text) {
  std::size_t const host = text.find(','), process = text.find(',', host + 1), fd = text.find(',', process + 1);
  if (host == std::string::npos || process == std::string::npos || fd == std::string::npos) return {};
  return place{text.substr(0, host), atoi(text.c_str() + host + 1), atoi(text.c_str() + process + 1),
               text.substr(fd + 1)};
}

void* map(int fd, std::size_t from, std::size_t bytes) noexcept {
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, static_cast<off_t>(from));
  return memory == MAP_FAILED ? nullptr : memory;
}
std::size_t offset_of_ring(int rank) noexcept { return front_bytes + static_cast<std::size_t>(rank) * sizeof(ring); }
std::size_t offset_of_loans(int ranks) noexcept { return offset_of_ring(ranks); }

/// A process to which a ring may lead, and back.
struct neighbour {
  int rank = 0;
  std::size_t number = 0;  ///< from 0 on
  place where;
  bool is_tried = false;  ///< it is looked for at the first message
  front* its_front = nullptr;
  ring* its_ring = nullptr;
  std::optional<ring_writer> there;  ///< none: it is out of reach, or lost
  std::optional<ring_reader> here;
  ring* here_memory = nullptr;
};

void on_ring(arrival&) noexcept {}  // it has woken this process up, and that was all

class rings {
 public:
  std::string open(const engine_facts& facts) {
    facts_ = facts;
    if (const char* const said = getenv("AMITY_NET_RINGS"); said != nullptr && strcmp(said, "off") == 0) return {};
    fd_ = memfd_create("amity-rings", MFD_CLOEXEC);
    bytes_ = offset_of_loans(facts.size);
    if (fd_ < 0 || ftruncate(fd_, static_cast<off_t>(bytes_ + bytes_for_loans)) != 0) return {};
    memory_ = static_cast<std::byte*>(map(fd_, 0, bytes_));
    if (memory_ == nullptr) return {};
    own_ = reinterpret_cast<front*>(memory_);
    if (getrandom(own_->mark, sizeof own_->mark, 0) != sizeof own_->mark) return {};
    return launching::process_host() + "," + std::to_string(getpid()) + "," + std::to_string(fd_) + "," +
           hex(own_->mark, sizeof own_->mark);
  }

  bool begin(const engine& next, const std::vector<std::string>& of_ranks) {
    next_ = &next;
    std::string const host = launching::process_host();
    std::vector<neighbour> near;
    for (int r = 0; r < facts_.size && own_ != nullptr; ++r) {
      std::optional<place> where = read_place(of_ranks[static_cast<std::size_t>(r)]);
      if (r == facts_.rank || !where.has_value() || where->host != host) continue;
      neighbour n;
      n.rank = r;
      n.number = near.size();
      n.where = std::move(*where);
      n.here_memory = reinterpret_cast<ring*>(memory_ + offset_of_ring(r));
      n.here.emplace(*n.here_memory);
      near.push_back(std::move(n));
    }
    if (near.empty() || near.size() >= most_near) {
      close();
      return false;
    }
    neighbours_ = std::move(near);
    can_borrow_ = open_loans(fd_, bytes_, neighbours_.size());
    of_rank_.assign(static_cast<std::size_t>(facts_.size), nullptr);
    for (neighbour& n : neighbours_) of_rank_[static_cast<std::size_t>(n.rank)] = &n;
    return true;
  }

  [[nodiscard]] const engine& next() const noexcept { return *next_; }

  /// False: it is the next engine's.
  [[nodiscard]] bool send(int to, const message_header& h, const std::byte* bytes, std::size_t size) noexcept {
    neighbour* const n = of_rank_[static_cast<std::size_t>(to)];
    if (n == nullptr || size > ring::most_bytes) return false;
    if (!n->is_tried) [[unlikely]]
      reach(*n);
    if (!n->there.has_value() || !n->there->put(h, bytes, size)) return false;
    wake_if_asleep(*n);
    return true;
  }

  /// Memory of take_lendable, to a process that can borrow. False: it is the next engine's.
  [[nodiscard]] bool send_lent(int to, const message_header& h, std::byte* bytes, std::size_t size) noexcept {
    neighbour* const n = of_rank_[static_cast<std::size_t>(to)];
    loan l;
    // Acquire: pairs with reach, there.
    if (n == nullptr || !n->there.has_value() || n->here_memory->writer_can_borrow.load(memory_order_acquire) == 0 ||
        !lend(bytes, size, l))
      return false;
    if (!n->there->put(h, reinterpret_cast<const std::byte*>(&l), sizeof l, ring::tells_of_loan)) {
      take_back(bytes);
      return false;
    }
    wake_if_asleep(*n);
    return true;
  }

  int poll() noexcept {
    int taken = 0;
    for (neighbour& n : neighbours_) taken += take_from(n);
    // The next engine's poll may cost more than all of this. It is not for long that rings keep it from its turn.
    constexpr int most_without_next = 8;
    if (taken != 0 && ++without_next_ < most_without_next) return taken;
    without_next_ = 0;
    return taken + next_->poll();
  }

  /// A poll does not take it back: while one thread sleeps, another may poll, and then turn to something else. So the
  /// first message after a sleep that something else has ended rings in vain.
  [[nodiscard]] bool arm() noexcept {
    if (next_->fd() < 0) return next_->arm();     // nobody can be woken up; who naps looks here as well
    own_->sleeps.store(1, memory_order_seq_cst);  // before the looks; pairs with send (U3)
    bool empty = true;
    for (const neighbour& n : neighbours_) empty = empty && (!n.here.has_value() || n.here->is_empty());
    if (empty && next_->arm()) return true;
    own_->sleeps.store(0, memory_order_relaxed);
    return false;
  }

  /// What a process had written before it ended lies there.
  [[nodiscard]] bool has_handed_on(int rank) noexcept {
    if (neighbour* const n = of_rank_[static_cast<std::size_t>(rank)])
      while (take_from(*n) > 0) continue;
    return next_->has_handed_on == nullptr || next_->has_handed_on(rank);
  }

  void forget(int rank) noexcept {
    if (neighbour* const n = of_rank_[static_cast<std::size_t>(rank)]) {
      n->is_tried = true;
      n->there.reset();
      n->here.reset();
    }
    if (next_->forget != nullptr) next_->forget(rank);
  }

  void close() noexcept {
    for (neighbour& n : neighbours_) {
      if (n.its_front != nullptr) munmap(n.its_front, front_bytes);
      if (n.its_ring != nullptr) munmap(n.its_ring, sizeof(ring));
    }
    neighbours_.clear();
    of_rank_.clear();
    if (memory_ != nullptr) munmap(std::exchange(memory_, nullptr), bytes_);
    own_ = nullptr;
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  /// By /proc, once. Where that is not allowed, or the process is gone, the next engine carries all.
  void reach(neighbour& n) noexcept {
    n.is_tried = true;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", n.where.process, n.where.fd);
    int const fd = ::open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return;
    struct stat s {};
    if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || static_cast<std::size_t>(s.st_size) < bytes_ + bytes_for_loans) {
      ::close(fd);
      return;
    }
    auto* const its = static_cast<front*>(map(fd, 0, front_bytes));
    void* const mine = map(fd, offset_of_ring(facts_.rank), sizeof(ring));
    n.its_front = its;
    n.its_ring = static_cast<ring*>(mine);
    if (its != nullptr && mine != nullptr && hex(its->mark, sizeof its->mark) == n.where.mark) {
      n.there.emplace(*n.its_ring);
      if (can_borrow_ && map_loans_of(n.number, fd, offset_of_loans(facts_.size)))
        n.its_ring->writer_can_borrow.store(1, memory_order_release);  // pairs with send_lent, there
    }
    ::close(fd);
  }

  void wake_if_asleep(neighbour& n) noexcept {
    // After the message; before the look. Pairs with arm (U3).
    std::atomic_thread_fence(memory_order_seq_cst);
    if (n.its_front->sleeps.load(memory_order_relaxed) != 0) wake(n);
  }

  void wake(neighbour& n) noexcept {
    if (n.its_front->sleeps.exchange(0, memory_order_relaxed) == 0) return;  // another has
    next_->send(n.rank, message_header{code_of_ring_, 0}, nullptr, 0);
  }

  int take_from(neighbour& n) noexcept {
    if (!n.here.has_value()) return 0;
    constexpr int at_once = 32;
    bool makes_sense = true;
    int const taken = n.here->take(
        at_once, [&](const message_header& h, const std::byte* bytes, std::size_t size, std::uint64_t kind) {
          if (kind == 0)
            facts_.events->arrived(n.rank, h, bytes, size);
          else
            makes_sense = take_lent(n, h, bytes, size) && makes_sense;
        });
    if (taken >= 0 && makes_sense) return taken;
    n.here.reset();
    facts_.events->lost(n.rank, "what it has written into the memory that both share is no message");
    return 0;
  }

  [[nodiscard]] bool take_lent(const neighbour& n, const message_header& h, const std::byte* bytes,
                               std::size_t size) noexcept {
    loan l;
    if (size != sizeof l) return false;
    memcpy(&l, bytes, sizeof l);
    std::byte* const lent = borrow(n.number, l);
    if (lent != nullptr) facts_.events->arrived_large(n.rank, h, lent, l.size);
    return lent != nullptr;
  }

  engine_facts facts_{};
  const engine* next_ = nullptr;
  std::uint64_t code_of_ring_ = code_of<on_ring>() | control_bit;

  int fd_ = -1;
  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
  front* own_ = nullptr;
  bool can_borrow_ = false;
  int without_next_ = 0;
  std::vector<neighbour> neighbours_;
  std::vector<neighbour*> of_rank_;  ///< null: it is none
};

/// The job's. An engine is a table of functions without an object.
rings& all() noexcept {
  static auto* const one = new rings;
  return *one;
}

/// Memory for messages, to a process that can't borrow it, or by more than there is to lend.
void send_by_next(int to, const message_header& h, std::byte* bytes, std::size_t size) noexcept {
  const engine& next = all().next();
  if (size >= next.least_large) return next.send_large(to, h, bytes, size);
  next.send(to, h, bytes, size);
  give_buffer(bytes);
}

engine before{"",
              [](const engine_facts&, char*, std::size_t*) noexcept -> const char* { return "the next one is open"; },
              [](int, const char*) noexcept -> const char* { return nullptr; },
              [](int to, const message_header& h, const std::byte* bytes, std::size_t size) noexcept {
                if (!all().send(to, h, bytes, size)) all().next().send(to, h, bytes, size);
              },
              [](int to, const message_header& h, std::byte* bytes, std::size_t size) noexcept {
                if (!all().send_lent(to, h, bytes, size)) send_by_next(to, h, bytes, size);
              },
              []() noexcept { return all().poll(); },
              []() noexcept { return all().arm(); },
              []() noexcept { return all().next().fd(); },
              [](int rank) noexcept { return all().next().backlog(rank); },
              []() noexcept { return all().next().needs_polls(); },
              []() noexcept { return all().next().is_flushed(); },
              []() noexcept {
                all().next().close();
                all().close();
              }};

}  // namespace

std::string open_rings(const engine_facts& facts) { return all().open(facts); }

const engine* put_rings_before(const engine& next, const std::vector<std::string>& of_ranks) {
  if (!all().begin(next, of_ranks)) return &next;
  before.name = next.name;
  before.longest_nap_us = next.longest_nap_us;
  before.collectives = next.collectives;
  before.least_large = ring::most_bytes + 1;  // what has no place in a ring is lent
  // Without it an engine can't go on after a loss, and then nobody can.
  if (next.forget != nullptr) before.forget = [](int rank) noexcept { all().forget(rank); };
  before.loss_hazard = next.loss_hazard;
  before.has_handed_on = [](int rank) noexcept { return all().has_handed_on(rank); };
  return &before;
}

}  // namespace amity::net
