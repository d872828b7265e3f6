#include "amity/nodes/heap.hpp"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <bit>
#include <mutex>

#include "amity/base/config.hpp"
#include "amity/base/report.hpp"
#include "amity/sys/spin_lock.hpp"
#include "amity/sys/thread_pointer.hpp"

namespace amity::nodes::heap {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t header_size = 16;
constexpr std::size_t least = 32;          // bytes of a block, with its header
constexpr std::size_t large = 128 * 1024;  // from here on, a block has pages of its own
constexpr std::size_t chunk = 64 * 1024;   // what a stripe takes at a time for small blocks
constexpr int classes = 4 * 44;
constexpr int stripes_count = 16;

/// Right before what the program has; or, if that begins with a page, in a table at the heap's begin: the page before
/// may be one that threads of other processes write to. Where more than 16 bytes of alignment were asked for, the block
/// does not begin where the program's part does.
struct header {
  std::uint32_t of_class;
  std::uint32_t mark;    ///< tells a block of ours from what is none
  std::uint64_t offset;  ///< from the block's begin
};
static_assert(sizeof(header) == header_size);
constexpr std::uint32_t in_use = 0xa317b10c, is_free = 0xa317f4ee;

/// Classes 4k to 4k + 3 have 1, 5/4, 3/2 and 7/4 of 2^k bytes.
constexpr std::size_t bytes_of(int of_class) noexcept {
  std::size_t const power = std::size_t{1} << (of_class / 4);
  return power + power / 4 * static_cast<std::size_t>(of_class % 4);
}
constexpr int class_for(std::size_t bytes) noexcept {
  if (bytes <= least) return 4 * static_cast<int>(std::bit_width(least - 1));
  int const k = static_cast<int>(std::bit_width(bytes - 1)) - 1;  // 2^k < bytes <= 2^(k + 1)
  std::size_t const quarter = std::size_t{1} << (k - 2);
  auto const over = static_cast<int>((bytes - (std::size_t{1} << k) + quarter - 1) / quarter);  // 1 to 4
  return 4 * k + over;
}
static_assert(bytes_of(class_for(100)) >= 100 && bytes_of(class_for(129)) == 160 && bytes_of(class_for(33)) == 48 - 8);

/// A free block, from its begin.
struct free_block {
  std::uint64_t mark;  ///< mostly that of the header, which says that it is free
  free_block* next;
  std::size_t dirty;  ///< of a large one: bytes at its begin that may be other than zero
};

struct alignas(base::cache_line) stripe {
  sys::spin_lock lock;
  free_block* free[classes] = {};
  std::uintptr_t next[classes] = {};  ///< small blocks that were never used
  std::uintptr_t end[classes] = {};
};
stripe stripes[stripes_count];

struct {
  sys::spin_lock lock;
  std::uintptr_t next = 0, end = 0;
} fresh;

// The heap of this process; those of the others are as long, and lie before and behind it.
std::uintptr_t heap_begin = 0;
std::size_t heap_size = 0;

/// Of the block that the program has at `user`, in whichever heap.
header& header_of(std::uintptr_t user) noexcept {
  if (user % page != 0) return reinterpret_cast<header*>(user)[-1];
  auto const from_own = static_cast<std::intptr_t>(user - heap_begin), size = static_cast<std::intptr_t>(heap_size);
  std::intptr_t const in_heap = (from_own % size + size) % size;
  auto* const table = reinterpret_cast<header*>(user - static_cast<std::uintptr_t>(in_heap));
  return table[static_cast<std::size_t>(in_heap) / page];
}
header& header_of(const void* block) noexcept { return header_of(reinterpret_cast<std::uintptr_t>(block)); }

forget_function forget_pages = nullptr;

stripe& stripe_of_thread() noexcept {
  auto const thread = reinterpret_cast<std::uintptr_t>(sys::thread_pointer());
  return stripes[(thread * 0x9E3779B97F4A7C15u) >> 60];
}

constexpr std::size_t round_up(std::size_t n, std::size_t to) noexcept { return (n + to - 1) / to * to; }

/// Memory that was never used, and is zero; 0: there is none.
std::uintptr_t take_fresh(std::size_t bytes) noexcept {
  std::lock_guard const guard(fresh.lock);
  if (fresh.end - fresh.next < bytes) return 0;
  std::uintptr_t const at = fresh.next;
  fresh.next += bytes;
  return at;
}

struct taken_block {
  std::uintptr_t at = 0;
  std::size_t dirty = 0;  ///< bytes at its begin that may be other than zero
};

taken_block take_small(int of_class) noexcept {
  std::size_t const bytes = bytes_of(of_class) & ~std::size_t{15};
  stripe& s = stripe_of_thread();
  std::lock_guard const guard(s.lock);
  if (free_block* const block = s.free[of_class]; block != nullptr) {
    s.free[of_class] = block->next;
    return {reinterpret_cast<std::uintptr_t>(block), bytes};
  }
  if (s.end[of_class] - s.next[of_class] < bytes) {
    std::size_t const size = bytes > chunk / 4 ? round_up(4 * bytes, page) : chunk;
    std::uintptr_t const at = take_fresh(size);
    if (at == 0) return {};
    s.next[of_class] = at;
    s.end[of_class] = at + size;
  }
  std::uintptr_t const at = s.next[of_class];
  s.next[of_class] += bytes;
  return {at, 0};
}

taken_block take_large(int of_class) noexcept {
  stripe& s = stripes[0];
  {
    std::lock_guard const guard(s.lock);
    if (free_block* const block = s.free[of_class]; block != nullptr) {
      s.free[of_class] = block->next;
      return {reinterpret_cast<std::uintptr_t>(block), block->dirty};
    }
  }
  return {take_fresh(round_up(bytes_of(of_class), page)), 0};
}

/// `dirty`: see above, of what is returned.
void* take_block(std::size_t bytes, std::size_t alignment, std::size_t& dirty) noexcept {
  // What has a page or more has pages of its own, and not the end of another block, which other threads write to.
  bool const has_pages = bytes >= page || alignment >= page;
  if (has_pages && alignment < page) alignment = page;
  std::size_t const before = has_pages ? 0 : header_size, least_alignment = has_pages ? page : 16;
  std::size_t const more = before + (alignment > least_alignment ? alignment : 0);
  if (bytes > (std::size_t{1} << 46) || alignment > (std::size_t{1} << 40)) {
    errno = ENOMEM;
    return nullptr;
  }
  int of_class = class_for(bytes + more);
  auto const is_enough = [&](std::size_t has) {  // the least ones are no multiples of 16
    return (has & ~std::size_t{15}) >= bytes + more && (!has_pages || has % page == 0);
  };
  while (!is_enough(bytes_of(of_class))) ++of_class;
  taken_block const got = bytes_of(of_class) < large ? take_small(of_class) : take_large(of_class);
  if (got.at == 0) {
    errno = ENOMEM;
    return nullptr;
  }
  std::uintptr_t const user = round_up(got.at + before, alignment);
  header_of(user) = {static_cast<std::uint32_t>(of_class), in_use, user - got.at};
  std::size_t const skipped = user - got.at;
  dirty = got.dirty > skipped ? got.dirty - skipped : 0;
  return reinterpret_cast<void*>(user);
}

}  // namespace

void begin(std::uintptr_t from, std::uintptr_t to, forget_function forget) noexcept {
  forget_pages = forget;
  heap_begin = from;
  heap_size = to - from;
  fresh.next = from + round_up(heap_size / page * sizeof(header), page);
  fresh.end = to;
}

void* take(std::size_t bytes, std::size_t alignment) noexcept {
  std::size_t dirty;
  return take_block(bytes, alignment < 16 ? 16 : alignment, dirty);
}

void* take_zeroed(std::size_t bytes) noexcept {
  std::size_t dirty = 0;
  void* const block = take_block(bytes, 16, dirty);
  if (block != nullptr) memset(block, 0, dirty < bytes ? dirty : bytes);
  return block;
}

void give_back(void* block) noexcept {
  header& h = header_of(block);
  if (h.mark != in_use)
    base::fatal(
        h.mark == is_free ? "free() of a block that is free already (%p)" : "free() of what malloc() never gave (%p)",
        block);
  h.mark = is_free;
  int const of_class = static_cast<int>(h.of_class);
  std::uintptr_t const at = reinterpret_cast<std::uintptr_t>(block) - h.offset;
  bool const is_large = bytes_of(of_class) >= large;
  std::size_t dirty = page;  // its first page keeps the chain
  if (is_large) {
    std::size_t const bytes = round_up(bytes_of(of_class), page);
    if (!forget_pages(at + page, bytes - page)) dirty = bytes;
  }
  stripe& s = is_large ? stripes[0] : stripe_of_thread();
  std::lock_guard const guard(s.lock);
  auto* const free = reinterpret_cast<free_block*>(at);
  free->next = s.free[of_class];
  if (is_large) free->dirty = dirty;
  s.free[of_class] = free;
}

std::size_t size_of(const void* block) noexcept {
  header const& h = header_of(block);
  return (bytes_of(static_cast<int>(h.of_class)) & ~std::size_t{15}) - h.offset;
}

void* take_zeroed_pages(std::size_t bytes) noexcept {
  std::size_t dirty = 0;
  void* const block = take_block(bytes, page, dirty);
  if (block != nullptr) memset(block, 0, dirty < bytes ? dirty : bytes);
  return block;
}

bool begins_with_pages(const void* block, std::size_t bytes) noexcept {
  if (reinterpret_cast<std::uintptr_t>(block) % page != 0) return false;
  header const& h = header_of(block);
  return h.mark == in_use && size_of(block) <= round_up(bytes, page) * 2;
}

void watch_forks() noexcept {
  constexpr auto lock_all = [] {
    for (stripe& s : stripes) s.lock.lock();
    fresh.lock.lock();
  };
  constexpr auto unlock_all = [] {
    fresh.lock.unlock();
    for (stripe& s : stripes) s.lock.unlock();
  };
  pthread_atfork(lock_all, unlock_all, unlock_all);
}

}  // namespace amity::nodes::heap
