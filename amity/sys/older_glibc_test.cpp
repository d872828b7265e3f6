#include "amity/sys/older_glibc.hpp"

#include <gtest/gtest.h>
#include <link.h>
#include <math.h>
#include <stdio.h>

#include <cstddef>
#include <vector>

namespace {

using amity::sys::find_object_by_headers;

/// The first and last byte of each part of each object, and those beside them.
std::vector<std::byte*> edges() {
  std::vector<std::byte*> all;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* to) {
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          if (object->dlpi_phdr[i].p_type != PT_LOAD) continue;
          auto* const begin = reinterpret_cast<std::byte*>(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
          auto* const end = begin + object->dlpi_phdr[i].p_memsz;
          for (std::byte* each : {begin, end - 1}) static_cast<std::vector<std::byte*>*>(to)->push_back(each);
        }
        return 0;
      },
      &all);
  return all;
}

// glibc's own is the oracle.
TEST(OlderGlibc, FindsWhatNewerOnesFind) {
  int compared = 0;
  for (std::byte* const address : edges()) {
    dl_find_object theirs{}, ours{};
    auto* const glibcs =
        reinterpret_cast<decltype(&_dl_find_object)>(dlvsym(RTLD_DEFAULT, "_dl_find_object", "GLIBC_2.35"));
    if (glibcs == nullptr) GTEST_SKIP() << "this glibc has no _dl_find_object";
    int const result = glibcs(address, &theirs);
    ASSERT_EQ(find_object_by_headers(address, &ours), result) << static_cast<void*>(address);
    if (result != 0) continue;
    EXPECT_EQ(ours.dlfo_eh_frame, theirs.dlfo_eh_frame);
    EXPECT_LE(theirs.dlfo_map_start, static_cast<void*>(address));
    EXPECT_LE(ours.dlfo_map_start, static_cast<void*>(address));
    EXPECT_GT(ours.dlfo_map_end, static_cast<void*>(address));
    ++compared;
  }
  EXPECT_GT(compared, 4);
}

TEST(OlderGlibc, FindsNothingWhereThereIsNoObject) {
  dl_find_object found{};
  int on_stack = 0;
  EXPECT_EQ(find_object_by_headers(&on_stack, &found), -1);
  EXPECT_EQ(find_object_by_headers(nullptr, &found), -1);
}

}  // namespace
