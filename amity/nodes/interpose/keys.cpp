// pthread_key_create and its like, before libc's: keys that all processes have (../keys.hpp).
#include "amity/nodes/keys.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <threads.h>

#include "amity/nodes/interpose/public.hpp"
#include "amity/nodes/job.hpp"
#include "amity/nodes/modules.hpp"
#include "amity/nodes/start.hpp"

using namespace amity::nodes;

namespace {

template <class F>
F* real(const char* name) noexcept {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

bool is_programs(const void* caller) noexcept { return is_on && !keeps_memory_private && !is_of_runtime(caller); }

}  // namespace

extern "C" {

AMITY_PUBLIC int pthread_key_create(pthread_key_t* key, void (*destroy)(void*)) {
  static auto* const create = real<int(pthread_key_t*, void (*)(void*))>("pthread_key_create");
  return is_programs(__builtin_return_address(0)) ? keys::make(key, destroy) : create(key, destroy);
}

AMITY_PUBLIC int pthread_key_delete(pthread_key_t key) {
  static auto* const remove = real<int(pthread_key_t)>("pthread_key_delete");
  return keys::forget(key) ? 0 : remove(key);
}

AMITY_PUBLIC int tss_create(tss_t* key, tss_dtor_t destroy) {
  static auto* const create = real<int(tss_t*, tss_dtor_t)>("tss_create");
  if (!is_programs(__builtin_return_address(0))) return create(key, destroy);
  return keys::make(key, destroy) == 0 ? thrd_success : thrd_error;
}

AMITY_PUBLIC void tss_delete(tss_t key) {
  static auto* const remove = real<void(tss_t)>("tss_delete");
  if (!keys::forget(key)) remove(key);
}

}  // extern "C"
