#include "amity/nodes/output.hpp"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <mutex>

#include "amity/dsm/memory.hpp"
#include "amity/nodes/job.hpp"
#include "amity/nodes/links.hpp"
#include "amity/sys/raw_syscall.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::nodes::output {
namespace {

int pipe_end = -1;
sys::spin_lock handing_on;  // held while messages are sent: one thread's follow one another
char text[16 * 1024];       // under the lock

}  // namespace

void begin() noexcept {
  if (us.own == 0 || !us.has_launcher_of_others) return;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0 || dup2(ends[1], STDOUT_FILENO) < 0)
    refuse("no pipe for what this node prints: %s", strerror(errno));
  close(ends[1]);
  pipe_end = dsm::descriptor_out_of_the_way(ends[0]);
  fcntl(pipe_end, F_SETFL, O_NONBLOCK);
}

int descriptor() noexcept { return pipe_end; }

namespace {

void hand_on_all() noexcept {
  for (;;) {
    long const n = sys::raw_syscall(SYS_read, pipe_end, reinterpret_cast<long>(text), sizeof text);
    if (n == -EINTR) continue;
    if (n <= 0) return;
    omp::cluster::piece const all{text, static_cast<std::size_t>(n)};
    send_message(0, {.about = prints, .bytes = static_cast<std::uint32_t>(n)}, &all, 1);
  }
}

}  // namespace

void hand_on() noexcept {
  if (pipe_end < 0) return;
  std::lock_guard const one_at_a_time(handing_on);
  hand_on_all();
}

void hand_on_if_nobody_does() noexcept {
  std::unique_lock const one_at_a_time(handing_on, std::try_to_lock);
  if (one_at_a_time) hand_on_all();
}

void write(const void* from, std::size_t bytes) noexcept {
  for (auto* at = static_cast<const char*>(from); bytes > 0;) {
    long const n = sys::raw_syscall(SYS_write, STDOUT_FILENO, reinterpret_cast<long>(at), static_cast<long>(bytes));
    if (n == -EAGAIN) {  // somebody has made it non-blocking
      pollfd writable{STDOUT_FILENO, POLLOUT, 0};
      sys::raw_syscall(SYS_poll, reinterpret_cast<long>(&writable), 1, -1);
    } else if (n < 0 && n != -EINTR) {
      return;  // closed, or a full disk: as where the program itself doesn't look
    } else if (n > 0) {
      at += n;
      bytes -= static_cast<std::size_t>(n);
    }
  }
}

}  // namespace amity::nodes::output
