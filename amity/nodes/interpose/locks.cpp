// OpenMP's locks and named critical regions: for all processes, by the address of the program's word, which stays as it
// is. These come before those of the OpenMP library, which would write there.
#include "amity/nodes/interpose/public.hpp"
#include "amity/omp/cluster/processes.hpp"

namespace {

const amity::omp::cluster::over_processes& all() noexcept {
  static const amity::omp::cluster::over_processes* const known = amity_omp_over_processes();
  return *known;
}

// What has no name of the program's.
char unnamed_critical, atomic_operations;

}  // namespace

extern "C" {

AMITY_PUBLIC void GOMP_critical_start() { all().lock(&unnamed_critical); }
AMITY_PUBLIC void GOMP_critical_end() { all().unlock(&unnamed_critical); }
AMITY_PUBLIC void GOMP_critical_name_start(void** name) { all().lock(name); }
AMITY_PUBLIC void GOMP_critical_name_end(void** name) { all().unlock(name); }
AMITY_PUBLIC void GOMP_atomic_start() { all().lock(&atomic_operations); }
AMITY_PUBLIC void GOMP_atomic_end() { all().unlock(&atomic_operations); }
AMITY_PUBLIC void __kmpc_atomic_start() { all().lock(&atomic_operations); }
AMITY_PUBLIC void __kmpc_atomic_end() { all().unlock(&atomic_operations); }

AMITY_PUBLIC void __kmpc_critical(void*, int, void* name) { all().lock(name); }
AMITY_PUBLIC void __kmpc_critical_with_hint(void*, int, void* name, unsigned) { all().lock(name); }
AMITY_PUBLIC void __kmpc_end_critical(void*, int, void* name) { all().unlock(name); }

AMITY_PUBLIC void omp_set_lock(void* lock) { all().lock(lock); }
AMITY_PUBLIC void omp_unset_lock(void* lock) { all().unlock(lock); }
AMITY_PUBLIC int omp_test_lock(void* lock) { return all().try_lock(lock) ? 1 : 0; }
AMITY_PUBLIC void omp_set_nest_lock(void* lock) { all().nest_lock(lock); }
AMITY_PUBLIC void omp_unset_nest_lock(void* lock) { all().nest_unlock(lock); }
AMITY_PUBLIC int omp_test_nest_lock(void* lock) { return all().nest_try_lock(lock); }

AMITY_PUBLIC void omp_set_lock_(void* lock) { all().lock(lock); }
AMITY_PUBLIC void omp_unset_lock_(void* lock) { all().unlock(lock); }
AMITY_PUBLIC int omp_test_lock_(void* lock) { return all().try_lock(lock) ? 1 : 0; }
AMITY_PUBLIC void omp_set_nest_lock_(void* lock) { all().nest_lock(lock); }
AMITY_PUBLIC void omp_unset_nest_lock_(void* lock) { all().nest_unlock(lock); }
AMITY_PUBLIC int omp_test_nest_lock_(void* lock) { return all().nest_try_lock(lock); }

AMITY_PUBLIC void __kmpc_set_lock(void*, int, void* lock) { all().lock(lock); }
AMITY_PUBLIC void __kmpc_unset_lock(void*, int, void* lock) { all().unlock(lock); }
AMITY_PUBLIC int __kmpc_test_lock(void*, int, void* lock) { return all().try_lock(lock) ? 1 : 0; }
AMITY_PUBLIC void __kmpc_set_nest_lock(void*, int, void* lock) { all().nest_lock(lock); }
AMITY_PUBLIC void __kmpc_unset_nest_lock(void*, int, void* lock) { all().nest_unlock(lock); }
AMITY_PUBLIC int __kmpc_test_nest_lock(void*, int, void* lock) { return all().nest_try_lock(lock); }

}  // extern "C"
