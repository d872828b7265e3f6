#include "amity/cli/busy_cores.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "amity/sys/cpu_mask.hpp"

namespace amity::cli {
namespace {

[[noreturn]] void compute_for_ever(int cpu, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // it ended before the line above
  sys::cpu_mask only;
  only.add(cpu);
  sched_setaffinity(0, only.bytes(), only.native());
  for (unsigned x = 1;;) {
    x = x * 1664525U + 1013904223U;
    __asm__ volatile("" : "+r"(x));
  }
}

}  // namespace

busy_cores::busy_cores(int count) {
  const sys::cpu_mask mask = sys::cpu_mask::of_calling_thread();
  for (int cpu = mask.first(); cpu >= 0; cpu = mask.next(cpu)) cpus_.push_back(cpu);
  cpus_.erase(cpus_.begin(), cpus_.end() - std::min<std::ptrdiff_t>(count, std::ssize(cpus_)));
  const pid_t parent = getpid();
  for (const int cpu : cpus_) {
    const pid_t child = fork();
    if (child == 0) compute_for_ever(cpu, parent);
    if (child > 0) children_.push_back(child);
  }
}

busy_cores::~busy_cores() {
  for (const pid_t child : children_) kill(child, SIGKILL);
  for (const pid_t child : children_)
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
}

}  // namespace amity::cli
