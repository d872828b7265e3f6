#include "amity/sys/topology.hpp"

#include <dlfcn.h>
#include <hwloc.h>

#include <cstdlib>
#include <new>

namespace amity::sys {
namespace {

// hwloc's functions, by their own types; the library is not linked, so that start-up does not pay for it.
struct hwloc_functions {
  decltype(&hwloc_get_api_version) get_api_version = nullptr;
  decltype(&hwloc_topology_init) topology_init = nullptr;
  decltype(&hwloc_topology_load) topology_load = nullptr;
  decltype(&hwloc_topology_destroy) topology_destroy = nullptr;
  decltype(&hwloc_get_type_depth) get_type_depth = nullptr;
  decltype(&hwloc_get_nbobjs_by_depth) get_nbobjs_by_depth = nullptr;
  decltype(&hwloc_get_obj_by_depth) get_obj_by_depth = nullptr;
  decltype(&hwloc_bitmap_next) bitmap_next = nullptr;

  // The handle is never closed: hwloc's plug-ins may have threads or handlers of their own.
  bool open(const char* library) noexcept {
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return false;
    return find(handle, "hwloc_get_api_version", get_api_version) &&
           find(handle, "hwloc_topology_init", topology_init) && find(handle, "hwloc_topology_load", topology_load) &&
           find(handle, "hwloc_topology_destroy", topology_destroy) &&
           find(handle, "hwloc_get_type_depth", get_type_depth) &&
           find(handle, "hwloc_get_nbobjs_by_depth", get_nbobjs_by_depth) &&
           find(handle, "hwloc_get_obj_by_depth", get_obj_by_depth) && find(handle, "hwloc_bitmap_next", bitmap_next) &&
           get_api_version() >> 16 == HWLOC_API_VERSION >> 16;  // another major version has other structures
  }

 private:
  template <class Function>
  static bool find(void* handle, const char* name, Function& function) noexcept {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    return function != nullptr;
  }
};

class machine {
 public:
  explicit machine(const char* library) noexcept {
    // Where the kernel does not tell the affinity mask, hwloc tries for ever to find out how large it is.
    if (cpu_mask::of_calling_thread().empty() || !hwloc_.open(library) || hwloc_.topology_init(&topology_) != 0) {
      topology_ = nullptr;
    } else if (hwloc_.topology_load(topology_) != 0) {
      hwloc_.topology_destroy(topology_);
      topology_ = nullptr;
    }
  }
  ~machine() noexcept {
    if (topology_ != nullptr) hwloc_.topology_destroy(topology_);
  }
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  [[nodiscard]] bool known() const noexcept { return topology_ != nullptr; }

  // 0 when the machine has none, or has them at several depths.
  [[nodiscard]] int count(hwloc_obj_type_t type) const noexcept {
    const int depth = hwloc_.get_type_depth(topology_, type);
    const bool at_one_depth = depth >= 0 || depth == HWLOC_TYPE_DEPTH_NUMANODE;
    return at_one_depth ? static_cast<int>(hwloc_.get_nbobjs_by_depth(topology_, depth)) : 0;
  }

  [[nodiscard]] hwloc_obj_t object(hwloc_obj_type_t type, int index) const noexcept {
    return hwloc_.get_obj_by_depth(topology_, hwloc_.get_type_depth(topology_, type), static_cast<unsigned>(index));
  }

  [[nodiscard]] cpu_mask cpus_of(hwloc_obj_t object, const cpu_mask& within) const noexcept {
    cpu_mask mask;
    if (object == nullptr || object->cpuset == nullptr) return mask;
    for (int cpu = hwloc_.bitmap_next(object->cpuset, -1); cpu >= 0; cpu = hwloc_.bitmap_next(object->cpuset, cpu))
      if (within.contains(cpu)) mask.add(cpu);
    return mask;
  }

 private:
  hwloc_functions hwloc_;
  hwloc_topology_t topology_ = nullptr;
};

constexpr hwloc_obj_type_t caches_outwards[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
                                                HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE};

hwloc_obj_type_t type_of(object_kind kind, const machine& here) noexcept {
  switch (kind) {
    case object_kind::threads:
      return HWLOC_OBJ_PU;
    case object_kind::cores:
      return HWLOC_OBJ_CORE;
    case object_kind::numa_domains:
      return HWLOC_OBJ_NUMANODE;
    case object_kind::sockets:
      return HWLOC_OBJ_PACKAGE;
    case object_kind::ll_caches:
      break;
  }
  hwloc_obj_type_t last = HWLOC_OBJ_PACKAGE;  // a machine that shows no caches: its sockets are the best guess
  for (const hwloc_obj_type_t type : caches_outwards)
    if (here.count(type) > 0) last = type;
  return last;
}

cpu_mask_list flat_sets(object_kind kind, const cpu_mask& within) noexcept {
  cpu_mask_list sets;
  if (within.empty()) return sets;
  if (kind != object_kind::threads && kind != object_kind::cores) {
    sets.add(within.copy());
    return sets;
  }
  for (int cpu = within.first(); cpu >= 0; cpu = within.next(cpu)) {
    cpu_mask one;
    one.add(cpu);
    sets.add(static_cast<cpu_mask&&>(one));
  }
  return sets;
}

int at_least_one(int count) noexcept { return count > 1 ? count : 1; }

}  // namespace

cpu_mask_list::~cpu_mask_list() noexcept {
  for (std::size_t i = 0; i != size_; ++i) masks_[i].~cpu_mask();
  std::free(masks_);
}

cpu_mask_list::cpu_mask_list(cpu_mask_list&& other) noexcept { *this = static_cast<cpu_mask_list&&>(other); }

cpu_mask_list& cpu_mask_list::operator=(cpu_mask_list&& other) noexcept {
  // Swapped: what this one had goes with `other`.
  auto swap = [](auto& a, auto& b) {
    const auto old = a;
    a = b;
    b = old;
  };
  swap(masks_, other.masks_);
  swap(size_, other.size_);
  swap(capacity_, other.capacity_);
  return *this;
}

bool cpu_mask_list::add(cpu_mask&& mask) noexcept {
  if (size_ == capacity_) {
    const std::size_t capacity = capacity_ == 0 ? 16 : 2 * capacity_;
    auto* larger = static_cast<cpu_mask*>(std::malloc(capacity * sizeof(cpu_mask)));
    if (larger == nullptr) return false;
    for (std::size_t i = 0; i != size_; ++i) {
      new (larger + i) cpu_mask(static_cast<cpu_mask&&>(masks_[i]));
      masks_[i].~cpu_mask();
    }
    std::free(masks_);
    masks_ = larger;
    capacity_ = capacity;
  }
  new (masks_ + size_++) cpu_mask(static_cast<cpu_mask&&>(mask));
  return true;
}

topology_summary describe(const char* library) noexcept {
  topology_summary summary;
  const machine here(library);
  if (!here.known()) {
    summary.threads = summary.cores = at_least_one(cpu_mask::of_calling_thread().count());
    return summary;
  }
  summary.from_hwloc = true;
  summary.sockets = at_least_one(here.count(HWLOC_OBJ_PACKAGE));
  summary.numa_domains = at_least_one(here.count(HWLOC_OBJ_NUMANODE));
  summary.threads = at_least_one(here.count(HWLOC_OBJ_PU));
  const int cores = here.count(HWLOC_OBJ_CORE);
  summary.cores = cores > 0 ? cores : summary.threads;
  int level = 0;
  for (const hwloc_obj_type_t type : caches_outwards) {
    ++level;
    const int count = here.count(type);
    if (count == 0) continue;
    const auto bytes = static_cast<long long>(here.object(type, 0)->attr->cache.size);
    summary.caches[summary.cache_levels++] = {level, count, bytes};
  }
  return summary;
}

cpu_mask_list object_sets(object_kind kind, const cpu_mask& within, const char* library) noexcept {
  const machine here(library);
  if (!here.known()) return flat_sets(kind, within);
  const hwloc_obj_type_t type = type_of(kind, here);
  cpu_mask_list sets;
  for (int i = 0; i != here.count(type); ++i) {
    cpu_mask cpus = here.cpus_of(here.object(type, i), within);
    if (!cpus.empty()) sets.add(static_cast<cpu_mask&&>(cpus));
  }
  return sets.size() != 0 ? static_cast<cpu_mask_list&&>(sets) : flat_sets(kind, within);
}

}  // namespace amity::sys
