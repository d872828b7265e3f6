#include "amity/omp/api/depend_object.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "amity/omp/kmp/task.hpp"

using namespace amity::omp;
using kmp::depend_info;

namespace {

void* number(std::uintptr_t n) { return reinterpret_cast<void*>(n); }

TEST(depend_object, clangs_leads_to_its_entries) {
  int a = 0, b = 0;
  depend_info entries[] = {
      {2, 0, 0}, {reinterpret_cast<std::intptr_t>(&a), 4, 1}, {reinterpret_cast<std::intptr_t>(&b), 4, 2}};
  void* one[] = {entries + 1, number(3)};  // what lies behind it looks like a kind
  EXPECT_TRUE(are_clangs(1, one));
  void* two[] = {entries + 1, entries + 1};
  EXPECT_TRUE(are_clangs(2, two));
}

TEST(depend_object, gccs_has_an_address_and_a_kind) {
  long around[8] = {1, 0, 0, 7, 4, 1, 0, 0};  // as entries, but for an address in the first page
  void* one[] = {around + 3, number(1)};
  EXPECT_FALSE(are_clangs(1, one));
  void* two[] = {around + 3, number(5), around, number(2)};
  EXPECT_FALSE(are_clangs(2, two));
  void* all_memory[] = {nullptr, number(2)};
  EXPECT_FALSE(are_clangs(1, all_memory));
}

TEST(depend_object, the_first_address_of_a_mapping_is_not_looked_before) {
  auto const page = static_cast<std::size_t>(getpagesize());
  void* const three = mmap(nullptr, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(three, MAP_FAILED);
  char* const middle = static_cast<char*>(three) + page;
  ASSERT_EQ(mprotect(middle, page, PROT_READ | PROT_WRITE), 0);
  void* first[] = {middle, number(2)};
  EXPECT_FALSE(are_clangs(1, first));
  void* last[] = {middle + page - 8, number(2)};
  EXPECT_FALSE(are_clangs(1, last));
  munmap(three, 3 * page);
}

}  // namespace
