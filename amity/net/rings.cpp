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

#include "amity/base/hex.hpp"
#include "amity/launch/host.hpp"
#include "amity/net/code.hpp"
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

}  // namespace

class rings : public engine_instance {
 public:
  explicit rings(const engine_facts& facts) noexcept : facts_(facts) {}
  rings(const rings&) = delete;
  rings& operator=(const rings&) = delete;

  ~rings() {
    for (neighbour& n : neighbours_) {
      if (n.its_front != nullptr) munmap(n.its_front, front_bytes);
      if (n.its_ring != nullptr) munmap(n.its_ring, sizeof(ring));
    }
    if (memory_ != nullptr) munmap(memory_, bytes_);
    if (fd_ >= 0) ::close(fd_);
  }

  /// The place; empty: the system refuses it.
  std::string open() {
    fd_ = memfd_create("amity-rings", MFD_CLOEXEC);
    bytes_ = offset_of_loans(facts_.size);
    if (fd_ < 0 || ftruncate(fd_, static_cast<off_t>(bytes_ + bytes_for_loans)) != 0) return {};
    memory_ = static_cast<std::byte*>(map(fd_, 0, bytes_));
    if (memory_ == nullptr) return {};
    own_ = reinterpret_cast<front*>(memory_);
    if (getrandom(own_->mark, sizeof own_->mark, 0) != sizeof own_->mark) return {};
    return launching::process_host() + "," + std::to_string(getpid()) + "," + std::to_string(fd_) + "," +
           hex(own_->mark, sizeof own_->mark);
  }

  /// False: there is none to which a ring leads.
  bool begin(const open_engine& next, const std::vector<std::string>& of_ranks) {
    next_ = next;
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
    if (near.empty() || near.size() >= most_near) return false;
    neighbours_ = std::move(near);
    has_loans_ = open_loans(fd_, bytes_, neighbours_.size());
    of_rank_.assign(static_cast<std::size_t>(facts_.size), nullptr);
    for (neighbour& n : neighbours_) of_rank_[static_cast<std::size_t>(n.rank)] = &n;
    return true;
  }

  [[nodiscard]] const open_engine& next() const noexcept { return next_; }
  [[nodiscard]] const engine_facts& facts() const noexcept { return facts_; }

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
    if (!has_loans_ || n == nullptr || !n->there.has_value() ||
        n->here_memory->writer_can_borrow.load(memory_order_acquire) == 0 || !lend(bytes, size, l))
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
    return taken + next_.poll();
  }

  /// A poll does not take it back: while one thread sleeps, another may poll, and then turn to something else. So the
  /// first message after a sleep that something else has ended rings in vain.
  [[nodiscard]] bool arm() noexcept {
    if (next_.fd() < 0) return next_.arm();       // nobody can be woken up; who naps looks here as well
    own_->sleeps.store(1, memory_order_seq_cst);  // before the looks; pairs with send (U3)
    bool empty = true;
    for (const neighbour& n : neighbours_) empty = empty && (!n.here.has_value() || n.here->is_empty());
    if (empty && next_.arm()) return true;
    own_->sleeps.store(0, memory_order_relaxed);
    return false;
  }

  /// What a process had written before it ended lies there.
  [[nodiscard]] bool has_handed_on(int rank) noexcept {
    if (neighbour* const n = of_rank_[static_cast<std::size_t>(rank)])
      while (take_from(*n) > 0) continue;
    return next_.has_handed_on(rank);
  }

  void forget(int rank) noexcept {
    if (neighbour* const n = of_rank_[static_cast<std::size_t>(rank)]) {
      n->is_tried = true;
      n->there.reset();
      n->here.reset();
    }
    next_.forget(rank);
  }

  engine table{};  ///< of this instance: some of it is the next engine's

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
      if (has_loans_ && map_loans_of(n.number, fd, offset_of_loans(facts_.size)))
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
    next_.send(n.rank, message_header{code_of_ring_, 0}, nullptr, 0);
  }

  int take_from(neighbour& n) noexcept {
    if (!n.here.has_value()) return 0;
    constexpr int at_once = 32;
    bool makes_sense = true;
    int const taken = n.here->take(
        at_once, [&](const message_header& h, const std::byte* bytes, std::size_t size, std::uint64_t kind) {
          if (kind == 0)
            facts_.events->arrived(facts_.owner, n.rank, h, bytes, size);
          else
            makes_sense = take_lent(n, h, bytes, size) && makes_sense;
        });
    if (taken >= 0 && makes_sense) return taken;
    n.here.reset();
    facts_.events->lost(facts_.owner, n.rank, "what it has written into the memory that both share is no message");
    return 0;
  }

  [[nodiscard]] bool take_lent(const neighbour& n, const message_header& h, const std::byte* bytes,
                               std::size_t size) noexcept {
    loan l;
    if (size != sizeof l) return false;
    memcpy(&l, bytes, sizeof l);
    std::byte* const lent = borrow(n.number, l);
    if (lent != nullptr) facts_.events->arrived_large(facts_.owner, n.rank, h, lent, l.size);
    return lent != nullptr;
  }

  engine_facts facts_{};
  open_engine next_;
  std::uint64_t code_of_ring_ = code_of<on_ring>() | control_bit;

  int fd_ = -1;
  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
  front* own_ = nullptr;
  bool has_loans_ = false;  ///< it may lend and borrow (Y5)
  int without_next_ = 0;
  std::vector<neighbour> neighbours_;
  std::vector<neighbour*> of_rank_;  ///< null: it is none
};

namespace {

/// Memory for messages, to a process that can't borrow it, or by more than there is to lend.
void send_by_next(rings& r, int to, const message_header& h, std::byte* bytes, std::size_t size) noexcept {
  const open_engine& next = r.next();
  if (size >= next.table->least_large) return next.send_large(to, h, bytes, size);
  next.send(to, h, bytes, size);
  r.facts().events->give_buffer(bytes);
}

const char* know(rings&, int, const char*) noexcept { return nullptr; }  // begin() has told it
void send_small(rings& r, int to, const message_header& h, const std::byte* bytes, std::size_t size) noexcept {
  if (!r.send(to, h, bytes, size)) r.next().send(to, h, bytes, size);
}
void send_large(rings& r, int to, const message_header& h, std::byte* bytes, std::size_t size) noexcept {
  if (!r.send_lent(to, h, bytes, size)) send_by_next(r, to, h, bytes, size);
}
int poll(rings& r) noexcept { return r.poll(); }
bool arm(rings& r) noexcept { return r.arm(); }
int fd(rings& r) noexcept { return r.next().fd(); }
std::size_t backlog(rings& r, int rank) noexcept { return r.next().backlog(rank); }
bool needs_polls(rings& r) noexcept { return r.next().needs_polls(); }
bool is_flushed(rings& r) noexcept { return r.next().is_flushed(); }
void forget(rings& r, int rank) noexcept { r.forget(rank); }
bool has_handed_on(rings& r, int rank) noexcept { return r.has_handed_on(rank); }
void close_all(rings& r) noexcept {
  r.next().close();
  delete &r;
}

}  // namespace

rings* open_rings(const engine_facts& facts, std::string& place) {
  if (const char* const said = getenv("AMITY_NET_RINGS"); said != nullptr && strcmp(said, "off") == 0) return nullptr;
  auto r = std::make_unique<rings>(facts);
  place = r->open();
  return place.empty() ? nullptr : r.release();
}

open_engine put_rings_before(const open_engine& next, rings* r, const std::vector<std::string>& of_ranks) {
  if (r == nullptr) return next;
  if (!r->begin(next, of_ranks)) {
    delete r;
    return next;
  }
  r->table = {
      .name = next.table->name,
      .open = [](const engine_facts&, char* text,
                 std::size_t size) noexcept { return not_opened("the next one is open", text, size); },
      .know = with_own<know>,
      .send = with_own<send_small>,
      .send_large = with_own<send_large>,
      .poll = with_own<poll>,
      .arm = with_own<arm>,
      .fd = with_own<fd>,
      .backlog = with_own<backlog>,
      .needs_polls = with_own<needs_polls>,
      .is_flushed = with_own<is_flushed>,
      .close = with_own<close_all>,
      .longest_nap_us = next.table->longest_nap_us,
      .collectives = next.table->collectives,
      // Without it an engine can't go on after a loss, and then nobody can.
      .forget = next.table->forget != nullptr ? with_own<forget> : nullptr,
      .loss_hazard = next.table->loss_hazard,
      .has_handed_on = with_own<has_handed_on>,
      .least_large = ring::most_bytes + 1,  // what has no place in a ring is lent
  };
  return {&r->table, r};
}

}  // namespace amity::net
