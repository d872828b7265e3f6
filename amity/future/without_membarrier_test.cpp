// Where the system has no membarrier(2): thieves come to what an owner keeps to itself all the same.

#include <errno.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <atomic>
#include <cstddef>
#include <vector>

#include "amity/base/processor.hpp"
#include "amity/future/async.hpp"
#include "amity/sched/tasks/deque.hpp"

namespace amity {
namespace {

/// The kernel refuses it from now on, to this thread and to those that it makes. False: it can't be told to.
bool refuse_membarrier() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog filter{4, program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/// The regression: the second of two tasks lay hidden behind the first, and a raid without the barrier left it there.
TEST(WithoutMembarrier, TasksOfAThreadThatSpinsAreRun) {
  if (!refuse_membarrier() || sys::barrier_on_all_threads()) GTEST_SKIP() << "it can't be refused here";
  constexpr int rounds = 100, tasks = 8;
  for (int round = 0; round < rounds; ++round) {
    std::atomic<int> ran{0};
    std::vector<future<void>> all;
    for (int i = 0; i < tasks; ++i) all.push_back(async([&ran] { ++ran; }));
    while (ran != tasks) base::cpu_relax();  // not a wait that the runtime knows of
    for (auto& f : all) f.get();
  }
}

}  // namespace
}  // namespace amity
