/// How this library comes to know that `main` begins: the program's first code calls __libc_start_main, which runs the
/// constructors of the program's static objects, and then `main`. That one call is led to start_program, which hands
/// over a `main` of its own.

#include "amity/net/before_main.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#include <mutex>
#include <utility>
#include <vector>

#include "amity/net/internal/before_main.hpp"
#include "amity/sched/tasks/task.hpp"
#include "amity/sys/launcher.hpp"
#include "amity/sys/rebind.hpp"
#include "amity/sys/spin_lock.hpp"

using main_function = int (*)(int, char**, char**);
// The C library's. After `main` the constructors and destructors of old programs, then the loader's destructors, and
// where the stack begins.
extern "C" int __libc_start_main(main_function, int, char**, void (*)(), void (*)(), void (*)(), void*);

namespace amity::net {
namespace {

struct kept_calls {
  sys::spin_lock lock;
  std::vector<sched::task*> tasks;
};
kept_calls& kept() noexcept {
  static auto* const one = new kept_calls;
  return *one;
}

main_function main_of_program = nullptr;

int begin_main(int count, char** arguments, char** environment) {
  end_time_before_main();
  return main_of_program(count, arguments, environment);
}

int start_program(main_function m, int count, char** arguments, void (*construct)(), void (*destroy)(),
                  void (*end_loader)(), void* stack_end) {
  main_of_program = m;
  return sys::not_rebound<&__libc_start_main>(begin_main, count, arguments, construct, destroy, end_loader, stack_end);
}

/// The object that has this address begins there; null: none.
const void* object_of(const void* address) noexcept {
  Dl_info found;
  return dladdr(address, &found) != 0 ? found.dli_fbase : nullptr;
}

/// This library is loaded with the program, and not by a dlopen: no caller is in another object than this one and the
/// loader.
bool is_loaded_with_program() noexcept {
  bool some_other = false;
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* data) {
        static const void* const own = object_of(reinterpret_cast<const void*>(&begin_main));
        const void* const its = object_of(reinterpret_cast<const void*>(_Unwind_GetIP(frame)));
        if (its == nullptr || its == own || its == reinterpret_cast<const void*>(_r_debug.r_ldbase))
          return _URC_NO_REASON;
        *static_cast<bool*>(data) = true;
        return _URC_END_OF_STACK;
      },
      &some_other);
  return !some_other;
}

[[gnu::constructor]] void await_main() noexcept {
  if (!is_loaded_with_program() || !sys::program_asks_for("_ZN5amity3net3job")) return;
  int const led = sys::rebind_calls("__libc_start_main", reinterpret_cast<void*>(start_program), nullptr);
  detail::before_main.store(led > 0, std::memory_order_relaxed);
}

}  // namespace

std::atomic<bool> detail::before_main{false};

bool keep_until_main(sched::task& t) noexcept {
  kept_calls& k = kept();
  std::lock_guard const held(k.lock);
  if (!is_before_main()) return false;
  k.tasks.push_back(&t);
  return true;
}

void end_time_before_main() noexcept {
  if (!is_before_main()) return;
  kept_calls& k = kept();
  std::vector<sched::task*> tasks;
  {
    std::lock_guard const held(k.lock);
    detail::before_main.store(false, std::memory_order_relaxed);  // under the lock: what is kept was kept before
    tasks.swap(k.tasks);
  }
  for (sched::task* const t : tasks) sched::enqueue(*t, sched::this_worker());
  look_again_at_unknown();
}

}  // namespace amity::net
