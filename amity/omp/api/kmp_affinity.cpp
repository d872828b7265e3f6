// kmp_*: libomp's affinity masks. A mask is an object behind a pointer-sized handle. Binding is of the OS thread
// that runs the caller, for as long as it runs there.
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstddef>

namespace {

constexpr int most_cpus = 8192;

struct mask {
  static constexpr std::size_t bytes = CPU_ALLOC_SIZE(most_cpus);
  alignas(cpu_set_t) unsigned char bits[bytes];
  cpu_set_t* set() noexcept { return reinterpret_cast<cpu_set_t*>(bits); }
};

mask* mask_of(void** handle) noexcept { return handle == nullptr ? nullptr : static_cast<mask*>(*handle); }

int cpus_of_machine() noexcept {
  const long configured = sysconf(_SC_NPROCESSORS_CONF);
  return configured > 0 && configured < most_cpus ? static_cast<int>(configured) : most_cpus;
}
bool is_cpu(int cpu) noexcept { return cpu >= 0 && cpu < cpus_of_machine(); }

}  // namespace

extern "C" {

int kmp_get_affinity_max_proc() { return cpus_of_machine(); }
int kmp_get_affinity_max_proc_() { return kmp_get_affinity_max_proc(); }

void kmp_create_affinity_mask(void** handle) {
  auto* m = static_cast<mask*>(calloc(1, sizeof(mask)));
  *handle = m;
}
void kmp_create_affinity_mask_(void** handle) { kmp_create_affinity_mask(handle); }
void kmp_destroy_affinity_mask(void** handle) {
  if (handle == nullptr) return;
  free(*handle);
  *handle = nullptr;
}
void kmp_destroy_affinity_mask_(void** handle) { kmp_destroy_affinity_mask(handle); }

// 0, or an error number; -1: the machine has no such CPU.
int kmp_set_affinity(void** handle) {
  mask* m = mask_of(handle);
  if (m == nullptr) return EINVAL;
  return sched_setaffinity(0, mask::bytes, m->set()) == 0 ? 0 : errno;
}
int kmp_set_affinity_(void** handle) { return kmp_set_affinity(handle); }
int kmp_get_affinity(void** handle) {
  mask* m = mask_of(handle);
  if (m == nullptr) return EINVAL;
  CPU_ZERO_S(mask::bytes, m->set());
  return sched_getaffinity(0, mask::bytes, m->set()) == 0 ? 0 : errno;
}
int kmp_get_affinity_(void** handle) { return kmp_get_affinity(handle); }

int kmp_set_affinity_mask_proc(int cpu, void** handle) {
  mask* m = mask_of(handle);
  if (m == nullptr || !is_cpu(cpu)) return -1;
  CPU_SET_S(static_cast<std::size_t>(cpu), mask::bytes, m->set());
  return 0;
}
int kmp_set_affinity_mask_proc_(const int* cpu, void** handle) { return kmp_set_affinity_mask_proc(*cpu, handle); }
int kmpc_set_affinity_mask_proc(int cpu, void** handle) { return kmp_set_affinity_mask_proc(cpu, handle); }

int kmp_unset_affinity_mask_proc(int cpu, void** handle) {
  mask* m = mask_of(handle);
  if (m == nullptr || !is_cpu(cpu)) return -1;
  CPU_CLR_S(static_cast<std::size_t>(cpu), mask::bytes, m->set());
  return 0;
}
int kmp_unset_affinity_mask_proc_(const int* cpu, void** handle) { return kmp_unset_affinity_mask_proc(*cpu, handle); }
int kmpc_unset_affinity_mask_proc(int cpu, void** handle) { return kmp_unset_affinity_mask_proc(cpu, handle); }

int kmp_get_affinity_mask_proc(int cpu, void** handle) {
  mask* m = mask_of(handle);
  if (m == nullptr || !is_cpu(cpu)) return -1;
  return CPU_ISSET_S(static_cast<std::size_t>(cpu), mask::bytes, m->set()) != 0;
}
int kmp_get_affinity_mask_proc_(const int* cpu, void** handle) { return kmp_get_affinity_mask_proc(*cpu, handle); }
int kmpc_get_affinity_mask_proc(int cpu, void** handle) { return kmp_get_affinity_mask_proc(cpu, handle); }

// Threads that stay where the process was started have nothing to restore.
void kmp_set_thread_affinity_mask_initial() {}

}  // extern "C"
