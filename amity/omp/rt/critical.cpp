#include "amity/omp/rt/critical.hpp"

#include "amity/base/config.hpp"

namespace amity::omp {
namespace {

struct alignas(base::cache_line) lonely_mutex {
  sync::mutex mutex;
};
constinit lonely_mutex unnamed, fallback;

}  // namespace

sync::mutex& unnamed_critical() noexcept { return unnamed.mutex; }
sync::mutex& atomic_fallback() noexcept { return fallback.mutex; }

}  // namespace amity::omp
