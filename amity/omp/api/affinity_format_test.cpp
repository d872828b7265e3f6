#include <gtest/gtest.h>
#include <omp.h>
#include <unistd.h>

#include <string>

extern "C" int omp_capture_affinity_(char* buffer, const char* format, std::size_t buffer_length,
                                     std::size_t format_length);

namespace {

std::string capture(const char* format) {
  char text[256];
  const std::size_t length = omp_capture_affinity(text, sizeof text, format);
  EXPECT_EQ(length, std::string(text).size());
  return text;
}

TEST(affinity_format, fields_of_an_initial_thread) {
  EXPECT_EQ(capture("%L %n %N %a %t %T %%"), "0 0 1 -1 0 1 %");
  EXPECT_EQ(capture("%{nesting_level} %{thread_num} %{num_threads}"), "0 0 1");
  EXPECT_EQ(capture("%P"), std::to_string(getpid()));
}

TEST(affinity_format, width_alignment_and_zeros) {
  EXPECT_EQ(capture("[%4n]"), "[0   ]");
  EXPECT_EQ(capture("[%.4n]"), "[   0]");
  EXPECT_EQ(capture("[%0.4n]"), "[0000]");
  EXPECT_EQ(capture("[%0.4a]"), "[-001]");
}

TEST(affinity_format, unknown_fields_are_undefined) {
  EXPECT_EQ(capture("%z"), "undefined");
  EXPECT_EQ(capture("%{no_such_thing}!"), "undefined!");
  EXPECT_EQ(capture("%"), "undefined");
  EXPECT_EQ(capture("%{thread_num"), "undefined{thread_num");
}

TEST(affinity_format, tells_the_whole_length_when_it_does_not_fit) {
  char text[4];
  EXPECT_EQ(omp_capture_affinity(text, sizeof text, "abcdefgh"), 8u);
  EXPECT_STREQ(text, "abc");
  EXPECT_EQ(omp_capture_affinity(nullptr, 0, "abcdefgh"), 8u);
}

TEST(affinity_format, is_kept) {
  char before[1024], text[32];
  omp_get_affinity_format(before, sizeof before);
  omp_set_affinity_format("thread %n");
  EXPECT_EQ(omp_get_affinity_format(text, sizeof text), 9u);
  EXPECT_STREQ(text, "thread %n");
  EXPECT_EQ(capture(""), "thread 0");
  omp_set_affinity_format(before);
}

TEST(affinity_format, fortran_text_has_no_end_and_is_padded) {
  char text[6] = {'x', 'x', 'x', 'x', 'x', 'x'};
  EXPECT_EQ(omp_capture_affinity_(text, "n%n      ", 5, 9), 2);
  EXPECT_EQ(std::string(text, 6), "n0   x");
}

}  // namespace
