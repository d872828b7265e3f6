// threadprivate variables of compilers that do not use the processor's TLS. Every thread finds its copy through a table
// that hangs on the thread's identity, so that it is the same one in every region.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <cstddef>
#include <mutex>

#include "amity/base/private_memory.hpp"
#include "amity/base/report.hpp"
#include "amity/omp/hooks/cluster.hpp"
#include "amity/omp/hooks/cold.hpp"
#include "amity/omp/hooks/race_detector.hpp"
#include "amity/omp/kmp/kmp.hpp"
#include "amity/sync/mutex.hpp"

namespace amity::omp::kmp {
namespace {

using constructor = void* (*)(void*);
using copy_constructor = void* (*)(void*, void*);
using destructor = void (*)(void*);
using vector_constructor = void* (*)(void*, std::size_t);
using vector_destructor = void (*)(void*, std::size_t);

// How the copies of one variable are made; found by the address of the original.
struct variable {
  const void* original;
  constructor make = nullptr;
  destructor destroy = nullptr;
  vector_constructor make_all = nullptr;
  vector_destructor destroy_all = nullptr;
  std::size_t length = 0;   // of a registered array
  void* initial = nullptr;  // plain data as it was when somebody first used it
  variable* next = nullptr;
};

// One thread's copy of one variable.
struct copy {
  const void* original;
  void* value;
  const variable* how;
  copy* next;
};

struct copies {
  static constexpr std::size_t buckets = 32;
  copy* bucket[buckets] = {};
};

std::size_t bucket_of(const void* original) noexcept {
  return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(original) >> 4) * 0x9E3779B97F4A7C15u >> 59);
}

sync::mutex variables_lock;
variable* variables = nullptr;  // never freed

variable& find_variable(const void* original) noexcept {  // under the lock
  for (variable* v = variables; v != nullptr; v = v->next)
    if (v->original == original) return *v;
  auto* v = static_cast<variable*>(base::take_private_zeroed(sizeof(variable)));
  if (v == nullptr) base::fatal("out of memory for a threadprivate variable");
  v->original = original;
  v->next = variables;
  return *(variables = v);
}

void destroy_copy(const copy& c) noexcept {
  if (c.how->destroy_all != nullptr)
    c.how->destroy_all(c.value, c.how->length);
  else if (c.how->destroy != nullptr)
    c.how->destroy(c.value);
  free(c.value);
}

void destroy_copies(void* pointer) {
  auto* table = static_cast<copies*>(pointer);
  for (copy* c : table->bucket)
    while (c != nullptr) {
      copy* const next = c->next;
      if (c->value != c->original) destroy_copy(*c);
      base::give_back(c);
      c = next;
    }
  base::give_back(table);
}

pthread_key_t key;
pthread_once_t key_made = PTHREAD_ONCE_INIT;
void make_key() { pthread_key_create(&key, destroy_copies); }

copies& my_copies() noexcept {
  pthread_once(&key_made, make_key);
  if (void* table = pthread_getspecific(key)) return *static_cast<copies*>(table);
  void* const table = base::take_private_zeroed(sizeof(copies));
  if (table == nullptr) base::fatal("out of memory for threadprivate variables");
  pthread_setspecific(key, table);
  return *static_cast<copies*>(table);
}

// The thread that loaded the library, which is the program's first one or next to it, uses the variable itself.
pthread_t first_thread;
[[gnu::constructor]] void note_first_thread() { first_thread = pthread_self(); }
bool owns_original() noexcept { return pthread_equal(pthread_self(), first_thread) != 0; }

void* must_allocate(std::size_t size) noexcept {
  void* const memory = calloc(1, size == 0 ? 1 : size);
  if (memory == nullptr) base::fatal("out of memory for a threadprivate variable of %zu bytes", size);
  return memory;
}

variable& used_variable(void* original, std::size_t size) noexcept {
  race::unseen const quiet;  // the first thread to come copies for all
  std::lock_guard guard(variables_lock);
  variable& v = find_variable(original);
  if (v.initial == nullptr && v.make == nullptr && v.make_all == nullptr)
    v.initial = memcpy(must_allocate(size), original, size);
  return v;
}

void copy_initial(void* to, const variable& how, std::size_t size) noexcept {
  race::unseen const quiet;  // what another thread has copied
  memcpy(to, how.initial, size);
}

void* make_copy(const variable& how, std::size_t size) noexcept {
  void* const value = must_allocate(size);
  if (how.make_all != nullptr)
    how.make_all(value, how.length);
  else if (how.make != nullptr)
    how.make(value);
  else
    copy_initial(value, how, size);
  return value;
}

void* my_copy(void* original, std::size_t size) noexcept {
  copy*& first = my_copies().bucket[bucket_of(original)];
  for (copy* c = first; c != nullptr; c = c->next)
    if (c->original == original) return c->value;
  if (cold::spread()) cluster::threads_have_data();
  const variable& how = used_variable(original, size);
  void* const value = owns_original() ? original : make_copy(how, size);
  auto* c = static_cast<copy*>(base::take_private(sizeof(copy)));
  if (c == nullptr) base::fatal("out of memory for threadprivate variables");
  *c = {original, value, &how, first};
  first = c;
  return value;
}

}  // namespace
}  // namespace amity::omp::kmp

using namespace amity::omp::kmp;

extern "C" {

void* __kmpc_threadprivate(ident*, int, void* original, std::size_t size) { return my_copy(original, size); }

// The compiler's cache, indexed by thread number, is left empty: then it asks every time, and threads may come and go.
void* __kmpc_threadprivate_cached(ident*, int, void* original, std::size_t size, void***) {
  return my_copy(original, size);
}

void __kmpc_threadprivate_register(ident*, void* original, constructor make, copy_constructor, destructor destroy) {
  std::lock_guard guard(variables_lock);
  variable& v = find_variable(original);
  v.make = make;
  v.destroy = destroy;
}

void __kmpc_threadprivate_register_vec(ident*, void* original, vector_constructor make, copy_constructor,
                                       vector_destructor destroy, std::size_t length) {
  std::lock_guard guard(variables_lock);
  variable& v = find_variable(original);
  v.make_all = make;
  v.destroy_all = destroy;
  v.length = length;
}

}  // extern "C"
