#include "amity/net/internal/loans.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>

#include "amity/base/config.hpp"
#include "amity/sys/arena.hpp"

namespace amity::net {
namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

/// Before the bytes of each block.
struct alignas(base::cache_line) block {
  std::atomic<std::uint32_t> is_lent;  ///< 1: it is a borrower's, who makes it 0
};

/// Slots of bytes_for_loans bytes, one behind the other: the own one, then the neighbours'. They stay mapped as long as
/// the process lives, since what was borrowed may be given back at any time.
struct all_loans {
  std::atomic<std::byte*> slots{nullptr};  ///< null: there are none
  std::size_t count = 0;
  sys::arena room{0, bytes_for_loans};
  sys::spin_lock lock;              ///< of the next one, and of the opening
  std::deque<std::ptrdiff_t> lent;  ///< the oldest first
};
all_loans& all() noexcept {
  static auto* const one = new all_loans;
  return *one;
}
/// The child of a fork has the same memory as its parent, and must take none of it.
std::atomic<bool> is_child{false};

block* block_at(std::byte* slot, std::ptrdiff_t offset) noexcept { return reinterpret_cast<block*>(slot + offset); }

/// What borrowers have given back since, of the oldest loans: as far as `most` are found that are still lent.
void collect(all_loans& a, std::byte* own, std::size_t most) noexcept {
  std::lock_guard const held(a.lock);
  auto still = a.lent.begin(), next = still;
  for (; next != a.lent.end() && static_cast<std::size_t>(still - a.lent.begin()) < most; ++next) {
    if (block_at(own, *next)->is_lent.load(memory_order_acquire) == 0)  // pairs with give_lendable
      a.room.release(*next);
    else
      *still++ = *next;
  }
  a.lent.erase(still, next);
}

bool map_into(std::byte* slot, int fd, std::size_t offset) noexcept {
  return mmap(slot, bytes_for_loans, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd,
              static_cast<off_t>(offset)) != MAP_FAILED;
}

}  // namespace

bool open_loans(int fd, std::size_t offset, std::size_t neighbours) noexcept {
  all_loans& a = all();
  std::lock_guard const held(a.lock);  // two instances of a process may open them at once
  if (a.slots.load(memory_order_relaxed) != nullptr) return false;
  std::size_t const bytes = (neighbours + 1) * bytes_for_loans;
  void* const room = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return false;
  if (!map_into(static_cast<std::byte*>(room), fd, offset)) {
    munmap(room, bytes);
    return false;
  }
  pthread_atfork(nullptr, nullptr, [] { is_child.store(true, memory_order_relaxed); });
  a.count = neighbours + 1;
  a.slots.store(static_cast<std::byte*>(room), memory_order_release);  // pairs with take_lendable, give_lendable
  return true;
}

bool map_loans_of(std::size_t neighbour, int fd, std::size_t offset) noexcept {
  std::byte* const slots = all().slots.load(memory_order_relaxed);  // under the engine's lock, as open_loans
  return slots != nullptr && map_into(slots + (neighbour + 1) * bytes_for_loans, fd, offset);
}

std::byte* take_lendable(std::size_t size) noexcept {
  if (size < least_lent || size > bytes_for_loans / 2 || is_child.load(memory_order_relaxed)) return nullptr;
  all_loans& a = all();
  std::byte* const own = a.slots.load(memory_order_acquire);  // pairs with open_loans
  if (own == nullptr) return nullptr;
  // Few looks as a rule: where thousands are lent, each new one would cost thousands.
  constexpr std::size_t few = 4;
  collect(a, own, few);
  std::ptrdiff_t offset = a.room.allocate(sizeof(block) + size);
  if (offset < 0) {
    collect(a, own, ~std::size_t{0});
    offset = a.room.allocate(sizeof(block) + size);
  }
  if (offset < 0) return nullptr;
  block_at(own, offset)->is_lent.store(0, memory_order_relaxed);
  return own + offset + sizeof(block);
}

bool give_lendable(std::byte* memory) noexcept {
  all_loans& a = all();
  std::byte* const slots = a.slots.load(memory_order_acquire);  // pairs with open_loans
  if (slots == nullptr || memory < slots || memory >= slots + a.count * bytes_for_loans) return false;
  if (is_child.load(memory_order_relaxed)) return true;
  std::ptrdiff_t const offset = memory - slots - static_cast<std::ptrdiff_t>(sizeof(block));
  if (offset < static_cast<std::ptrdiff_t>(bytes_for_loans))
    a.room.release(offset);
  else
    block_at(slots, offset)->is_lent.store(0, memory_order_release);  // what was read of it; pairs with collect
  return true;
}

bool lend(std::byte* memory, std::size_t size, loan& l) noexcept {
  all_loans& a = all();
  std::byte* const own = a.slots.load(memory_order_relaxed);
  if (own == nullptr || memory < own || memory >= own + bytes_for_loans) return false;
  std::ptrdiff_t const offset = memory - own - static_cast<std::ptrdiff_t>(sizeof(block));
  block_at(own, offset)->is_lent.store(1, memory_order_relaxed);  // before the message that tells of it
  std::lock_guard const held(a.lock);
  a.lent.push_back(offset);
  l = {static_cast<std::uint64_t>(memory - own), size};
  return true;
}

void take_back(std::byte* memory) noexcept {
  all_loans& a = all();
  std::ptrdiff_t const offset =
      memory - a.slots.load(memory_order_relaxed) - static_cast<std::ptrdiff_t>(sizeof(block));
  std::lock_guard const held(a.lock);
  a.lent.erase(std::find(a.lent.begin(), a.lent.end(), offset));
}

std::byte* borrow(std::size_t neighbour, const loan& l) noexcept {
  if (l.offset < sizeof(block) || l.offset > bytes_for_loans || l.size > bytes_for_loans - l.offset) return nullptr;
  return all().slots.load(memory_order_relaxed) + (neighbour + 1) * bytes_for_loans + l.offset;
}

}  // namespace amity::net
