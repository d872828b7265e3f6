/// gcc's entries for target and teams constructs. There is one device, the host, and its memory is the program's: a target region is a call,
/// and mapping is nothing, except that a firstprivate variable is copied as everywhere else.

#include <stdlib.h>
#include <string.h>

#include <cstdint>

#include "amity/base/report.hpp"
#include "amity/omp/gomp/gomp.hpp"
#include "amity/omp/rt/initial.hpp"

extern "C" void GOMP_taskwait_depend(void** depend);

namespace amity::omp::gomp {
namespace {

/// What gcc tells about each mapped item: the low byte is the kind, the high one the alignment's logarithm.
constexpr unsigned kind_mask = 0xff;
constexpr unsigned alignment_shift = 8;
constexpr unsigned firstprivate_kind = 12;
/// GOMP_target_ext's flags.
constexpr unsigned has_depend = 1u << 1;

std::uintptr_t align_up(std::uintptr_t value, std::uintptr_t alignment) noexcept { return (value + alignment - 1) & ~(alignment - 1); }

/// Copies of the firstprivate items of a target region; `hostaddrs` points to them for the region's time.
class firstprivate_copies {
public:
    firstprivate_copies(std::size_t count, void** addresses, const std::size_t* sizes, const unsigned short* kinds) noexcept {
        std::size_t size = 0, alignment = 1;
        for (std::size_t i = 0; i < count; ++i)
            if ((kinds[i] & kind_mask) == firstprivate_kind) {
                std::size_t const a = std::size_t{1} << (kinds[i] >> alignment_shift);
                if (a > alignment) alignment = a;
                size = align_up(size, a) + sizes[i];
            }
        if (size == 0) return;
        memory_ = malloc(size + alignment);
        if (memory_ == nullptr) base::fatal("out of memory for the firstprivate variables of a target region (%zu bytes)", size);
        std::uintptr_t next = align_up(reinterpret_cast<std::uintptr_t>(memory_), alignment);
        for (std::size_t i = 0; i < count; ++i)
            if ((kinds[i] & kind_mask) == firstprivate_kind) {
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
    void* memory_ = nullptr;
};

void run_on_host(void (*fn)(void*), void** hostaddrs) noexcept {
    thread& before = enter_device();
    fn(hostaddrs);
    leave_device(before);
}

/// A host league: the teams one after another on the encountering thread.
void run_league(void (*fn)(void*), void* data, int teams, unsigned thread_limit) noexcept {
    thread& before = enter_device();
    thread& t = *current_thread;
    if (thread_limit != 0) icvs(t).thread_limit = static_cast<int>(thread_limit);
    t.league_size = teams;
    for (t.league_number = 0; t.league_number < teams; ++t.league_number) fn(data);
    t.league_size = 1;
    t.league_number = 0;
    leave_device(before);
}

}  // namespace
}  // namespace amity::omp::gomp

using namespace amity::omp;

extern "C" {

void GOMP_target(int, void (*fn)(void*), const void*, std::size_t, void** hostaddrs, std::size_t*, unsigned char*) {
    gomp::run_on_host(fn, hostaddrs);
}
void GOMP_target_ext(int, void (*fn)(void*), std::size_t count, void** hostaddrs, std::size_t* sizes, unsigned short* kinds,
                     unsigned flags, void** depend, void**) {
    if ((flags & gomp::has_depend) != 0 || depend != nullptr) GOMP_taskwait_depend(depend);
    gomp::firstprivate_copies copies(count, hostaddrs, sizes, kinds);
    gomp::run_on_host(fn, hostaddrs);
}

void GOMP_target_data(int, const void*, std::size_t, void**, std::size_t*, unsigned char*) {}
void GOMP_target_data_ext(int, std::size_t, void**, std::size_t*, unsigned short*) {}
void GOMP_target_end_data() {}
void GOMP_target_update(int, const void*, std::size_t, void**, std::size_t*, unsigned char*) {}
void GOMP_target_update_ext(int, std::size_t, void**, std::size_t*, unsigned short*, unsigned, void** depend) {
    if (depend != nullptr) GOMP_taskwait_depend(depend);
}
void GOMP_target_enter_exit_data(int, std::size_t, void**, std::size_t*, unsigned short*, unsigned, void** depend) {
    if (depend != nullptr) GOMP_taskwait_depend(depend);
}

// Device code in the program: there is no device to give it to.
void GOMP_offload_register(const void*, int, const void*) {}
void GOMP_offload_register_ver(unsigned, const void*, int, const void*) {}
void GOMP_offload_unregister(const void*, int, const void*) {}
void GOMP_offload_unregister_ver(unsigned, const void*, int, const void*) {}

/// teams by itself, on the host.
void GOMP_teams_reg(void (*fn)(void*), void* data, unsigned teams, unsigned thread_limit, unsigned) {
    gomp::run_league(fn, data, teams == 0 ? 1 : static_cast<int>(teams), thread_limit);
}

// --- teams inside target: the compiler's code loops over the league while the second form says so
void GOMP_teams(unsigned, unsigned thread_limit) {
    if (thread_limit != 0) icvs(this_thread()).thread_limit = static_cast<int>(thread_limit);
}
bool GOMP_teams4(unsigned least, unsigned, unsigned thread_limit, bool first) {
    thread& t = this_thread();
    if (first) {
        if (thread_limit != 0) icvs(t).thread_limit = static_cast<int>(thread_limit);
        t.league_size = least == 0 ? 1 : static_cast<int>(least);
        t.league_number = 0;
        return true;
    }
    return ++t.league_number < t.league_size;
}

}  // extern "C"
