#include "amity/sys/rseq.hpp"

#include <dlfcn.h>
#include <sys/rseq.h>

#include <cstddef>

#include "amity/sys/raw_syscall.hpp"

namespace amity::sys {
namespace {

/// A number of glibc 2.35 and newer; older ones have none, and register nothing.
template <class Number>
const Number* number_of_glibc(const char* name) noexcept {
  return static_cast<const Number*>(dlvsym(RTLD_DEFAULT, name, "GLIBC_2.35"));
}

const unsigned* registered_size = nullptr;
const std::ptrdiff_t* registered_offset = nullptr;

/// When the library is loaded, and before others' constructors make threads: where these begin is no place for the
/// loader's lock.
[[gnu::constructor(101)]] void find_numbers() noexcept {
  registered_size = number_of_glibc<unsigned>("__rseq_size");
  registered_offset = number_of_glibc<std::ptrdiff_t>("__rseq_offset");
}

}  // namespace

void unregister_rseq(std::uintptr_t thread_pointer) noexcept {
  if (registered_size == nullptr || registered_offset == nullptr) return;
  if (*registered_size == 0) return;      // glibc was told not to register (GLIBC_TUNABLES) or the kernel has none
  constexpr long registered_length = 32;  // what glibc 2.35 to 2.39 passes; later ones pass the kernel's own size
  auto const area = static_cast<long>(thread_pointer + static_cast<std::uintptr_t>(*registered_offset));
  long const result = raw_syscall(SYS_rseq, area, registered_length, RSEQ_FLAG_UNREGISTER, RSEQ_SIG);
  if (result != 0 && *registered_size > 20)
    raw_syscall(SYS_rseq, area, static_cast<long>(*registered_size), RSEQ_FLAG_UNREGISTER, RSEQ_SIG);
}

}  // namespace amity::sys
