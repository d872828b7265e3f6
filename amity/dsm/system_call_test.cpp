// The kernel reads and writes the program's memory, too: a page that a system call needs may be away.
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <new>

#include "amity/dsm/test_support.hpp"

namespace amity::dsm {
namespace {

using testing::meet;
using testing::node;

// Process 1 calls `use` with a page in which process 0 has just put `before`; and again with one of its own that
// process 0 has used last.
using user = bool (*)(std::byte* page, std::byte* other_page);
std::string with_pages_away(user use, const char* before = "") {
  return testing::run({.processes = 2, .pages = 8}, [&](const node& n) {
    bool right = true;
    int const pages[][2] = {{1, 2}, {9, 10}, {3, 11}};
    for (auto const& [first, second] : pages)
      if (n.own == 0) {
        std::strcpy(reinterpret_cast<char*>(n.page(first)), before);
        std::strcpy(reinterpret_cast<char*>(n.page(second)), before);
      }
    meet(n, n.word(0), 0);
    if (n.own == 1)
      for (auto const& [first, second] : pages) right &= use(n.page(first), n.page(second));
    meet(n, n.word(0), 1);
    return right;
  });
}

class system_call : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* const why = why_no_faults(); why != nullptr) GTEST_SKIP() << why;
  }
};

TEST_F(system_call, write_and_read) {
  EXPECT_EQ(with_pages_away(
                [](std::byte* a, std::byte* b) {
                  int ends[2];
                  if (pipe(ends) != 0) return false;
                  bool const right =
                      write(ends[1], a, 6) == 6 && read(ends[0], b, 6) == 6 && std::memcmp(b, "words", 6) == 0;
                  close(ends[0]);
                  close(ends[1]);
                  return right;
                },
                "words"),
            "");
}

TEST_F(system_call, readv_across_pages) {
  EXPECT_EQ(with_pages_away([](std::byte* a, std::byte* b) {
              int ends[2];
              if (pipe(ends) != 0 || write(ends[1], "abcdef", 6) != 6) return false;
              iovec parts[2] = {{a, 3}, {b, 3}};
              bool const right =
                  readv(ends[0], parts, 2) == 6 && std::memcmp(a, "abc", 3) == 0 && std::memcmp(b, "def", 3) == 0;
              close(ends[0]);
              close(ends[1]);
              return right;
            }),
            "");
}

TEST_F(system_call, sendmsg_and_recvmsg) {
  EXPECT_EQ(with_pages_away(
                [](std::byte* a, std::byte* b) {
                  int ends[2];
                  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0) return false;
                  // The head and its list of parts lie in such pages, too.
                  auto* const part = new (a + 512) iovec{a, 6};
                  auto* const head = new (b + 512) msghdr{};
                  head->msg_iov = part;
                  head->msg_iovlen = 1;
                  bool right = sendmsg(ends[0], head, 0) == 6;
                  part->iov_base = b;
                  right &= recvmsg(ends[1], head, 0) == 6 && std::memcmp(b, "words", 6) == 0;
                  close(ends[0]);
                  close(ends[1]);
                  return right;
                },
                "words"),
            "");
}

TEST_F(system_call, names_of_files) {
  EXPECT_EQ(with_pages_away(
                [](std::byte* a, std::byte* b) {
                  struct stat* const known = new (b) struct stat;
                  int const fd = open(reinterpret_cast<char*>(a), O_RDONLY);
                  bool const right = fd >= 0 && stat(reinterpret_cast<char*>(a), known) == 0;
                  close(fd);
                  return right;
                },
                "/dev/null"),
            "");
}

TEST_F(system_call, pread_of_a_file) {
  EXPECT_EQ(with_pages_away([](std::byte* a, std::byte* b) {
              int const fd = open("/proc/self/exe", O_RDONLY);
              // A whole page each, which the kernel may copy from its cache in one go.
              bool const right = pread(fd, a, page_size, 0) == page_size && pread(fd, b, page_size, 0) == page_size &&
                                 std::memcmp(a, "\177ELF", 4) == 0 && std::memcmp(a, b, page_size) == 0;
              close(fd);
              return right;
            }),
            "");
}

TEST_F(system_call, futex) {
  EXPECT_EQ(
      with_pages_away([](std::byte* a, std::byte* b) {
        timespec* const soon = new (b) timespec{0, 1000};
        // The word is read, and so is the time.
        bool const is_another = syscall(SYS_futex, a, FUTEX_WAIT, 12345, soon, nullptr, 0) == -1 && errno == EAGAIN;
        bool const is_over = syscall(SYS_futex, b + 64, FUTEX_WAIT, 0, soon, nullptr, 0) == -1 && errno == ETIMEDOUT;
        return is_another && is_over && syscall(SYS_futex, a, FUTEX_WAKE, 1, nullptr, nullptr, 0) == 0;
      }),
      "");
}

TEST_F(system_call, clock_gettime_and_nanosleep) {
  EXPECT_EQ(with_pages_away([](std::byte* a, std::byte* b) {
              auto* const t = new (a) timespec{};
              bool right = clock_gettime(CLOCK_MONOTONIC, t) == 0 && t->tv_sec != 0;
              auto* const raw = new (b) timespec{};
              right &= syscall(SYS_clock_gettime, CLOCK_MONOTONIC, raw) == 0 && raw->tv_sec != 0;
              *t = {0, 1000};
              return right && nanosleep(t, raw) == 0;
            }),
            "");
}

TEST_F(system_call, poll) {
  EXPECT_EQ(with_pages_away([](std::byte* a, std::byte* b) {
              auto* const what = new (a) pollfd{open("/dev/null", O_WRONLY), POLLOUT, 0};
              bool const right = poll(what, 1, 0) == 1 && what->revents == POLLOUT;
              close(what->fd);
              return right && b != nullptr;
            }),
            "");
}

// The kernel writes the frame of a signal's handler to a stack that is away.
TEST_F(system_call, a_signal_on_a_stack_that_is_away) {
  EXPECT_EQ(testing::run({.processes = 2, .pages = 16},
                         [](const node& n) {
                           static volatile sig_atomic_t seen = 0;
                           bool right = true;
                           if (n.own == 0) std::memset(n.page(1), 7, 15 * page_size);
                           meet(n, n.word(0), 0);
                           if (n.own == 1) {
                             stack_t stack{};
                             stack.ss_sp = n.page(1);
                             stack.ss_size = 15 * page_size;
                             struct sigaction action {};
                             action.sa_handler = [](int) { seen = 1; };
                             action.sa_flags = SA_ONSTACK;
                             right = sigaltstack(&stack, nullptr) == 0 && sigaction(SIGUSR1, &action, nullptr) == 0 &&
                                     raise(SIGUSR1) == 0 && seen == 1;
                           }
                           meet(n, n.word(0), 1);
                           return right;
                         }),
            "");
}

}  // namespace
}  // namespace amity::dsm
