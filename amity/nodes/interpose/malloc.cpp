// malloc and its like, for the program, its libraries and libc: from the heap that all processes have.
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "amity/nodes/heap.hpp"
#include "amity/nodes/interpose/public.hpp"
#include "amity/nodes/job.hpp"
#include "amity/nodes/memory.hpp"
#include "amity/nodes/page_trace.hpp"
#include "amity/nodes/start.hpp"

using namespace amity::nodes;

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace {

constexpr std::size_t page = 4096;

bool is_private() noexcept { return !is_on || keeps_memory_private; }
bool is_of_heap(const void* p) noexcept { return all_heaps().contains(p); }

/// What a block of libc's has room for. The word before it is its chunk's size with three bits, of which the second
/// says that it is a mapping of its own; its header takes 8 bytes of that, and 16 of such a mapping (malloc.c).
std::size_t size_in_libc(void* p) noexcept {
  std::size_t const chunk = static_cast<std::size_t*>(p)[-1];
  constexpr std::size_t is_mapping = 2;
  return (chunk & ~std::size_t{7}) - ((chunk & is_mapping) != 0 ? 16 : 8);
}

std::size_t size_of_any(void* p) noexcept { return is_of_heap(p) ? heap::size_of(p) : size_in_libc(p); }

// For --trace-pages.
void* noted(void* block, std::size_t bytes) noexcept {
  page_trace::note_block(block, bytes);
  return block;
}

}  // namespace

extern "C" {

AMITY_PUBLIC void* malloc(std::size_t bytes) {
  return is_private() ? __libc_malloc(bytes) : noted(heap::take(bytes), bytes);
}

AMITY_PUBLIC void* calloc(std::size_t count, std::size_t bytes) {
  if (is_private()) return __libc_calloc(count, bytes);
  std::size_t all;
  if (__builtin_mul_overflow(count, bytes, &all)) {
    errno = ENOMEM;
    return nullptr;
  }
  return noted(heap::take_zeroed(all), all);
}

AMITY_PUBLIC void free(void* p) {
  if (p == nullptr) return;
  int const before = errno;
  if (is_of_heap(p))
    heap::give_back(p);
  else
    __libc_free(p);
  errno = before;
}

AMITY_PUBLIC void* realloc(void* p, std::size_t bytes) {
  if (p == nullptr) return malloc(bytes);
  bool const from_heap = is_of_heap(p);
  if (!from_heap && is_private()) return __libc_realloc(p, bytes);
  if (from_heap && bytes == 0) {
    free(p);
    return nullptr;
  }
  std::size_t const have = size_of_any(p);
  if (from_heap && bytes <= have && bytes >= have / 4) return p;
  void* const moved = malloc(bytes);
  if (moved == nullptr) return nullptr;
  memcpy(moved, p, bytes < have ? bytes : have);
  free(p);
  return moved;
}

AMITY_PUBLIC void* memalign(std::size_t alignment, std::size_t bytes) {
  return is_private() ? __libc_memalign(alignment, bytes) : noted(heap::take(bytes, alignment), bytes);
}
AMITY_PUBLIC void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return memalign(alignment, bytes); }
AMITY_PUBLIC void* valloc(std::size_t bytes) { return memalign(page, bytes); }
AMITY_PUBLIC void* pvalloc(std::size_t bytes) { return memalign(page, (bytes + page - 1) & ~(page - 1)); }

AMITY_PUBLIC int posix_memalign(void** to, std::size_t alignment, std::size_t bytes) {
  if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return EINVAL;
  int const before = errno;
  void* const p = memalign(alignment, bytes);
  errno = before;
  if (p == nullptr) return ENOMEM;
  *to = p;
  return 0;
}

AMITY_PUBLIC std::size_t malloc_usable_size(void* p) { return p == nullptr ? 0 : size_of_any(p); }

}  // extern "C"
