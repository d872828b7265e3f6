#include "amity/omp/api/depend_object.hpp"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "amity/base/report.hpp"
#include "amity/omp/kmp/task.hpp"

using amity::omp::kmp::depend_info;

extern "C" {
void GOMP_taskwait_depend(void** depend);
void __kmpc_omp_wait_deps(amity::omp::kmp::ident*, std::int32_t, std::int32_t count, depend_info* list,
                          std::int32_t more, depend_info* other);
}

namespace amity::omp {
namespace {

/// Whether eight bytes can be read. The kernel looks at the mask before it refuses the request, and says if it could
/// not.
bool is_readable(std::uintptr_t at) noexcept {
  constexpr int no_such_request = -1;
  return syscall(SYS_rt_sigprocmask, no_such_request, at, nullptr, sizeof(std::uint64_t)) == 0 || errno != EFAULT;
}

bool is_entry(const depend_info& d) noexcept {
  constexpr std::uintptr_t first_page = 4096;
  constexpr unsigned kinds = 0x8f;
  return static_cast<std::uintptr_t>(d.address) >= first_page && d.flags != 0 && (d.flags & ~kinds) == 0;
}

/// Whether an address has the number of entries before it and an entry behind.
bool leads_to_entries(const void* address) noexcept {
  constexpr std::intptr_t most = 1 << 24;
  auto const at = reinterpret_cast<std::uintptr_t>(address);
  if (at % alignof(depend_info) != 0 || at < sizeof(depend_info)) return false;
  if (!is_readable(at - sizeof(depend_info)) || !is_readable(at + offsetof(depend_info, flags))) return false;
  auto const* const entries = static_cast<const depend_info*>(address);
  return entries[-1].address >= 1 && entries[-1].address <= most && is_entry(*entries);
}

void wait_for_gccs(std::size_t count, void** objects) noexcept {
  // The array: 0, how many, then how many of each kind, then addresses of depend objects.
  constexpr std::size_t header = 5;
  auto** depend = static_cast<void**>(calloc(header + count, sizeof(void*)));
  if (depend == nullptr) base::fatal("out of memory for %zu dependences of a copy", count);
  depend[1] = reinterpret_cast<void*>(count);
  for (std::size_t i = 0; i < count; ++i) depend[header + i] = objects + 2 * i;
  GOMP_taskwait_depend(depend);
  free(depend);
}

void wait_for_clangs(std::size_t count, void** objects) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    auto* const entries = static_cast<depend_info*>(objects[i]);
    __kmpc_omp_wait_deps(nullptr, 0, static_cast<std::int32_t>(entries[-1].address), entries, 0, nullptr);
  }
}

}  // namespace

bool are_clangs(std::size_t count, void** objects) noexcept {
  constexpr std::uintptr_t last_kind = 5;  // of gcc: in, out, inout, mutexinoutset, inoutset
  if (count > 1) {                         // where gcc's first one has its kind, clang's second one has its pointer
    auto const second = reinterpret_cast<std::uintptr_t>(objects[1]);
    if (second >= 1 && second <= last_kind) return false;
  }
  return leads_to_entries(objects[0]);
}

void wait_for_depend_objects(std::size_t count, void** objects) noexcept {
  if (are_clangs(count, objects))
    wait_for_clangs(count, objects);
  else
    wait_for_gccs(count, objects);
}

}  // namespace amity::omp
