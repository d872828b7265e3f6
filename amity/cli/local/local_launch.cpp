#include "amity/cli/local/local_launch.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>

#include "amity/base/report.hpp"
#include "amity/cli/commands.hpp"
#include "amity/cli/local/pmi1_server.hpp"
#include "amity/cli/local/rank_output.hpp"

namespace amity::cli {
namespace {

using base::warn;
using clock_type = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int handed_on[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT, SIGTSTP};

// Of other launchers, around this one: a rank must not take them for its own.
constexpr const char* of_others[] = {"PMIX_RANK",
                                     "PMIX_NAMESPACE",
                                     "OMPI_COMM_WORLD_SIZE",
                                     "OMPI_COMM_WORLD_RANK",
                                     "OMPI_COMM_WORLD_LOCAL_RANK",
                                     "OMPI_COMM_WORLD_LOCAL_SIZE",
                                     "SLURM_PROCID",
                                     "SLURM_LOCALID",
                                     "SLURM_STEP_NUM_TASKS",
                                     "SLURM_STEP_TASKS_PER_NODE",
                                     "PMI_PORT",
                                     "PMI_ID",
                                     "PMI_SPAWNED"};

// Descriptors 0 to 2 are there, so that none of ours is among them.
void have_standard_files() {
  for (int fd = 0; fd <= 2; ++fd)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) static_cast<void>(open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY));
}

// What this process changes of itself, and a rank has to have as it was.
class surroundings {
 public:
  surroundings() {
    sigset_t taken;
    sigemptyset(&taken);
    for (const int signal : handed_on) sigaddset(&taken, signal);
    sigaddset(&taken, SIGCHLD);
    sigprocmask(SIG_BLOCK, &taken, &mask_);
    signals_ = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
    sigpipe_ = signal(SIGPIPE, SIG_IGN);
    getrlimit(RLIMIT_NOFILE, &files_);
    rlimit more = files_;
    more.rlim_cur = more.rlim_max;
    setrlimit(RLIMIT_NOFILE, &more);
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // what a rank leaves behind becomes a child of this process
  }
  void restore() const {
    setrlimit(RLIMIT_NOFILE, &files_);
    signal(SIGPIPE, sigpipe_);
    sigprocmask(SIG_SETMASK, &mask_, nullptr);
  }
  // A descriptor from which signals are read.
  [[nodiscard]] int signals() const { return signals_; }

 private:
  sigset_t mask_{};
  rlimit files_{};
  sighandler_t sigpipe_ = SIG_DFL;
  int signals_ = -1;
};

struct rank_process {
  pid_t process = 0;
  int pmi = -1;  // our end of its connection to the process manager
  bool is_over = false;
};

class local_job {
 public:
  local_job(int ranks, const rank_program& program, const local_wishes& wishes)
      : program_(program), wishes_(wishes), server_(ranks, "amity-" + std::to_string(getpid())) {
    ranks_.resize(static_cast<std::size_t>(ranks));
    errors_to_same_ = is_same_file(STDOUT_FILENO, STDERR_FILENO);
  }

  int run() {
    for (int r = 0; r < size() && start(r); ++r) {
    }
    if (program_.when_started) program_.when_started();
    while (left_ > 0) wait_and_serve();
    end_stragglers();
    hand_out_the_rest();
    return status();
  }

 private:
  [[nodiscard]] int size() const { return static_cast<int>(ranks_.size()); }
  [[nodiscard]] rank_process& of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  // --- beginning

  // The descriptor that a rank has for `own`; its own end, to be closed here, or -1: it has ours.
  bool channel_for(int rank, int own, output& to, int& its) {
    const bool terminal = isatty(own) != 0;
    its = -1;
    if ((terminal && !wishes_.tag) || wishes_.one_program) return true;
    int ours = -1;
    if (!open_channel(terminal, own, ours, its)) return false;
    streams_.emplace_back(ours, to, wishes_.tag ? "[" + std::to_string(rank) + "] " : "");
    return true;
  }

  bool start(int rank) {
    int ends[2] = {-1, -1}, out = -1, err = -1;
    const bool ready = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 &&
                       channel_for(rank, STDOUT_FILENO, out_, out) &&
                       (errors_to_same_ || channel_for(rank, STDERR_FILENO, err_, err));
    const pid_t me = getpid();
    const pid_t process = ready ? fork() : -1;
    if (process == 0) become_rank(rank, me, ends[1], out, errors_to_same_ ? out : err);
    const int error = errno;
    for (const int fd : {ends[1], out, err})
      if (fd >= 0) close(fd);
    of(rank).pmi = ends[0];
    if (process < 0) {
      warn("run: cannot start rank %d of %d: %s; the job is ended", rank, size(), std::strerror(error));
      fail(own_failure);
      return false;
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    of(rank).process = process;
    ++left_;
    return true;
  }

  [[noreturn]] void become_rank(int rank, pid_t parent, int pmi, int out, int err) {
    surroundings_.restore();
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // with words of its own where it is of a job: net/watch.cpp
    if (getppid() != parent) _exit(own_failure);
    if (rank != 0) {
      const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
      if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    }
    if (out >= 0) dup2(out, STDOUT_FILENO);
    if (err >= 0) dup2(err, STDERR_FILENO);
    for (const char* name : of_others) unsetenv(name);
    const auto set = [](const char* name, int value) { setenv(name, std::to_string(value).c_str(), 1); };
    if (wishes_.one_program) {
      if (rank != 0) setpgid(0, 0);  // the terminal's signals are the program's, which rank 0 stands for
    } else {
      fcntl(pmi, F_SETFD, 0);
      set("PMI_FD", pmi);
      set("PMI_RANK", rank);
      set("PMI_SIZE", size());
      set("AMITY_RUN_LAUNCHES", 1);  // for words: PMI-1 is MPICH's else
    }
    set("MPI_LOCALRANKID", rank);
    set("MPI_LOCALNRANKS", size());
    if (program_.at_birth) program_.at_birth(rank);
    std::vector<char*> arguments;
    for (const std::string& word : program_.words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(program_.path.c_str(), arguments.data());  // with p, because a script without "#!" then goes to the shell
    const int error = errno;
    if (rank == 0)
      warn("cannot run '%s': %s%s", program_.words.front().c_str(), std::strerror(error),
           error == ENOENT ? " (the file is there: the interpreter or loader that it names is not)" : "");
    _exit(error == ENOENT ? not_found : cannot_execute);
  }

  // --- all the while

  void wait_and_serve() {
    std::vector<pollfd> all{{surroundings_.signals(), POLLIN, 0}};
    for (const rank_process& r : ranks_) all.push_back({r.pmi, POLLIN, 0});
    const auto first_stream = all.size();
    for (const rank_stream& s : streams_) all.push_back({s.to().is_full() ? -1 : s.fd(), POLLIN, 0});
    for (const output* o : {&out_, &err_}) all.push_back({o->is_empty() ? -1 : o->fd(), POLLOUT, 0});
    if (poll(all.data(), all.size(), until_next()) < 0 && errno != EINTR) {
      warn("run: the system does not let it wait: %s; the job is ended", std::strerror(errno));
      fail(own_failure);
      kill_all(SIGKILL);
    }
    for (std::size_t i = 0; i < streams_.size(); ++i)
      if (all[first_stream + i].revents != 0) streams_[i].read_some();
    for (int r = 0; r < size(); ++r)
      if (all[static_cast<std::size_t>(r) + 1].revents != 0) hear(r);
    if (all[0].revents != 0) take_signals();
    pass_parts();
    write_out();
    end_in_time();
  }

  // In milliseconds; -1: nothing is due.
  [[nodiscard]] int until_next() const {
    std::optional<clock_type::time_point> next;
    const auto consider = [&next](clock_type::time_point at) { next = next ? std::min(*next, at) : at; };
    if (ending_ != stage::none && ending_ != stage::killed) consider(deadline_);
    for (const rank_stream& s : streams_)
      if (s.has_part()) consider(s.part_is_due());
    if (!next) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - clock_type::now());
    return static_cast<int>(std::max<long long>(left.count(), 0));
  }

  void pass_parts() {
    for (rank_stream& s : streams_)
      if (s.has_part() && s.part_is_due() <= clock_type::now()) s.pass_part();
  }

  void write_out() {
    for (output* o : {&out_, &err_}) {
      const bool was_good = o->error() == 0;
      o->write_some();
      if (!was_good || o->error() == 0 || o->error() == EPIPE) continue;
      warn("run: cannot write what the ranks say: %s; their output is closed", std::strerror(o->error()));
      note(own_failure);
    }
  }

  // What a rank tells the process manager, and its answers.
  void hear(int rank) {
    char text[4096];
    for (;;) {
      const ssize_t n = read(of(rank).pmi, text, sizeof text);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && errno == EAGAIN) return;
      if (n <= 0) {  // it is gone, or has closed it
        close(of(rank).pmi);
        of(rank).pmi = -1;
        if (of(rank).is_over) answer(server_.end(rank));
        return;
      }
      answer(server_.take(rank, std::string_view(text, static_cast<std::size_t>(n))));
      if (server_.aborted()) {
        const int status = server_.aborted()->status & 0xff;
        end_all(status != 0 ? status : EXIT_FAILURE);
      }
    }
  }

  // A few hundred bytes to a peer that reads before it asks again: there is room for them.
  void answer(const std::vector<pmi1_server::answer>& all) {
    for (const pmi1_server::answer& a : all) {
      const int fd = of(a.rank).pmi;
      if (fd >= 0 && send(fd, a.text.data(), a.text.size(), MSG_NOSIGNAL) < 0 && errno != EPIPE)
        warn("run: rank %d takes no answers of its process manager: %s", a.rank, std::strerror(errno));
    }
  }

  // --- signals

  void take_signals() {
    signalfd_siginfo of{};
    while (read(surroundings_.signals(), &of, sizeof of) == sizeof of) {
      const int signal = static_cast<int>(of.ssi_signo);
      if (signal == SIGCHLD) continue;
      if (signal != SIGUSR1 && signal != SIGUSR2 && signal != SIGCONT && signal != SIGTSTP) asked_by_signal_ = true;
      // The terminal's go to all processes of its group at once, also to the ranks.
      if (wishes_.one_program)
        pass_to_program(signal, of.ssi_code <= 0);
      else if (of.ssi_code <= 0)
        kill_all(signal);
      if (signal == SIGTSTP) stop();
    }
    int status = 0;
    for (pid_t process = 0; (process = waitpid(-1, &status, WNOHANG)) > 0;) see_end(process, status);
  }

  // As the kernel has it by default, and as it stops the ranks: not where no shell could have them go on.
  static void stop() {
    sigset_t this_one, before;
    sigemptyset(&this_one);
    sigaddset(&this_one, SIGTSTP);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &this_one, &before);
    sigprocmask(SIG_SETMASK, &before, nullptr);
  }

  // Rank 0 stands for the program. The others only stop and go on with it.
  void pass_to_program(int signal, bool is_from_process) {
    for (int r = 0; r < size(); ++r) {
      const int as = r == 0 || signal == SIGCONT ? signal : signal == SIGTSTP ? SIGSTOP : 0;
      const bool due = r != 0 || is_from_process;
      if (as != 0 && due && of(r).process > 0 && !of(r).is_over) kill(of(r).process, as);
    }
  }

  void kill_all(int signal) {
    for (const rank_process& r : ranks_)
      if (r.process > 0 && !r.is_over) kill(r.process, signal);
  }

  // --- ends

  void see_end(pid_t process, int status) {
    const auto found =
        std::find_if(ranks_.begin(), ranks_.end(), [=](const rank_process& r) { return r.process == process; });
    if (found == ranks_.end() || found->is_over) return;  // what a rank has left behind
    const int rank = static_cast<int>(found - ranks_.begin());
    found->is_over = true;
    --left_;
    if (found->pmi >= 0) hear(rank);  // its last words
    judge(rank, status);
    // A script may have left the connection to what it has started: that is the rank then, until it closes it.
    if (of(rank).pmi < 0 || !server_.is_in_the_midst(rank)) answer(server_.end(rank));
  }

  void judge(int rank, int status) {
    const bool by_signal = WIFSIGNALED(status);
    if (wishes_.one_program) return judge_program(rank, status);
    const bool in_the_midst = server_.is_in_the_midst(rank) && of(rank).pmi < 0;
    const int exit_status = by_signal ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (exit_status == 0 && !in_the_midst) return;
    const bool others_go_on = wishes_.keep_going || server_.has_finalized(rank) || left_ == 0;
    if (ending_ == stage::none) say_how(rank, status, in_the_midst, !others_go_on);
    note(exit_status != 0 ? exit_status : EXIT_FAILURE);
    if (!others_go_on) fail(first_status_);
  }

  void judge_program(int rank, int status) {
    const int exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (rank != 0 && ranks_[0].is_over) return;
    if (rank == 0 && ending_ == stage::none) first_status_ = 0;  // the program's own, whatever was before
    if (exit_status == 0) return;
    note(exit_status);
    if (ending_ != stage::none) return;
    const int process = static_cast<int>(of(rank).process);
    if (WIFSIGNALED(status) && !asked_by_signal_ && WTERMSIG(status) != SIGPIPE)
      warn("run: node %d (process %d) was ended by signal %d (%s)%s", rank, process, WTERMSIG(status),
           strsignal(WTERMSIG(status)), rank == 0 ? "" : "; the program is ended");
    else if (rank != 0 && exit_status != own_failure)  // of which it has said why
      warn("run: node %d (process %d) has ended with exit status %d; the program is ended", rank, process, exit_status);
    if (rank != 0) fail(exit_status);
  }

  void say_how(int rank, int status, bool in_the_midst, bool ends_others) const {
    const char* const and_then = ends_others ? "; the others are ended" : "";
    const int process = static_cast<int>(ranks_[static_cast<std::size_t>(rank)].process);
    if (WIFSIGNALED(status)) {
      const int signal = WTERMSIG(status);
      if (signal == SIGPIPE || asked_by_signal_) return;
      warn("run: rank %d (process %d) was ended by signal %d (%s)%s", rank, process, signal, strsignal(signal),
           and_then);
    } else if (in_the_midst) {
      warn("run: rank %d (process %d) has ended with exit status %d, without leaving its job%s", rank, process,
           WEXITSTATUS(status), and_then);
    } else if (ends_others) {
      warn("run: rank %d (process %d) has ended with exit status %d%s", rank, process, WEXITSTATUS(status), and_then);
    }
  }

  void note(int status) {
    if (first_status_ == 0) first_status_ = status;
  }

  enum class stage { none, asked, told, killed };

  // One has failed: the others see that themselves, and say what they have to say; then they are told, then killed.
  void fail(int status) { begin_end(status, 300ms); }
  // A rank has asked for it.
  void end_all(int status) { begin_end(status, 100ms); }
  void begin_end(int status, std::chrono::milliseconds grace) {
    note(status);
    if (ending_ != stage::none) return;
    ending_ = stage::asked;
    deadline_ = clock_type::now() + grace;
  }
  void end_in_time() {
    if (ending_ == stage::none || ending_ == stage::killed || clock_type::now() < deadline_) return;
    const bool is_told = ending_ == stage::told;
    if (!is_told) kill_all(SIGCONT);  // a stopped one would not hear it
    kill_all(is_told ? SIGKILL : SIGTERM);
    ending_ = is_told ? stage::killed : stage::told;
    deadline_ = clock_type::now() + 2s;
  }

  // Where the job has failed: what ranks have started and left behind, which are children of this process now.
  void end_stragglers() const {
    if (ending_ == stage::none) return;
    for (int rounds = 0; rounds < 100; ++rounds) {
      std::ifstream list("/proc/self/task/" + std::to_string(getpid()) + "/children");
      bool some = false;
      for (pid_t child = 0; list >> child; some = true) kill(child, SIGKILL);
      if (!some) return;
      while (waitpid(-1, nullptr, WNOHANG) > 0) {
      }
      usleep(1000);
    }
  }

  // What is in the pipes yet. Those that a rank has left behind may have them open for long: they are not waited for.
  void hand_out_the_rest() {
    for (rank_stream& s : streams_) {
      while (s.read_some()) write_out();
      s.close();
    }
    surroundings_.restore();  // a signal ends this process while nobody reads
    signal(SIGPIPE, SIG_IGN);
    for (output* o : {&out_, &err_})
      while (!o->is_empty()) {
        pollfd ready{o->fd(), POLLOUT, 0};
        poll(&ready, 1, -1);
        write_out();
      }
  }

  [[nodiscard]] int status() const { return first_status_; }

  const rank_program& program_;
  const local_wishes& wishes_;
  surroundings surroundings_;
  pmi1_server server_;
  std::vector<rank_process> ranks_;
  output out_{STDOUT_FILENO}, err_{STDERR_FILENO};
  bool errors_to_same_ = false;
  std::vector<rank_stream> streams_;
  int left_ = 0;  // processes
  int first_status_ = 0;
  bool asked_by_signal_ = false;  // to end
  stage ending_ = stage::none;
  clock_type::time_point deadline_{};
};

}  // namespace

int launch_here(int ranks, const rank_program& program, const local_wishes& wishes) {
  have_standard_files();
  return local_job(ranks, program, wishes).run();
}

}  // namespace amity::cli
