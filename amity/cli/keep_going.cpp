#include "amity/cli/keep_going.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "amity/base/report.hpp"

namespace amity::cli {
namespace {

using base::warn;

constexpr int handed_on[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGCONT, SIGTSTP};

volatile pid_t guarded = 0;

void hand_on(int signal) { kill(guarded, signal); }

[[noreturn]] void guard(pid_t child) {
  guarded = child;
  for (const int signal : handed_on) {
    struct sigaction action {};
    action.sa_handler = hand_on;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  warn("run: process %d was ended by signal %d (%s)", static_cast<int>(child), signal, strsignal(signal));
  _exit(128 + signal);
}

}  // namespace

int become_child_of_guard() {
  signal(SIGUSR1, SIG_IGN);  // survives the exec
  // Blocked until the guard knows whom to hand them on to.
  sigset_t these, before;
  sigemptyset(&these);
  for (const int signal : handed_on) sigaddset(&these, signal);
  sigprocmask(SIG_BLOCK, &these, &before);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child > 0) guard(child);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (child < 0) return -1;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(EXIT_FAILURE);
  return 0;
}

}  // namespace amity::cli
