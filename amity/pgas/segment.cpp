#include "amity/pgas/segment.hpp"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "amity/base/config.hpp"
#include "amity/base/report.hpp"
#include "amity/launch/host.hpp"
#include "amity/net/job.hpp"
#include "amity/pgas/remote_call.hpp"
#include "amity/sync/mutex.hpp"
#include "amity/sys/arena.hpp"

namespace amity::pgas::detail {
namespace {

constexpr std::size_t default_size = std::size_t{256} << 20;

/// "64M", "2G", "100000": bytes.
std::size_t wanted_size() noexcept {
  const char* const text = getenv("AMITY_SEGMENT");
  if (text == nullptr || *text == '\0') return default_size;
  char* end = nullptr;
  errno = 0;
  unsigned long long const number = strtoull(text, &end, 10);
  unsigned shift = 0;
  if (*end == 'k' || *end == 'K')
    shift = 10, ++end;
  else if (*end == 'm' || *end == 'M')
    shift = 20, ++end;
  else if (*end == 'g' || *end == 'G')
    shift = 30, ++end;
  constexpr unsigned long long most = 1ULL << 46;
  if (errno == 0 && end != text && *end == '\0' && number > 0 && number <= most >> shift)
    return static_cast<std::size_t>(number) << shift;
  base::warn("AMITY_SEGMENT='%s' is not a size from 1 to 64T, like 64M or 2G; 256M are used", base::quoted(text).text);
  return default_size;
}

/// Far from stacks and heaps, which lie at the same addresses in all processes that are loaded alike: an address of a
/// segment that travels in a closure must not look like one of the receiver's or the sender's own stack. A hint;
/// ThreadSanitizer heeds only those from 0x7e80'0000'0000 on, where stacks and libraries lie at the end.
void* wanted_address(std::size_t size) noexcept {
  constexpr std::uintptr_t first = base::thread_sanitizer ? 0x7e80'0000'0000 : std::uintptr_t{1} << 45;
  constexpr std::uintptr_t end = base::thread_sanitizer ? 0x7f80'0000'0000 : std::uintptr_t{3} << 45;
  constexpr std::uintptr_t apart = std::uintptr_t{1} << 30;
  std::uintptr_t const each = (size + apart - 1) / apart * apart;
  std::uintptr_t const at = first + static_cast<std::uintptr_t>(net::job().rank) * each;
  return at + each <= end ? reinterpret_cast<void*>(at) : nullptr;
}

/// The memory: the program's part, and behind it that for messages.
class segment {
 public:
  segment() noexcept : size_(in_pages(wanted_size())), users_(0, size_), staging_(size_, for_staging) {
    fd_ = memfd_create("amity-segment", MFD_CLOEXEC);
    if (fd_ < 0 || ftruncate(fd_, static_cast<off_t>(whole_size())) != 0)
      base::fatal("the system refuses %zu bytes for the memory that is shared between processes (AMITY_SEGMENT): %s",
                  size_, strerror(errno));
    void* const memory =
        mmap(wanted_address(whole_size()), whole_size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_, 0);
    if (memory == MAP_FAILED)
      base::fatal(
          "the system refuses to map %zu bytes for the memory that is shared between processes (AMITY_SEGMENT): %s",
          size_, strerror(errno));
    base_ = static_cast<std::byte*>(memory);
  }

  void* allocate(std::size_t bytes) noexcept { return at(users_.allocate(bytes)); }
  bool release(void* address) noexcept { return users_.release(static_cast<std::byte*>(address) - base_); }
  void* allocate_staging(std::size_t bytes) noexcept { return at(staging_.allocate(bytes)); }
  void release_staging(void* address) noexcept { staging_.release(static_cast<std::byte*>(address) - base_); }

  [[nodiscard]] bool has(const void* address, std::size_t bytes) const noexcept {
    auto const at = static_cast<const std::byte*>(address);
    return at >= base_ && at <= base_ + size_ && bytes <= static_cast<std::size_t>(base_ + size_ - at);
  }
  [[nodiscard]] segment_use use() noexcept { return {size_, users_.used()}; }
  [[nodiscard]] std::byte* base() const noexcept { return base_; }
  [[nodiscard]] std::size_t whole_size() const noexcept { return size_ + for_staging; }
  [[nodiscard]] int fd() const noexcept { return fd_; }

 private:
  static std::size_t in_pages(std::size_t bytes) noexcept {
    std::size_t const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return (bytes + page - 1) / page * page;
  }
  [[nodiscard]] void* at(std::ptrdiff_t offset) const noexcept { return offset < 0 ? nullptr : base_ + offset; }

  static constexpr std::size_t for_staging = std::size_t{64} << 20;

  std::size_t size_;
  sys::arena users_, staging_;
  std::byte* base_ = nullptr;
  int fd_ = -1;
};

segment& own() noexcept {
  static auto* const one = new segment;  // lasts: tasks of others may come while the process ends
  return *one;
}

// --- those of others

/// What a process says of its segment.
struct segment_facts {
  std::uint64_t base = 0, size = 0;
  int process = 0, fd = -1;
  std::string node;  ///< equal for processes that can open one another's descriptors
};

std::tuple<std::uint64_t, std::uint64_t, int, int, std::string> say_facts() {
  const segment& s = own();
  return {reinterpret_cast<std::uint64_t>(s.base()), s.whole_size(), static_cast<int>(getpid()), s.fd(),
          launching::process_host()};
}

struct peer {
  std::atomic<bool> is_known{false};
  std::uint64_t base = 0, size = 0;
  std::byte* mapped = nullptr;  ///< null: its memory is out of reach
};

std::vector<peer>& peers() noexcept {
  static auto* const all = new std::vector<peer>(static_cast<std::size_t>(net::job().size));
  return *all;
}

void map_peer(peer& p, const segment_facts& f) noexcept {
  p.base = f.base;
  p.size = f.size;
  if (f.node != launching::process_host() || getenv("AMITY_TEST_FAR_MEMORY") != nullptr) return;
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", f.process, f.fd);
  int const fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void* const memory = mmap(nullptr, p.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  close(fd);
  if (memory != MAP_FAILED) p.mapped = static_cast<std::byte*>(memory);
}

void learn(int rank, peer& p) noexcept {
  static auto* const learning = new sync::mutex;
  std::lock_guard const held(*learning);
  if (p.is_known.load(std::memory_order_relaxed)) return;
  auto const [base, size, process, fd, node] = own_rpc(rank, say_facts).get();
  map_peer(p, {base, size, process, fd, node});
  p.is_known.store(true, std::memory_order_release);  // pairs with reach
}

}  // namespace

void* allocate_here(std::size_t bytes) noexcept { return own().allocate(bytes); }
bool free_here(void* address) noexcept { return own().release(address); }
bool is_in_segment(const void* address, std::size_t bytes) noexcept { return own().has(address, bytes); }
void* allocate_staging(std::size_t bytes) noexcept { return own().allocate_staging(bytes); }
void free_staging(void* address) noexcept { own().release_staging(address); }
segment_use use_of_segment() noexcept { return own().use(); }

namespace {
const peer& known_peer(int rank) noexcept {
  peer& p = peers()[static_cast<std::size_t>(rank)];
  if (!p.is_known.load(std::memory_order_acquire)) learn(rank, p);  // pairs with learn
  return p;
}
}  // namespace

bool is_in_reach(int rank) noexcept { return rank == net::job().rank || known_peer(rank).mapped != nullptr; }

void* reach(int rank, const void* address, std::size_t bytes) noexcept {
  if (rank == net::job().rank) return const_cast<void*>(address);
  const peer& p = known_peer(rank);
  if (p.mapped == nullptr) return nullptr;
  std::uint64_t const offset = reinterpret_cast<std::uint64_t>(address) - p.base;
  return offset <= p.size && bytes <= p.size - offset ? p.mapped + offset : nullptr;
}

std::string words_for_full_segment(int rank, std::size_t bytes, const segment_use& use) {
  return "no room for " + std::to_string(bytes) + " bytes in the shared memory of rank " + std::to_string(rank) + ": " +
         std::to_string(use.used) + " of its " + std::to_string(use.size) +
         " bytes are in use; AMITY_SEGMENT makes it larger";
}

}  // namespace amity::pgas::detail
