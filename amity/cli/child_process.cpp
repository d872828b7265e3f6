#include "amity/cli/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace amity::cli {
namespace {

using clock = std::chrono::steady_clock;

// In the child: never returns.
[[noreturn]] void become(char* const* arguments, const child_options& options, int output, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(126);  // it ended before the line above
  dup2(output, STDOUT_FILENO);
  if (options.hide_errors) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  }
  for (const auto& [name, value] : options.environment) {
    if (value.empty())
      unsetenv(name.c_str());
    else
      setenv(name.c_str(), value.c_str(), 1);
  }
  execvp(arguments[0], arguments);
  _exit(127);
}

// Reads until the writers have closed; false when the limit came first.
bool read_all(int from, const child_options& options, std::string& text) {
  const double limit_s = options.limit_s;
  const auto end = clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(limit_s));
  std::array<char, 4096> chunk;
  for (;;) {
    int wait_ms = -1;
    if (limit_s > 0) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - clock::now()).count();
      if (left <= 0) return false;
      wait_ms = static_cast<int>(left) + 1;
    }
    pollfd ready{from, POLLIN, 0};
    if (poll(&ready, 1, wait_ms) <= 0) continue;
    const ssize_t got = read(from, chunk.data(), chunk.size());
    if (got == 0) return true;
    if (got > 0) text.append(chunk.data(), static_cast<std::size_t>(got));
    if (got > 0 && options.on_output) options.on_output(text);
    if (got < 0 && errno != EINTR && errno != EAGAIN) return true;
  }
}

}  // namespace

bool child_result::ok() const { return started && !timed_out && WIFEXITED(status) && WEXITSTATUS(status) == 0; }

std::string child_result::ending(double limit_s) const {
  if (!started) return "could not be started";
  if (timed_out) return "no end within " + std::to_string(static_cast<int>(limit_s)) + " s";
  if (WIFSIGNALED(status))
    return "signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
  return "exit status " + std::to_string(WEXITSTATUS(status));
}

child_result run_child(const std::vector<std::string>& command, const child_options& options) {
  child_result result;
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::array<int, 2> ends{};
  if (command.empty() || pipe2(ends.data(), O_CLOEXEC) != 0) return result;

  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) become(arguments.data(), options, ends[1], parent);
  close(ends[1]);
  if (child > 0) {
    result.timed_out = !read_all(ends[0], options, result.output);
    if (result.timed_out) kill(child, SIGKILL);
    while (waitpid(child, &result.status, 0) < 0 && errno == EINTR) {
    }
    result.started = !(WIFEXITED(result.status) && WEXITSTATUS(result.status) == 127);
  }
  close(ends[0]);
  return result;
}

std::string output_of(const std::vector<std::string>& command) {
  child_options options;
  options.hide_errors = true;
  return run_child(command, options).output;
}

}  // namespace amity::cli
