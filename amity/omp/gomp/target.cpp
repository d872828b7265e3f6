/// gcc's entries for target and teams constructs. There is one device, the host, and its memory is the program's: a
/// target region is a call, and mapping is nothing, except that a firstprivate variable is copied as everywhere else.

#include <stdlib.h>
#include <string.h>

#include <cstdint>

#include "amity/base/report.hpp"
#include "amity/omp/api/teams.hpp"
#include "amity/omp/gomp/gomp.hpp"
#include "amity/omp/ompt/hooks.hpp"
#include "amity/omp/rt/initial.hpp"
#include "amity/omp/rt/league.hpp"

extern "C" void GOMP_taskwait_depend(void** depend);

namespace amity::omp::gomp {
namespace {

/// What gcc tells about each mapped item: the low byte is the kind, the high one the alignment's logarithm.
constexpr unsigned kind_mask = 0xff;
constexpr unsigned alignment_shift = 8;
constexpr unsigned firstprivate_kind = 12;
/// GOMP_target_ext's flags.
constexpr unsigned nowait = 1u << 0;
constexpr unsigned has_depend = 1u << 1;
/// GOMP_target_enter_exit_data's.
constexpr unsigned exits_data = 1u << 1;

std::uintptr_t align_up(std::uintptr_t value, std::uintptr_t alignment) noexcept {
  return (value + alignment - 1) & ~(alignment - 1);
}

/// Copies of the firstprivate items of a target region; `hostaddrs` points to them for the region's time.
class firstprivate_copies {
 public:
  firstprivate_copies(std::size_t count, void** addresses, const std::size_t* sizes,
                      const unsigned short* kinds) noexcept {
    std::size_t size = 0, alignment = 1;
    for (std::size_t i = 0; i < count; ++i)
      if (is_copied(kinds[i], addresses[i])) {
        std::size_t const a = std::size_t{1} << (kinds[i] >> alignment_shift);
        if (a > alignment) alignment = a;
        size = align_up(size, a) + sizes[i];
      }
    if (size == 0) return;
    memory_ = malloc(size + alignment);
    if (memory_ == nullptr)
      base::fatal("out of memory for the firstprivate variables of a target region (%zu bytes)", size);
    std::uintptr_t next = align_up(reinterpret_cast<std::uintptr_t>(memory_), alignment);
    for (std::size_t i = 0; i < count; ++i)
      if (is_copied(kinds[i], addresses[i])) {
        next = align_up(next, std::uintptr_t{1} << (kinds[i] >> alignment_shift));
        memcpy(reinterpret_cast<void*>(next), addresses[i], sizes[i]);
        addresses[i] = reinterpret_cast<void*>(next);
        next += sizes[i];
      }
  }
  ~firstprivate_copies() { free(memory_); }
  firstprivate_copies(const firstprivate_copies&) = delete;
  firstprivate_copies& operator=(const firstprivate_copies&) = delete;

 private:
  /// An optional argument of Fortran's that is not there has no address.
  static bool is_copied(unsigned short kind, const void* address) noexcept {
    return (kind & kind_mask) == firstprivate_kind && address != nullptr;
  }
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
  if (ompt::on()) [[unlikely]] {
    run_traced_target(fn, hostaddrs);
  } else {
    fn(hostaddrs);
  }
  leave_device(before);
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

void GOMP_target(int, void (*fn)(void*), const void*, std::size_t, void** hostaddrs, std::size_t*, unsigned char*) {
  ompt::entered([=] { gomp::run_on_host(fn, hostaddrs, 0); },
                [=] {
                  ompt::target_scope const scope(target_kind::region);
                  gomp::run_on_host(fn, hostaddrs, 0);
                });
}
void GOMP_target_ext(int, void (*fn)(void*), std::size_t count, void** hostaddrs, std::size_t* sizes,
                     unsigned short* kinds, unsigned flags, void** depend, void** arguments) {
  auto const run = [=] {
    gomp::firstprivate_copies copies(count, hostaddrs, sizes, kinds);
    gomp::run_on_host(fn, hostaddrs, gomp::thread_limit_in(arguments));
  };
  if ((flags & gomp::has_depend) != 0 || depend != nullptr) GOMP_taskwait_depend(depend);
  ompt::entered(run, [=] {
    ompt::target_scope const scope(target_kind::region, (flags & gomp::nowait) != 0);
    run();
  });
}

// Data: all of it is there. A region of target data is the two ends of it to a tool, as the standard has it.
void GOMP_target_data(int, const void*, std::size_t, void**, std::size_t*, unsigned char*) {
  ompt::entered([] {}, [] { ompt::target_scope const scope(target_kind::enter_data); });
}
void GOMP_target_data_ext(int, std::size_t, void**, std::size_t*, unsigned short*) {
  ompt::entered([] {}, [] { ompt::target_scope const scope(target_kind::enter_data); });
}
void GOMP_target_end_data() {
  ompt::entered([] {}, [] { ompt::target_scope const scope(target_kind::exit_data); });
}
void GOMP_target_update(int, const void*, std::size_t, void**, std::size_t*, unsigned char*) {
  ompt::entered([] {}, [] { ompt::target_scope const scope(target_kind::update); });
}
void GOMP_target_update_ext(int, std::size_t, void**, std::size_t*, unsigned short*, unsigned flags, void** depend) {
  if (depend != nullptr) GOMP_taskwait_depend(depend);
  ompt::entered([] {}, [=] { ompt::target_scope const scope(target_kind::update, (flags & gomp::nowait) != 0); });
}
void GOMP_target_enter_exit_data(int, std::size_t, void**, std::size_t*, unsigned short*, unsigned flags,
                                 void** depend) {
  if (depend != nullptr) GOMP_taskwait_depend(depend);
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

}  // extern "C"
