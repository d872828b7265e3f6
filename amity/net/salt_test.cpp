#include "amity/net/internal/salt.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace amity::net {
namespace {

// The paper's key, and the first eight bytes of its input: from the authors' table of vectors.
TEST(Salt, IsMadeBySipHash) {
  EXPECT_EQ(keyed_hash(0x0706050403020100, 0x0f0e0d0c0b0a0908, 0x0706050403020100), 0x93f5f5799a932462);
}

TEST(Salt, DiffersByRankAndByEachPartOfTheSecret) {
  std::set<std::uint64_t> codes;
  std::set<std::uint32_t> marks;
  std::string secret(32, '0');
  for (int rank = 0; rank < 100; ++rank) {
    salt const s = salt_of(secret.data(), secret.size(), rank);
    codes.insert(s.of_codes);
    marks.insert(s.mark);
  }
  for (char& each : secret) {
    each = '1';
    salt const s = salt_of(secret.data(), secret.size(), 0);
    codes.insert(s.of_codes);
    marks.insert(s.mark);
    each = '0';
  }
  EXPECT_EQ(codes.size(), 132u);
  EXPECT_EQ(marks.size(), 132u);
}

TEST(Salt, IsTheSameForAll) {
  std::string const secret = "0123456789abcdef0123456789abcdef";
  EXPECT_EQ(salt_of(secret.data(), secret.size(), 7).of_codes, salt_of(secret.data(), secret.size(), 7).of_codes);
}

}  // namespace
}  // namespace amity::net
