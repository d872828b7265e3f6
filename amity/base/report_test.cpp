#include "amity/base/report.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "amity/base/assert.hpp"

namespace amity::base {
namespace {

template <class F>
std::string stderr_of(F&& f) {
  testing::internal::CaptureStderr();
  f();
  return testing::internal::GetCapturedStderr();
}

TEST(report, a_warning_is_one_line_with_the_prefix) {
  EXPECT_EQ(stderr_of([] { warn("OMP_X='%s' is bad; using %d", "abc", 7); }), "amity: OMP_X='abc' is bad; using 7\n");
}

TEST(report, a_warning_keeps_errno) {
  errno = 1234;
  (void)stderr_of([] { warn("something"); });
  EXPECT_EQ(errno, 1234);
}

TEST(report, a_long_message_is_cut_and_says_so) {
  const std::string text(3 * report_limit, 'x');
  const std::string out = stderr_of([&] { warn("%s", text.c_str()); });
  EXPECT_EQ(out.size(), report_limit);
  EXPECT_EQ(out.substr(out.size() - 5), "x...\n");
}

TEST(report, a_message_that_just_fits_is_whole) {
  const std::string fits(report_limit - std::string("amity: \n").size(), 'x');
  EXPECT_EQ(stderr_of([&] { warn("%s", fits.c_str()); }), "amity: " + fits + "\n");
}

TEST(report, what_is_quoted_is_printable_and_short) {
  EXPECT_STREQ(quoted("").text, "");
  EXPECT_STREQ(quoted("dynamic, 4").text, "dynamic, 4");
  EXPECT_STREQ(quoted("a\tb\x7f\xff\xc3\xa4%s").text, "a\\x09b\\x7f\\xff\\xc3\\xa4%s");
  for (const std::string one : {"x", "\x01"})
    for (int length = 1; length < 300; ++length) {
      const std::string unit = one == "x" ? "x" : "\\x01";
      std::string text, whole;
      for (int i = 0; i < length; ++i) text += one, whole += unit;
      const std::string out = quoted(text.c_str()).text;
      EXPECT_LT(out.size(), sizeof(quoted::text));
      if (out == whole) continue;
      EXPECT_GT(whole.size(), 100u);
      EXPECT_EQ(out, whole.substr(0, out.size() - 3) + "...");
    }
}

TEST(report_death_test, fatal_prints_and_aborts) {
  EXPECT_EXIT(fatal("no room for %d stacks", 3), testing::KilledBySignal(SIGABRT), "^amity: no room for 3 stacks\n");
}

TEST(assert_death_test, a_failed_assertion_names_condition_and_place) {
  EXPECT_EXIT(assertion_failed("a == b", "file.cpp", 12), testing::KilledBySignal(SIGABRT),
              "^amity: assertion failed at file.cpp:12: a == b; this is a bug in Amity\n");
}

TEST(assert_death_test, the_macro_evaluates_only_where_it_is_active) {
  int evaluated = 0;
  AMITY_ASSERT(++evaluated > 0);
  EXPECT_EQ(evaluated, AMITY_ASSERT_ACTIVE);
#if AMITY_ASSERT_ACTIVE
  EXPECT_DEATH(AMITY_ASSERT(evaluated == 2), "evaluated == 2");
#endif
}

}  // namespace
}  // namespace amity::base
