// Threads that a device's driver makes may run on all CPUs of the process, though the thread that opens the driver is
// bound to one (OMP_PROC_BIND). Skipped without a device that computes here, or with one CPU.
#include <omp.h>
#include <sched.h>

#include <amity/accel.hpp>
#include <amity/amity.hpp>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>

namespace accel = amity::accel;

namespace {

std::set<int> threads() {
  std::set<int> all;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/task"))
    all.insert(std::stoi(each.path().filename().string()));
  return all;
}

// 0: it has ended.
int cpus_of(int thread) {
  cpu_set_t set;
  return sched_getaffinity(thread, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

const char* const text = "AMITY_KERNEL void set(AMITY_GLOBAL int* x) { x[AMITY_GLOBAL_ID(0)] = 7; }";

}  // namespace

int main() {
  int const cpus = cpus_of(0);
  if (cpus < 2) return std::printf("skipped: one CPU\n"), 77;
  int wrong = 0, bound = 0;
  bool is_here = true;
#pragma omp parallel num_threads(2) reduction(+ : wrong, bound)
  {
#pragma omp barrier
    if (omp_get_thread_num() == 1) {
      bound = cpus_of(0) == 1;
      auto const before = threads();
      auto const devices = accel::local_devices().get();
      is_here = !devices.empty();
      if (is_here) {
        auto x = devices[0].allocate<int>(4096);
        devices[0].program(accel::source(text)).kernel<void(int*)>("set")({.grid = 64, .block = 64}, x);
        wrong += x.read().get()[4095] != 7;
      }
      for (int const t : threads()) {
        char name[64] = "?";
        if (FILE* f = fopen(("/proc/self/task/" + std::to_string(t) + "/comm").c_str(), "r")) {
          static_cast<void>(fscanf(f, "%63[^\n]", name));
          fclose(f);
        }
        int const has = cpus_of(t);
        if (before.count(t) != 0 || has == 0 || has == cpus) continue;
        std::printf("thread %d (%s) may run on %d of %d CPUs\n", t, name, has, cpus);
        ++wrong;
      }
    }
  }
  if (!is_here) return std::printf("skipped: %s\n", accel::status().c_str()), 77;
  if (bound == 0) std::printf("nobody was bound\n"), ++wrong;
  if (wrong == 0) std::puts("ok");
  return wrong;
}
