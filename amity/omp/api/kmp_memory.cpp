// kmp_*: libomp's own malloc. The C forms take values; the Fortran ones (kmp_malloc_) addresses of them.
#include <stdlib.h>

#include <cstddef>

using std::size_t;

extern "C" {

void* kmp_malloc(size_t size) { return malloc(size); }
void* kmp_calloc(size_t count, size_t size) { return calloc(count, size); }
void* kmp_realloc(void* pointer, size_t size) { return realloc(pointer, size); }
void kmp_free(void* pointer) { free(pointer); }
void* kmp_aligned_malloc(size_t size, size_t alignment) {
  void* pointer = nullptr;
  if (alignment < sizeof(void*)) alignment = sizeof(void*);
  return posix_memalign(&pointer, alignment, size) == 0 ? pointer : nullptr;
}

void* kmp_malloc_(const size_t* size) { return kmp_malloc(*size); }
void* kmp_calloc_(const size_t* count, const size_t* size) { return kmp_calloc(*count, *size); }
void* kmp_realloc_(void* const* pointer, const size_t* size) { return kmp_realloc(*pointer, *size); }
void kmp_free_(void* const* pointer) { kmp_free(*pointer); }
void* kmp_aligned_malloc_(const size_t* size, const size_t* alignment) { return kmp_aligned_malloc(*size, *alignment); }

void* kmpc_malloc(size_t size) { return kmp_malloc(size); }
void* kmpc_calloc(size_t count, size_t size) { return kmp_calloc(count, size); }
void* kmpc_realloc(void* pointer, size_t size) { return kmp_realloc(pointer, size); }
void kmpc_free(void* pointer) { kmp_free(pointer); }
void* kmpc_aligned_malloc(size_t size, size_t alignment) { return kmp_aligned_malloc(size, alignment); }

}  // extern "C"
