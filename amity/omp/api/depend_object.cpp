#include "amity/omp/api/depend_object.hpp"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "amity/base/report.hpp"
#include "amity/omp/gomp/task.hpp"
#include "amity/omp/kmp/task.hpp"

using amity::omp::kmp::depend_info;

extern "C" void GOMP_task(void (*fn)(void*), void* data, void (*copy)(void*, void*), long bytes, long align,
                          bool if_clause, unsigned flags, void** depend, int priority, void* event);

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

/// gcc's object.
struct gcc_object {
  std::uintptr_t address;
  std::uintptr_t kind;
};

gcc_object as_gccs(const depend_info& d) noexcept {
  enum : std::uintptr_t { in = 1, inout = 3, mutexinoutset = 4, inoutset = 5 };
  if ((d.flags & 0x80) != 0 || d.address == ~std::intptr_t{0}) return {0, inout};  // omp_all_memory
  return {static_cast<std::uintptr_t>(d.address), (d.flags & 2) != 0   ? inout
                                                  : (d.flags & 4) != 0 ? mutexinoutset
                                                  : (d.flags & 8) != 0 ? inoutset
                                                                       : in};
}

/// The objects as gcc's code hands them to GOMP_task.
class gcc_list {
 public:
  gcc_list(std::size_t count, void** objects) noexcept {
    // 0, how many, then how many of each kind, then addresses of depend objects.
    constexpr std::size_t header = 5;
    bool const clangs = are_clangs(count, objects);
    std::size_t entries = count;
    if (clangs) {
      entries = 0;
      for (std::size_t i = 0; i < count; ++i) entries += entries_of(objects[i]);
    }
    list_ = static_cast<void**>(calloc(header + entries, sizeof(void*)));
    made_ = static_cast<gcc_object*>(malloc((clangs ? entries : 1) * sizeof(gcc_object)));
    if (list_ == nullptr || made_ == nullptr) base::fatal("out of memory for %zu dependences of a copy", entries);
    list_[1] = reinterpret_cast<void*>(entries);
    void** next = list_ + header;
    gcc_object* object = made_;
    for (std::size_t i = 0; i < count; ++i) {
      if (!clangs) {
        *next++ = objects + 2 * i;
        continue;
      }
      auto* const first = static_cast<const depend_info*>(objects[i]);
      for (std::size_t e = 0; e < entries_of(objects[i]); ++e) {
        *object = as_gccs(first[e]);
        *next++ = object++;
      }
    }
  }
  ~gcc_list() {
    free(list_);
    free(made_);
  }
  gcc_list(const gcc_list&) = delete;
  gcc_list& operator=(const gcc_list&) = delete;

  [[nodiscard]] void** data() noexcept { return list_; }

 private:
  static std::size_t entries_of(const void* clangs) noexcept {
    return static_cast<std::size_t>(static_cast<const depend_info*>(clangs)[-1].address);
  }
  void** list_;
  gcc_object* made_;
};

}  // namespace

bool are_clangs(std::size_t count, void** objects) noexcept {
  constexpr std::uintptr_t last_kind = 5;  // of gcc: in, out, inout, mutexinoutset, inoutset
  if (count > 1) {                         // where gcc's first one has its kind, clang's second one has its pointer
    auto const second = reinterpret_cast<std::uintptr_t>(objects[1]);
    if (second >= 1 && second <= last_kind) return false;
  }
  return leads_to_entries(objects[0]);
}

void run_after_depend_objects(std::size_t count, void** objects, void (*fn)(void*), void* arguments,
                              std::size_t bytes) noexcept {
  auto const size = static_cast<long>(bytes);
  if (count == 0 || objects == nullptr)
    return GOMP_task(fn, arguments, nullptr, size, alignof(std::max_align_t), true, 0, nullptr, 0, nullptr);
  gcc_list list(count, objects);
  GOMP_task(fn, arguments, nullptr, size, alignof(std::max_align_t), true, gomp::task_depend, list.data(), 0, nullptr);
}

}  // namespace amity::omp
