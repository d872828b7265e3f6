#include "amity/cli/local/rank_output.hpp"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace amity::cli {

output::output(int fd) : fd_(fd) {
  struct stat s {};
  is_file_ = fstat(fd, &s) == 0 && S_ISREG(s.st_mode);
}

void output::write_now(std::size_t most) {
  const ssize_t n = write(fd_, waiting_.data(), std::min(most, waiting_.size()));
  if (n >= 0) {
    waiting_.erase(0, static_cast<std::size_t>(n));
  } else if (errno != EINTR && errno != EAGAIN) {
    error_ = errno;
    waiting_.clear();
  }
}

// A pipe that is ready takes PIPE_BUF bytes without blocking. The descriptor is shared with whoever started this
// process, so it can't be made non-blocking.
void output::write_some() {
  while (!waiting_.empty()) {
    pollfd ready{fd_, POLLOUT, 0};
    if (!is_file_ && poll(&ready, 1, 0) <= 0) return;
    write_now(is_file_ ? waiting_.size() : PIPE_BUF);
  }
}

rank_stream::rank_stream(int from, output& to, std::string tag) : from_(from), to_(&to), tag_(std::move(tag)) {
  fcntl(from, F_SETFL, fcntl(from, F_GETFL) | O_NONBLOCK);
}

rank_stream::rank_stream(rank_stream&& other) noexcept
    : from_(std::exchange(other.from_, -1)),
      to_(other.to_),
      tag_(std::move(other.tag_)),
      part_(std::move(other.part_)),
      part_came_(other.part_came_),
      at_line_begin_(other.at_line_begin_) {}

void rank_stream::pass(const char* text, std::size_t size) {
  if (size == 0) return;
  if (at_line_begin_ && !tag_.empty()) to_->add(tag_);
  to_->add(text, size);
  at_line_begin_ = text[size - 1] == '\n';
}

void rank_stream::pass_part() {
  pass(part_.data(), part_.size());
  part_.clear();
}

void rank_stream::pass_lines(const char* text, std::size_t size) {
  const void* const last = memrchr(text, '\n', size);
  std::size_t whole = last != nullptr ? static_cast<std::size_t>(static_cast<const char*>(last) - text) + 1 : 0;
  if (whole != 0) pass_part();
  if (tag_.empty()) {
    pass(text, whole);
  } else {
    for (std::size_t at = 0; at < whole;) {
      const auto* const end = static_cast<const char*>(memchr(text + at, '\n', whole - at));
      const std::size_t length = static_cast<std::size_t>(end - (text + at)) + 1;
      pass(text + at, length);
      at += length;
    }
  }
  if (whole == size) return;
  part_.append(text + whole, size - whole);
  part_came_ = clock::now();
  if (part_.size() > longest_line) pass_part();
}

bool rank_stream::read_some() {
  if (from_ < 0) return false;
  char text[1 << 16];
  const ssize_t n = read(from_, text, sizeof text);
  if (n > 0) {
    if (to_->error() != 0)
      close();  // the rank learns of it as if it had written there itself
    else
      pass_lines(text, static_cast<std::size_t>(n));
    return from_ >= 0;
  }
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  close();  // its end; of a pseudo terminal, EIO
  return false;
}

void rank_stream::close() {
  if (from_ < 0) return;
  pass_part();
  ::close(std::exchange(from_, -1));
}

namespace {

bool open_terminal(int like, int& ours, int& its) {
  ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (ours < 0) return false;
  char name[128];
  its = grantpt(ours) == 0 && unlockpt(ours) == 0 && ptsname_r(ours, name, sizeof name) == 0
            ? open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
            : -1;
  if (its < 0) {
    close(ours);
    return false;
  }
  termios mode{};
  if (tcgetattr(its, &mode) == 0) {
    cfmakeraw(&mode);  // the user's terminal makes of a newline what it has to
    tcsetattr(its, TCSANOW, &mode);
  }
  winsize size{};
  if (ioctl(like, TIOCGWINSZ, &size) == 0) ioctl(its, TIOCSWINSZ, &size);
  return true;
}

}  // namespace

bool open_channel(bool terminal, int like, int& ours, int& its) {
  if (terminal && open_terminal(like, ours, its)) return true;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  ours = ends[0];
  its = ends[1];
  return true;
}

bool is_same_file(int a, int b) {
  struct stat x {
  }, y{};
  return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

}  // namespace amity::cli
