#include "amity/net/internal/ucx_transports.hpp"

#include <gtest/gtest.h>

namespace amity::net {
namespace {

std::string list(const char* wanted, bool one_node, bool dev_shm = true) {
  return ucx_transports(wanted, one_node, dev_shm).list;
}

TEST(UcxTransports, OfOneNodeAreSharedMemory) {
  EXPECT_EQ(list(nullptr, true), "posix,sysv,cma");
  EXPECT_EQ(list("", true), "posix,sysv,cma");
  EXPECT_EQ(list("all", true), "posix,sysv,cma");
  EXPECT_EQ(list("sm", true), "posix,sysv,cma");
  EXPECT_EQ(list("mm,self", true), "posix,sysv");
  EXPECT_EQ(list("^tcp", true), "posix,sysv,cma");
  EXPECT_EQ(list("^posix,cma", true), "sysv");
  EXPECT_EQ(list("xpmem,tcp,rc", true), "xpmem");
}

TEST(UcxTransports, OfTheUserThatReachFurtherAreLeftOnOneNode) {
  EXPECT_EQ(ucx_transports("sm,tcp,rc_x,self", true, true).left, "tcp,rc_x");
  EXPECT_EQ(ucx_transports("sm", true, true).left, "");
  EXPECT_EQ(ucx_transports("^tcp", true, true).left, "");
}

TEST(UcxTransports, ThatOnlyCopyAreNotEnough) {
  EXPECT_EQ(list("tcp", true), "");
  EXPECT_EQ(list("cma,self", true), "");
  EXPECT_EQ(list("^sm", true), "");
}

TEST(UcxTransports, UseNoFileSystemWithoutRoom) {
  EXPECT_EQ(list(nullptr, true, false), "sysv,cma");
  EXPECT_EQ(list("posix", true, false), "posix");  // the user knows better
  EXPECT_EQ(list(nullptr, false, false), "^tcp,posix");
}

TEST(UcxTransports, BetweenNodesAreAllButTcp) {
  EXPECT_EQ(list(nullptr, false), "^tcp");
  EXPECT_EQ(list("all", false), "^tcp");
  EXPECT_EQ(list("^ud", false), "^ud,tcp");
  EXPECT_EQ(list("rc,tcp,sm", false), "rc,sm");
  EXPECT_EQ(list("tcp", false), "");
  EXPECT_EQ(ucx_transports("rc,tcp", false, true).left, "tcp");
}

}  // namespace
}  // namespace amity::net
