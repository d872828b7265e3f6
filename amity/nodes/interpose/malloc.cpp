// malloc and its like, for the program, its libraries and libc: from the heap that all processes have.
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "amity/nodes/heap.hpp"
#include "amity/nodes/job.hpp"
#include "amity/nodes/memory.hpp"
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

std::size_t size_of_any(void* p) noexcept {
  if (is_of_heap(p)) return heap::size_of(p);
  return reinterpret_cast<std::size_t*>(p)[-1] & ~std::size_t{7};  // libc's chunk; with its own header, 8 or 16 more
}

}  // namespace

#define AMITY_PUBLIC [[gnu::visibility("default")]]

extern "C" {

AMITY_PUBLIC void* malloc(std::size_t bytes) { return is_private() ? __libc_malloc(bytes) : heap::take(bytes); }

AMITY_PUBLIC void* calloc(std::size_t count, std::size_t bytes) {
  if (is_private()) return __libc_calloc(count, bytes);
  std::size_t all;
  if (__builtin_mul_overflow(count, bytes, &all)) {
    errno = ENOMEM;
    return nullptr;
  }
  return heap::take_zeroed(all);
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
  std::size_t const have = from_heap ? heap::size_of(p) : size_of_any(p) - 8;
  if (from_heap && bytes <= have && bytes >= have / 4) return p;
  void* const moved = malloc(bytes);
  if (moved == nullptr) return nullptr;
  memcpy(moved, p, bytes < have ? bytes : have);
  free(p);
  return moved;
}

AMITY_PUBLIC void* memalign(std::size_t alignment, std::size_t bytes) {
  return is_private() ? __libc_memalign(alignment, bytes) : heap::take(bytes, alignment);
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

AMITY_PUBLIC std::size_t malloc_usable_size(void* p) {
  if (p == nullptr) return 0;
  return is_of_heap(p) ? heap::size_of(p) : size_of_any(p) - 8;
}

}  // extern "C"
