#include "amity/omp/rt/initial.hpp"

#include <stdlib.h>

#include <mutex>
#include <new>

#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/omp/settings/settings.hpp"
#include "amity/sched/spin_lock.hpp"
#include "amity/sched/park.hpp"
#include "amity/sched/pool.hpp"

namespace amity::omp {
namespace {

/// The root of a thread that the program made: a team of one, and its thread. Kept when the thread ends, for the next one.
struct root {
    team own;
    thread first;
    thread* members[1] = {&first};
    root* next_free = nullptr;
};

sched::spin_lock roots_lock;
root* free_roots = nullptr;

root& acquire_root() noexcept {
    std::lock_guard lock(roots_lock);
    if (root* r = free_roots) {
        free_roots = r->next_free;
        return *r;
    }
    auto* r = new (aligned_alloc(alignof(root), sizeof(root))) root;
    r->own.members = r->members;
    r->own.capacity = 1;
    r->first.team = &r->own;
    for (std::uint32_t i = 0; i < loop_ring::size; ++i) r->own.loops.entry[i].sequence.store(2 * i, std::memory_order_relaxed);
    return *r;
}

root& root_of(thread& t) noexcept {
    thread* outermost = &t;
    while (outermost->team->leader_outside != nullptr) outermost = outermost->team->leader_outside;
    return *reinterpret_cast<root*>(outermost->team);  // the team is the root's first member
}

void retire_root(root& r) noexcept {
    release_teams(r.first);
    std::lock_guard lock(roots_lock);
    r.next_free = free_roots;
    free_roots = &r;
}

void guest_ends() {
    if (current_thread == nullptr) return;
    retire_root(root_of(*current_thread));
    current_thread = nullptr;
}

/// The threads of all teams are gone; the one that is left starts over, with the ICVs that it had.
void forked_child() {
    new (&roots_lock) sched::spin_lock;
    free_roots = nullptr;
    thread* before = current_thread;
    current_thread = nullptr;
    if (before == nullptr) return;
    icv_set const icv = icvs(*before);
    icvs(adopt_thread()) = icv;
}

std::atomic<bool> started{false};

[[gnu::cold]] void start_runtime() noexcept {
    apply_settings();
    sched::on_fork_child(forked_child);
    sched::on_guest_exit(guest_ends);
    started.store(true, std::memory_order_relaxed);  // read at exit, by the thread that exits
}

}  // namespace

thread& adopt_thread() noexcept {
    static bool const once = (start_runtime(), true);
    static_cast<void>(once);
    sched::fiber* f = sched::self();
    root& r = acquire_root();
    r.first.fiber = f;
    begin_implicit(r.first, nullptr, initial_icvs());
    current_thread = &r.first;
    return r.first;
}

int environment_num_threads(int level, int inherited) noexcept {
    const settings& env = environment();
    return level <= env.num_threads_levels ? env.num_threads[level - 1] : inherited;
}

bool runtime_started() noexcept { return started.load(std::memory_order_relaxed); }

thread& enter_device() noexcept {
    thread& before = this_thread();
    root& r = acquire_root();
    r.first.fiber = before.fiber;
    icv_set icv = initial_icvs();
    icv.default_device = icvs(before).default_device;
    begin_implicit(r.first, nullptr, icv);
    current_thread = &r.first;
    return before;
}

void leave_device(thread& before) noexcept {
    complete_descendants(*current_thread);
    retire_root(root_of(*current_thread));
    current_thread = &before;
}

}  // namespace amity::omp
