#include "amity/finish/exception_list.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "amity/finish/task_group.hpp"

namespace amity {
namespace {

std::exception_ptr error(const char* words) { return std::make_exception_ptr(std::runtime_error(words)); }

TEST(exception_list, says_what_the_first_one_says) {
  exception_list all;
  EXPECT_EQ(all.size(), 0u);
  EXPECT_STREQ(all.what(), "no exception");
  all.add(error("odd"));
  EXPECT_STREQ(all.what(), "odd");
  all.add(std::make_exception_ptr(42));
  all.add(error("even"));
  EXPECT_EQ(all.get_message(), "odd (and 2 more)");
  EXPECT_EQ(all.size(), 3u);
  EXPECT_STREQ(exception_list(std::make_exception_ptr(42)).what(), "an exception that is no std::exception");
}

TEST(exception_list, a_list_in_it_comes_apart) {
  exception_list const inner(std::vector{error("a"), error("b")});
  exception_list const outer(std::vector{error("c"), std::make_exception_ptr(inner), error("d")});
  std::string words;
  for (const std::exception_ptr& each : outer) words += exception_list(each).what();
  EXPECT_EQ(words, "cabd");
}

TEST(exception_list, want_of_memory_is_no_element) {
  EXPECT_THROW(detail::throw_list({error("a")}), exception_list);
  EXPECT_THROW(detail::throw_list({error("a"), std::make_exception_ptr(std::bad_alloc())}), std::bad_alloc);
}

TEST(exception_list, of_a_task_group) {
  experimental::task_group group;
  for (int i = 0; i < 10; ++i)
    group.run([i] {
      if (i % 2 != 0) throw i;
    });
  try {
    group.wait();
    ADD_FAILURE();
  } catch (const exception_list& all) {
    EXPECT_EQ(all.size(), 5u);
  }
  EXPECT_EQ(group.wait(), task_group_status::complete);
  EXPECT_THROW(group.run_and_wait([] { throw 1; }), exception_list);
  EXPECT_EQ(group.run_and_wait([] {}), task_group_status::complete);
}

}  // namespace
}  // namespace amity
