#include "amity/cli/keep_going.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "amity/base/report.hpp"
#include "amity/cli/commands.hpp"

namespace amity::cli {
namespace {

using base::warn;

constexpr int handed_on[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGCONT, SIGTSTP};

volatile pid_t guarded = 0;

// The terminal's go to all processes of its group at once, also to the child.
void hand_on(int signal, siginfo_t* of, void*) {
  if (of->si_code <= 0) kill(guarded, signal);
}

// Hands on what it gets meanwhile. The exit status as a shell has it.
int wait_for(pid_t child, bool with_words) {
  guarded = child;
  for (const int signal : handed_on) {
    struct sigaction action {};
    action.sa_sigaction = hand_on;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    sigaction(signal, &action, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  const int signal = WTERMSIG(status);
  if (with_words)
    warn("run: process %d was ended by signal %d (%s)", static_cast<int>(child), signal, strsignal(signal));
  return 128 + signal;
}

// One write for each rank, so that they don't mix.
void put_down(const std::string& note, int status) {
  if (status == 0 || note.empty()) return;
  const int file = open(note.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);  // not there: on another machine
  if (file < 0) return;
  const std::string line = std::to_string(status) + "\n";
  static_cast<void>(!write(file, line.data(), line.size()));
  close(file);
}

// In the child: 0. Signals are blocked there, and in the parent, who has yet to learn whom to hand them on to.
pid_t make_child(sigset_t* before) {
  sigset_t these;
  sigemptyset(&these);
  for (const int signal : handed_on) sigaddset(&these, signal);
  sigprocmask(SIG_BLOCK, &these, before);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child > 0) return child;
  sigprocmask(SIG_SETMASK, before, nullptr);
  if (child < 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(EXIT_FAILURE);
  return 0;
}

}  // namespace

int become_child_of_guard(const std::string& note) {
  signal(SIGUSR1, SIG_IGN);  // survives the exec
  sigset_t before;
  const pid_t child = make_child(&before);
  if (child > 0) {
    const int status = wait_for(child, true);
    put_down(note, status);
    _exit(status);
  }
  return child;
}

int wait_for_launcher(const std::vector<std::string>& launching) {
  std::string note = (std::filesystem::temp_directory_path() / "amity-run-XXXXXX").string();
  const int file = mkstemp(note.data());
  if (file < 0)
    warn("run: no file for the exit status in %s: %s", note.c_str(), std::strerror(errno));
  else
    setenv(note_variable, note.c_str(), 1);
  sigset_t before;
  const pid_t child = make_child(&before);
  if (child == 0) {
    std::vector<char*> arguments;
    for (const std::string& word : launching) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments.front(), arguments.data());
    warn("run: cannot start the launcher '%s': %s", launching.front().c_str(), std::strerror(errno));
    _exit(own_failure);
  }
  if (child < 0) warn("run: cannot make a process for the launcher: %s", std::strerror(errno));
  int status = child < 0 ? own_failure : wait_for(child, false);
  if (file < 0) return status;
  char noted[8] = "";
  if (status == 0 && read(file, noted, sizeof noted - 1) > 0) status = std::atoi(noted);
  close(file);
  unlink(note.c_str());
  return status;
}

}  // namespace amity::cli
