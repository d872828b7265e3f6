#include "amity/algo/prefetch.hpp"

namespace amity::algo {

bool prefetch_pays() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init();  // an algorithm may run before main
  return __builtin_cpu_is("intel") != 0;
#else
  return false;
#endif
}

}  // namespace amity::algo
