#include "amity/net/internal/inherited.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace amity::net {
namespace {

int listener() {
  int const fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return bind(fd, reinterpret_cast<sockaddr*>(&a), sizeof a) == 0 && listen(fd, 1) == 0 ? fd : -1;
}

bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

// The child's exit status has a bit for each thing that is wrong.
TEST(Inherited, ListenersOfTheParentAreClosedAndNothingElse) {
  int const parents = listener(), silent = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_GE(parents, 0);
  pid_t const child = fork();
  if (child == 0) {
    int const own = listener();
    close_inherited_listeners();
    _exit((is_open(parents) ? 1 : 0) + (is_open(silent) ? 0 : 2) + (is_open(own) ? 0 : 4) + (is_open(0) ? 0 : 8));
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), is_open(0) ? 0 : 8);
  EXPECT_TRUE(is_open(parents));
  close(parents);
  close(silent);
}

}  // namespace
}  // namespace amity::net
