#include "amity/base/nearest_name.hpp"

#include <gtest/gtest.h>

#include <string>

namespace amity::base {
namespace {

TEST(NearestName, CountsEdits) {
  EXPECT_EQ(edits_between("threads", "threads", 3), 0u);
  EXPECT_EQ(edits_between("thread", "threads", 3), 1u);
  EXPECT_EQ(edits_between("threads", "thread", 3), 1u);
  EXPECT_EQ(edits_between("thraeds", "threads", 3), 1u);
  EXPECT_EQ(edits_between("abc", "xyz", 3), 3u);
  EXPECT_EQ(edits_between("", "ab", 3), 2u);
}

TEST(NearestName, StopsAtTheMostThatMatter) {
  EXPECT_EQ(edits_between("abc", "xyz", 1), 2u);
  EXPECT_EQ(edits_between("a", "abcdefgh", 2), 3u);
}

const char* nearest(const char* given) {
  nearest_name n(given);
  for (const char* known : {"OMP_NUM_TEAMS", "OMP_NUM_THREADS", "KMP_TPAUSE", "AMITY_THREADS"}) n.look_at(known);
  return n.found();
}

TEST(NearestName, FindsWhatWasMeant) {
  EXPECT_STREQ(nearest("OMP_NUM_THREAD"), "OMP_NUM_THREADS");
  EXPECT_STREQ(nearest("OMP_NUM_TEAM"), "OMP_NUM_TEAMS");
  EXPECT_STREQ(nearest("AMITY_THERADS"), "AMITY_THREADS");
}

TEST(NearestName, FindsNothingForWhatIsFarFromAll) { EXPECT_EQ(nearest("KMP_FOO"), nullptr); }

TEST(NearestName, TakesNoLongNameForNear) {
  std::string const with_many_letters(200, 'A');
  EXPECT_EQ(nearest(with_many_letters.c_str()), nullptr);
}

}  // namespace
}  // namespace amity::base
