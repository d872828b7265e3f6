#include "amity/launch/networks.hpp"

#include <gtest/gtest.h>

namespace amity::launching {
namespace {

TEST(Networks, ThatAllHaveAreTaken) {
  EXPECT_EQ(choose_address("10.1.0.1/16;192.168.7.1/24", {"192.168.7.2/24", "10.1.0.3/16;192.168.7.3/24"}),
            "192.168.7.1");
  EXPECT_EQ(choose_address("10.1.0.1/16;192.168.7.1/24", {"10.1.200.2/16"}), "10.1.0.1");
}

TEST(Networks, WithTheSameAddressEverywhereAreNone) {
  EXPECT_EQ(choose_address("172.17.0.1/16;10.1.0.1/16", {"172.17.0.1/16;10.1.0.2/16"}), "10.1.0.1");
  EXPECT_EQ(choose_address("172.17.0.1/16;10.1.0.1/16", {"172.17.0.2/16;10.1.0.2/16", "172.17.0.2/16;10.1.0.3/16"}),
            "10.1.0.1");
}

TEST(Networks, ThatDifferAreReachedByARoute) {
  // 127.0.0.2 is reached from 127.0.0.1 everywhere.
  EXPECT_EQ(choose_address("203.0.113.1/32;127.0.0.1/32", {"127.0.0.1/32"}), "127.0.0.1");
  EXPECT_EQ(choose_address("203.0.113.1/32", {""}), "203.0.113.1");
  EXPECT_EQ(choose_address("", {"10.0.0.1/8"}), "");
}

TEST(Networks, OfADeviceAreThatOnes) {
  EXPECT_EQ(own_networks("127.0.0.1").substr(0, 10), "127.0.0.1/");
  EXPECT_EQ(own_networks("no such device"), "");
  EXPECT_EQ(own_networks(nullptr).find("127.0.0.1/"), std::string::npos);
}

TEST(Networks, InTextThatMakesNoSenseAreNone) {
  EXPECT_EQ(choose_address("10.0.0.1/8", {"x;/;10.0.0.2;1.2.3/4;999.1.1.1/8"}), "10.0.0.1");
  EXPECT_EQ(choose_address(";;nonsense/8", {"10.0.0.2/8"}), "");
}

}  // namespace
}  // namespace amity::launching
