#include "amity/omp/api/allocator.hpp"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <atomic>
#include <new>

#include "amity/base/report.hpp"
#include "amity/omp/rt/host_device.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/omp/settings/settings.hpp"

namespace amity::omp {
namespace {

using std::size_t;
using std::uintptr_t;

// omp_alloctrait_key_t and omp_alloctrait_value_t, the same in both headers but for what is said.
enum key : int { sync_hint = 1, alignment_, access, pool_size, fallback, fb_data, pinned, partition };
// Those of OpenMP 6.0 (clang 22) that ask nothing of a host which is the only device.
enum key_of_6 : int { pin_device = 9, preferred_device, device_access, target_access, atomic_scope, part_size };
// 7 was `all` until clang 22, and is `device` there.
enum access_value : uintptr_t { all_or_device = 7, cgroup = 10, all_of_clang_22 = 19, single, multiple };
constexpr uintptr_t atv_default = ~uintptr_t{0};
enum fallback_value : uintptr_t { default_mem_fb = 11, null_fb, abort_fb, allocator_fb };

// The predefined: 1-8 of both headers, clang's 100-102 for devices, which here are the host, gcc's 200 and 201 for
// pinned and managed memory; and whatever later compilers add, as long as it can't be an address.
constexpr bool is_predefined(allocator_handle handle) noexcept { return handle >= 1 && handle < 4096; }
constexpr allocator_handle gnu_pinned = 200;
constexpr bool is_space(uintptr_t space) noexcept {
  constexpr uintptr_t default_of_clang = 99, gnu_managed = 200;  // gcc's default is 0
  return space <= 4 || space == default_of_clang || (space >= 100 && space <= 102) || space == gnu_managed;
}

struct custom_allocator {
  size_t alignment = 1;
  size_t pool = ~size_t{0};
  uintptr_t fall_back = default_mem_fb;
  allocator_handle fall_back_to = null_allocator;
  bool pinned = false;
  std::atomic<size_t> used{0};  // relaxed throughout: an account, not an order
};

constinit custom_allocator gnu_pinned_allocator{.fall_back = null_fb, .pinned = true};

// Null: a predefined one that is like malloc.
custom_allocator* custom(allocator_handle handle) noexcept {
  if (handle == gnu_pinned) [[unlikely]]
    return &gnu_pinned_allocator;
  return is_predefined(handle) ? nullptr : reinterpret_cast<custom_allocator*>(handle);
}

// Stands before each block.
struct header {
  void* base;      // what malloc or map_locked gave
  size_t size;     // what the user asked for
  size_t charged;  // to the allocator's pool
  allocator_handle from;
};
constexpr size_t malloc_alignment = 16;
static_assert(sizeof(header) % malloc_alignment == 0);

header& header_of(void* pointer) noexcept { return static_cast<header*>(pointer)[-1]; }

bool charge(custom_allocator& a, size_t bytes) noexcept {
  size_t used = a.used.load(std::memory_order_relaxed);
  do {
    if (bytes > a.pool || used > a.pool - bytes) return false;
  } while (!a.used.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed, std::memory_order_relaxed));
  return true;
}

// Pages that stay in memory. Their first word says how many bytes they are. Null if the system has none, or locks no
// more (RLIMIT_MEMLOCK).
constexpr size_t front_of_locked = malloc_alignment;
void* map_locked(size_t size) noexcept {
  void* const pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  if (mlock(pages, size) != 0) {
    munmap(pages, size);
    return nullptr;
  }
  *static_cast<size_t*>(pages) = size;
  return pages;
}

void* take_memory(bool locked, size_t size, bool zeroed) noexcept {
  if (locked) [[unlikely]]
    return map_locked(size);
  return zeroed ? calloc(1, size) : malloc(size);
}

void give_memory(bool locked, void* base) noexcept {
  if (locked) [[unlikely]]
    munmap(base, *static_cast<size_t*>(base));
  else
    free(base);
}

// One try, without falling back. If the block that it `replaces` comes from the same allocator, the pool pays for the
// difference only.
void* try_allocate(size_t alignment, size_t size, allocator_handle handle, bool zeroed, header* replaces) noexcept {
  custom_allocator* const a = custom(handle);
  if (a != nullptr && a->alignment > alignment) alignment = a->alignment;
  const size_t slack = alignment > malloc_alignment ? alignment - malloc_alignment : 0;
  const bool is_pinned = a != nullptr && a->pinned;
  const size_t front = sizeof(header) + (is_pinned ? front_of_locked : 0);
  size_t total;
  if (__builtin_add_overflow(size, front + slack, &total)) return nullptr;
  const size_t credit = replaces != nullptr && replaces->from == handle ? replaces->charged : 0;
  const size_t more = total > credit ? total - credit : 0;
  if (a != nullptr && !charge(*a, more)) return nullptr;
  void* const base = take_memory(is_pinned, total, zeroed);
  if (base == nullptr) {
    if (a != nullptr) a->used.fetch_sub(more, std::memory_order_relaxed);
    return nullptr;
  }
  if (credit != 0) {
    if (a != nullptr) a->used.fetch_sub(credit + more - total, std::memory_order_relaxed);
    replaces->charged = 0;
  }
  uintptr_t at = reinterpret_cast<uintptr_t>(base) + front;
  if (slack != 0) at = (at + alignment - 1) & ~(alignment - 1);
  void* const pointer = reinterpret_cast<void*>(at);
  header_of(pointer) = {base, size, total, handle};
  return pointer;
}

// Whether `t` is a trait that is understood; applied to `a`.
bool apply(const alloc_trait& t, custom_allocator& a) noexcept {
  const bool by_default = t.value == atv_default;
  switch (t.key) {
    case sync_hint:
      return by_default || (t.value >= 3 && t.value <= 6);
    case access:
      return by_default || (t.value >= all_or_device && t.value <= cgroup) || t.value == all_of_clang_22;
    case atomic_scope:
      return by_default || t.value == all_or_device || t.value == all_of_clang_22;
    case device_access:
    case target_access:
      return by_default || t.value == single || t.value == multiple;
    case part_size:  // of a partition, which is left to the system
      return by_default || t.value != 0;
    case pin_device:
      return by_default || is_host(static_cast<int>(t.value));
    case preferred_device:  // a wish
      return true;
    case partition:
      return by_default || (t.value >= 15 && t.value <= 18);
    case alignment_:
      if (by_default) return true;
      if (t.value == 0 || (t.value & (t.value - 1)) != 0) return false;
      a.alignment = t.value;
      return true;
    case pool_size:
      if (!by_default) a.pool = t.value;
      return true;
    case fallback:
      if (by_default) return true;
      a.fall_back = t.value;
      return t.value >= default_mem_fb && t.value <= allocator_fb;
    case fb_data:
      a.fall_back_to = by_default ? null_allocator : t.value;
      return true;
    case pinned:
      if (!by_default) a.pinned = t.value != 0;
      return by_default || t.value <= 1;
    default:
      return false;
  }
}

// OMP_ALLOCATOR with traits: one for the process, made by whoever needs it first.
allocator_handle environment_allocator() noexcept {
  static std::atomic<allocator_handle> made{null_allocator};
  allocator_handle handle = made.load(std::memory_order_acquire);  // pairs with the exchange below
  if (handle != null_allocator) return handle;
  const allocator_setting& wanted = environment().allocator;
  alloc_trait traits[sizeof wanted.trait / sizeof wanted.trait[0]];
  for (int i = 0; i < wanted.traits; ++i) traits[i] = {wanted.trait[i].key, wanted.trait[i].value};
  const allocator_handle mine = make_allocator(wanted.space, wanted.traits, traits);
  if (mine == null_allocator) return 1;  // omp_default_mem_alloc
  if (made.compare_exchange_strong(handle, mine, std::memory_order_acq_rel, std::memory_order_acquire)) return mine;
  destroy_allocator(mine);
  return handle;
}

void* allocate(size_t alignment, size_t size, allocator_handle handle, bool zeroed, header* replaces) noexcept {
  if (size == 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return nullptr;
  constexpr int longest_chain = 64;  // allocators that fall back on one another in a circle
  for (int step = 0; step < longest_chain; ++step) {
    if (handle == null_allocator) handle = get_default_allocator();
    if (void* pointer = try_allocate(alignment, size, handle, zeroed, replaces)) return pointer;
    const custom_allocator* const a = custom(handle);
    if (a == nullptr) return nullptr;
    switch (a->fall_back) {
      case null_fb:
        return nullptr;
      case abort_fb:
        base::fatal("omp_alloc: no memory for %zu bytes, and the allocator's fallback trait is abort_fb", size);
      case allocator_fb:
        handle = a->fall_back_to;
        break;
      default:
        handle = 1;
        break;  // omp_default_mem_alloc
    }
  }
  return nullptr;
}

}  // namespace

bool is_memory_space(uintptr_t space) noexcept { return space != 0 && is_space(space); }

allocator_handle make_allocator(uintptr_t space, int traits, const alloc_trait* trait) noexcept {
  if (!is_space(space) || traits < 0 || (traits > 0 && trait == nullptr)) return null_allocator;
  void* const memory = malloc(sizeof(custom_allocator));
  if (memory == nullptr) return null_allocator;
  auto* a = new (memory) custom_allocator;
  for (int i = 0; i < traits; ++i)
    if (!apply(trait[i], *a)) {
      free(memory);
      return null_allocator;
    }
  return reinterpret_cast<allocator_handle>(a);
}

void destroy_allocator(allocator_handle handle) noexcept {
  if (handle != null_allocator && !is_predefined(handle)) free(custom(handle));
}

void set_default_allocator(allocator_handle handle) noexcept {
  own_icvs(this_thread()).default_allocator = handle == null_allocator ? 1 : handle;
}

allocator_handle get_default_allocator() noexcept {
  const allocator_handle handle = icvs(this_thread()).default_allocator;
  return handle == null_allocator ? environment_allocator() : handle;
}

void* allocate(size_t alignment, size_t size, allocator_handle handle, bool zeroed) noexcept {
  return allocate(alignment, size, handle, zeroed, nullptr);
}

void* allocate_array(size_t alignment, size_t count, size_t size, allocator_handle handle) noexcept {
  size_t total;
  return __builtin_mul_overflow(count, size, &total) ? nullptr : allocate(alignment, total, handle, true);
}

void* reallocate(void* pointer, size_t size, allocator_handle handle, allocator_handle freeing) noexcept {
  if (pointer != nullptr && handle == null_allocator)
    handle = freeing != null_allocator ? freeing : header_of(pointer).from;
  if (pointer == nullptr) return allocate(1, size, handle, false);
  if (size == 0) return deallocate(pointer), nullptr;
  void* const moved = allocate(1, size, handle, false, &header_of(pointer));
  if (moved == nullptr) return nullptr;
  const size_t old_size = header_of(pointer).size;
  memcpy(moved, pointer, old_size < size ? old_size : size);
  deallocate(pointer);
  return moved;
}

void deallocate(void* pointer) noexcept {
  if (pointer == nullptr) return;
  // By its fields: a copy as a whole waits for the stores that have just been made, if the block is young.
  const header& block = header_of(pointer);
  custom_allocator* const a = custom(block.from);
  if (a != nullptr) a->used.fetch_sub(block.charged, std::memory_order_relaxed);
  give_memory(a != nullptr && a->pinned, block.base);
}

}  // namespace amity::omp
