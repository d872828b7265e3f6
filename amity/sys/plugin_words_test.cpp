#include "amity/sys/plugin_words.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace amity::sys {
namespace {

// A user without libopenmpi-dev was told to install libopenmpi3, which was there.
TEST(plugin_words, say_what_to_install_for_a_plugin_that_was_not_built) {
  EXPECT_EQ(why_no_plugin("/nowhere/libamity_mpi_openmpi.so",
                          "/nowhere/libamity_mpi_openmpi.so: cannot open shared "
                          "object file: No such file or directory"),
            "not built: install libopenmpi-dev and build Amity again");
  EXPECT_EQ(why_no_plugin("/nowhere/libamity_mpi_mpich.so", nullptr),
            "not built: install libmpich-dev and build Amity again");
  EXPECT_EQ(why_no_plugin("/nowhere/libamity_ucx.so", nullptr), "not built: install libucx-dev and build Amity again");
  EXPECT_EQ(why_no_plugin("/nowhere/libamity_pmix.so", nullptr),
            "not built: install libpmix-dev and build Amity again");
}

TEST(plugin_words, tell_a_missing_library_from_a_plugin_that_does_not_load) {
  char folder[] = "/tmp/amity_plugin_XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  std::string const path = std::string(folder) + "/libamity_ucx.so";
  std::ofstream(path) << "there";
  EXPECT_EQ(why_no_plugin(path, "libucp.so.0: cannot open shared object file: No such file or directory"),
            "built, but libucp.so.0 is missing: install libucx0");
  EXPECT_EQ(why_no_plugin(path, (path + ": undefined symbol: ucp_init").c_str()),
            "built, but it can't be loaded: " + path + ": undefined symbol: ucp_init");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace amity::sys
