#include "amity/accel/internal/read_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

namespace amity::accel::detail {
namespace {

class descriptor {
 public:
  // O_NONBLOCK: a pipe that nobody writes is opened at once, and seen to be none of ours.
  explicit descriptor(const char* path) noexcept : fd_(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  [[nodiscard]] int get() const noexcept { return fd_; }

 private:
  int fd_;
};

/// What it is, if it is no file with bytes.
const char* other_kind(mode_t mode) noexcept {
  if (S_ISREG(mode)) return nullptr;
  if (S_ISDIR(mode)) return "it is a folder";
  if (S_ISFIFO(mode)) return "it is a pipe";
  return "it is a device or a socket";
}

/// False: errno says why.
bool read_all(int fd, std::string& to, std::size_t most) {
  constexpr std::size_t step = std::size_t{64} << 10;
  for (std::size_t n = 0;;) {
    if (to.size() == n) to.resize(n + step);
    ssize_t const got = read(fd, to.data() + n, to.size() - n);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    n += static_cast<std::size_t>(got);
    if (got != 0 && n <= most) continue;
    to.resize(n);
    return true;
  }
}

}  // namespace

std::optional<std::string> read_file(const std::string& path, std::string& why) {
  constexpr std::size_t most = std::size_t{256} << 20;
  if (path.find('\0') != std::string::npos) {
    why = "its name has a character 0";
    return std::nullopt;
  }
  descriptor const file(path.c_str());
  struct stat is {};
  if (file.get() < 0 || fstat(file.get(), &is) != 0) {
    why = strerror(errno);
    return std::nullopt;
  }
  if (const char* const kind = other_kind(is.st_mode); kind != nullptr) {
    why = kind;
    return std::nullopt;
  }
  std::string text;
  // A file of the kernel's says that it has no bytes, and has some.
  bool is_larger = is.st_size > static_cast<off_t>(most);
  if (!is_larger) {
    text.resize(static_cast<std::size_t>(is.st_size) + 1);
    if (!read_all(file.get(), text, most)) {
      why = strerror(errno);
      return std::nullopt;
    }
    is_larger = text.size() > most;
  }
  if (is_larger) {
    why = "it has more than " + std::to_string(most >> 20) + " MiB";
    return std::nullopt;
  }
  return text;
}

}  // namespace amity::accel::detail
