/// gcc's entries for target and teams constructs. There is one device, the host, and its memory is the program's: a
/// target region is a call, and mapping is nothing, except that a firstprivate variable is copied as everywhere else.

#include <stdlib.h>
#include <string.h>

#include <cstdint>

#include "amity/base/report.hpp"
#include "amity/omp/gomp/firstprivate.hpp"
#include "amity/omp/gomp/gomp.hpp"
#include "amity/omp/gomp/task.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/rt/host_device.hpp"
#include "amity/omp/rt/initial.hpp"
#include "amity/omp/rt/league.hpp"
#include "amity/omp/rt/teams.hpp"

extern "C" {
void GOMP_task(void (*fn)(void*), void* data, void (*copy)(void*, void*), long bytes, long align, bool if_clause,
               unsigned flags, void** depend, int priority, void* event);
void GOMP_taskwait_depend(void** depend);
void GOMP_taskwait_depend_nowait(void** depend);
}

namespace amity::omp::gomp {
namespace {

/// GOMP_target_ext's flags.
constexpr unsigned nowait = 1u << 0;
/// GOMP_target_enter_exit_data's.
constexpr unsigned exits_data = 1u << 1;

/// Copies of them; the list of addresses points there for the region's time.
class firstprivate_copies {
 public:
  explicit firstprivate_copies(const firstprivate_items& items) noexcept {
    if (items.bytes() == 0) return;
    memory_ = malloc(items.bytes());
    if (memory_ == nullptr)
      base::fatal("out of memory for the firstprivate variables of a target region (%zu bytes)", items.bytes());
    items.copy_to(memory_);
  }
  ~firstprivate_copies() { free(memory_); }
  firstprivate_copies(const firstprivate_copies&) = delete;
  firstprivate_copies& operator=(const firstprivate_copies&) = delete;

 private:
  void* memory_ = nullptr;
};

/// What gcc adds to a target construct for devices: words, ended by 0. A word's low bits name the device that it is for
/// and what it says; the value is in its high half, or is the next word.
constexpr std::intptr_t argument_name = 0xff7f;
constexpr std::intptr_t thread_limit_for_all = 2 << 8;
constexpr std::intptr_t value_follows = 1 << 7;
constexpr unsigned value_shift = 16;

/// The thread_limit clause; 0: there is none.
int thread_limit_in(void* const* arguments) noexcept {
  if (arguments == nullptr) return 0;
  while (*arguments != nullptr) {
    auto const word = reinterpret_cast<std::intptr_t>(*arguments++);
    std::intptr_t const value =
        (word & value_follows) != 0 ? reinterpret_cast<std::intptr_t>(*arguments++) : word >> value_shift;
    if ((word & argument_name) != thread_limit_for_all) continue;
    return value < 0 ? 0 : value < unlimited_threads ? static_cast<int>(value) : unlimited_threads;
  }
  return 0;
}

/// A team's region: as run_traced_region for a member's.
struct team_code {
  void (*fn)(void*);
  void* data;
};
[[gnu::cold, gnu::noinline]] void run_traced_team(void* context) noexcept {
  auto const& code = *static_cast<team_code*>(context);
  ompt::set_exit_frame(*current_thread, __builtin_frame_address(0));
  code.fn(code.data);
  ompt::set_exit_frame(*current_thread, nullptr);
}

/// A target region; as run_traced_team.
[[gnu::cold, gnu::noinline]] void run_traced_target(void (*fn)(void*), void** hostaddrs) noexcept {
  ompt::initial_task_begins(*current_thread);
  ompt::set_exit_frame(*current_thread, __builtin_frame_address(0));
  fn(hostaddrs);
  ompt::set_exit_frame(*current_thread, nullptr);
  ompt::initial_task_ends(*current_thread);
}

void run_on_host(void (*fn)(void*), void** hostaddrs, int thread_limit) noexcept {
  thread& before = enter_device();
  if (thread_limit != 0) own_icvs(*current_thread).thread_limit = thread_limit;
  if (cold::any()) [[unlikely]] {
    run_traced_target(fn, hostaddrs);
  } else {
    fn(hostaddrs);
  }
  leave_device(before);
}

/// A target region with nowait: a task, whose copies come behind its list of addresses.
struct target_task {
  void (*fn)(void*);
  int thread_limit;
  std::size_t count;

  [[nodiscard]] void** addresses() noexcept { return reinterpret_cast<void**>(this + 1); }
  [[nodiscard]] void* copies() noexcept { return addresses() + count; }
};

/// What it is made of, on its maker's stack.
struct target_request {
  target_task task;
  void** addresses;
  const firstprivate_items* items;
};

void make_target_task(void* memory, void* made_of) noexcept {
  auto const& request = *static_cast<const target_request*>(made_of);
  auto* const task = new (memory) target_task(request.task);
  if (request.items->bytes() != 0) request.items->copy_to(task->copies());
  if (task->count != 0) memcpy(task->addresses(), request.addresses, task->count * sizeof(void*));
}

void run_target_task(void* memory) noexcept {
  auto& task = *static_cast<target_task*>(memory);
  if (cold::any()) [[unlikely]] {
    ompt::target_scope const scope(ompt::target_kind::region, true);
    run_on_host(task.fn, task.addresses(), task.thread_limit);
  } else {
    run_on_host(task.fn, task.addresses(), task.thread_limit);
  }
}

void spawn_target(void (*fn)(void*), std::size_t count, void** addresses, const firstprivate_items& items,
                  void** depend, int thread_limit) noexcept {
  target_request request{{fn, thread_limit, count}, addresses, &items};
  std::size_t const bytes = sizeof(target_task) + count * sizeof(void*) + items.bytes();
  GOMP_task(run_target_task, &request, make_target_task, static_cast<long>(bytes), alignof(target_task), true,
            depend != nullptr ? unsigned{task_depend} : 0, depend, 0, nullptr);
}

/// Before a construct that moves data, of which nothing has to be moved.
void await_or_order(unsigned flags, void** depend) noexcept {
  if (depend == nullptr) return;
  if ((flags & nowait) != 0)
    GOMP_taskwait_depend_nowait(depend);
  else
    GOMP_taskwait_depend(depend);
}

int teams_or_default(unsigned teams) noexcept { return teams != 0 ? static_cast<int>(teams) : default_num_teams(); }
int limit_or_default(unsigned limit) noexcept {
  return limit != 0 ? static_cast<int>(limit) : default_teams_thread_limit();
}

}  // namespace
}  // namespace amity::omp::gomp

using namespace amity::omp;
using ompt::target_kind;

extern "C" {

void GOMP_target(int device, void (*fn)(void*), const void*, std::size_t, void** hostaddrs, std::size_t*,
                 unsigned char*) {
  check_device_of_construct(device);
  ompt::entered([=] { gomp::run_on_host(fn, hostaddrs, 0); },
                [=] {
                  ompt::target_scope const scope(target_kind::region);
                  gomp::run_on_host(fn, hostaddrs, 0);
                });
}
void GOMP_target_ext(int device, void (*fn)(void*), std::size_t count, void** hostaddrs, std::size_t* sizes,
                     unsigned short* kinds, unsigned flags, void** depend, void** arguments) {
  check_device_of_construct(device);
  gomp::firstprivate_items const items(count, hostaddrs, sizes, kinds);
  int const thread_limit = gomp::thread_limit_in(arguments);
  if ((flags & gomp::nowait) != 0) {
    ompt::entered([=, &items] { gomp::spawn_target(fn, count, hostaddrs, items, depend, thread_limit); });
    return;
  }
  gomp::firstprivate_copies const copies(items);  // as they are now, whoever writes them before the region may begin
  if (depend != nullptr) GOMP_taskwait_depend(depend);
  ompt::entered([=] { gomp::run_on_host(fn, hostaddrs, thread_limit); },
                [=] {
                  ompt::target_scope const scope(target_kind::region);
                  gomp::run_on_host(fn, hostaddrs, thread_limit);
                });
}

// Data: all of it is there. A region of target data is the two ends of it to a tool, as the standard has it.
void GOMP_target_data(int device, const void*, std::size_t, void**, std::size_t*, unsigned char*) {
  check_device_of_construct(device);
  ompt::entered([] {}, [] { ompt::target_scope const scope(target_kind::enter_data); });
}
void GOMP_target_data_ext(int device, std::size_t, void**, std::size_t*, unsigned short*) {
  check_device_of_construct(device);
  ompt::entered([] {}, [] { ompt::target_scope const scope(target_kind::enter_data); });
}
void GOMP_target_end_data() {
  ompt::entered([] {}, [] { ompt::target_scope const scope(target_kind::exit_data); });
}
void GOMP_target_update(int device, const void*, std::size_t, void**, std::size_t*, unsigned char*) {
  check_device_of_construct(device);
  ompt::entered([] {}, [] { ompt::target_scope const scope(target_kind::update); });
}
void GOMP_target_update_ext(int device, std::size_t, void**, std::size_t*, unsigned short*, unsigned flags,
                            void** depend) {
  check_device_of_construct(device);
  gomp::await_or_order(flags, depend);
  ompt::entered([] {}, [=] { ompt::target_scope const scope(target_kind::update, (flags & gomp::nowait) != 0); });
}
void GOMP_target_enter_exit_data(int device, std::size_t, void**, std::size_t*, unsigned short*, unsigned flags,
                                 void** depend) {
  check_device_of_construct(device);
  gomp::await_or_order(flags, depend);
  ompt::entered([] {},
                [=] {
                  bool const exits = (flags & gomp::exits_data) != 0;
                  ompt::target_scope const scope(exits ? target_kind::exit_data : target_kind::enter_data,
                                                 (flags & gomp::nowait) != 0);
                });
}

// Device code in the program: there is no device to give it to.
void GOMP_offload_register(const void*, int, const void*) {}
void GOMP_offload_register_ver(unsigned, const void*, int, const void*) {}
void GOMP_offload_unregister(const void*, int, const void*) {}
void GOMP_offload_unregister_ver(unsigned, const void*, int, const void*) {}

/// teams by itself, on the host.
void GOMP_teams_reg(void (*fn)(void*), void* data, unsigned teams, unsigned thread_limit, unsigned) {
  int const count = gomp::teams_or_default(teams), limit = gomp::limit_or_default(thread_limit);
  ompt::entered([=] { run_league(count, limit, fn, data); },
                [=] {
                  gomp::team_code code{fn, data};
                  run_league(count, limit, gomp::run_traced_team, &code);
                });
}

// --- teams inside target: the compiler's code loops over the league while the second form says so
void GOMP_teams(unsigned, unsigned thread_limit) {
  begin_league(this_thread(), 1, gomp::limit_or_default(thread_limit));
}
bool GOMP_teams4(unsigned least, unsigned, unsigned thread_limit, bool first) {
  thread& t = this_thread();
  if (!first) return next_team(t);
  begin_league(t, gomp::teams_or_default(least), gomp::limit_or_default(thread_limit));
  return true;
}

/// The interop construct, on a device without any interop object: those that are made are omp_interop_none.
void GOMP_interop(int device, int made, void*** make, const int*, const char**, int, void**, int destroyed,
                  void*** destroy, unsigned, void** depend) {
  if (made != 0) check_device_of_construct(device);
  for (int i = 0; i < destroyed; ++i) *destroy[i] = nullptr;
  for (int i = 0; i < made; ++i) *make[i] = nullptr;
  if (depend != nullptr) GOMP_taskwait_depend(depend);
}

/// A procedure's address on the device.
void* GOMP_target_map_indirect_ptr(void* host) { return host; }

}  // extern "C"
