/// Compiled programs on disk: found again, and never believed when something is wrong with them.

#include "amity/accel/internal/cache.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "amity/accel/internal/choice.hpp"

namespace amity::accel::detail {
namespace {

namespace fs = std::filesystem;

program_entry some_entry() {
  program_entry e;
  e.binary.resize(1000, std::byte{7});
  kernel_signature known;
  known.is_known = true;
  known.parameters = {{parameter::kind::memory, true, 0, "float*"}, {parameter::kind::value, false, 0, "int"}};
  e.signatures = {{"first", known}, {"second", {}}};
  return e;
}

struct Cache : testing::Test {
  Cache() : folder(fs::temp_directory_path() / ("amity-cache-" + std::to_string(getpid()))) {
    fs::remove_all(folder);
    setenv("AMITY_CACHE", folder.c_str(), 1);
  }
  ~Cache() override {
    unsetenv("AMITY_CACHE");
    fs::remove_all(folder);
  }
  static program_cache cache(const std::string& source, const std::string& rest = "device") {
    program_text t;
    t.source = source;
    return program_cache(t, "prelude", rest);
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    if (fs::exists(folder / "programs"))
      for (const auto& entry : fs::directory_iterator(folder / "programs")) all.push_back(entry.path());
    return all;
  }
  fs::path folder;
};

TEST_F(Cache, FindsWhatWasKept) {
  EXPECT_FALSE(cache("a").find());
  cache("a").keep(some_entry());
  auto const found = cache("a").find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->binary, some_entry().binary);
  ASSERT_EQ(found->signatures.size(), 2u);
  EXPECT_EQ(found->signatures[0].first, "first");
  EXPECT_EQ(found->signatures[0].second.parameters.at(0).type, "float*");
  EXPECT_FALSE(found->signatures[1].second.is_known);
  EXPECT_FALSE(cache("b").find());
  EXPECT_FALSE(cache("a", "another device").find());
}

TEST_F(Cache, IsTheUsersAlone) {
  cache("a").keep(some_entry());
  ASSERT_EQ(files().size(), 1u);
  struct stat is {};
  stat((folder / "programs").c_str(), &is);
  EXPECT_EQ(is.st_mode & 0777, 0700u);
  stat(files()[0].c_str(), &is);
  EXPECT_EQ(is.st_mode & 0777, 0600u);
}

TEST_F(Cache, WhatOthersCouldHaveWrittenIsNotTaken) {
  cache("a").keep(some_entry());
  chmod(files()[0].c_str(), 0622);
  EXPECT_FALSE(cache("a").find());
  chmod(files()[0].c_str(), 0600);
  EXPECT_TRUE(cache("a").find());
  chmod((folder / "programs").c_str(), 0777);
  EXPECT_FALSE(cache("a").find());
  if (geteuid() == 0) {
    chmod((folder / "programs").c_str(), 0700);
    ASSERT_EQ(chown(files()[0].c_str(), 12345, 12345), 0);
    EXPECT_FALSE(cache("a").find());
  }
}

TEST_F(Cache, WhatIsDamagedIsNotTakenAndIsReplaced) {
  cache("a").keep(some_entry());
  fs::path const entry = files()[0];
  std::ifstream in(entry, std::ios::binary);
  std::string const good{std::istreambuf_iterator<char>(in), {}};
  std::minstd_rand random(7);
  for (int i = 0; i < 300; ++i) {
    std::string bad = good;
    if (i % 2 == 0)
      bad.resize(random() % bad.size());
    else
      bad[random() % bad.size()] ^= static_cast<char>(1 + random() % 255);
    std::ofstream(entry, std::ios::binary) << bad;
    EXPECT_FALSE(cache("a").find()) << i;
  }
  cache("a").keep(some_entry());
  EXPECT_TRUE(cache("a").find());
}

TEST_F(Cache, HostileBytesAreNoProgram) {
  std::minstd_rand random(9);
  std::vector<std::byte> const good = pack_program(some_entry());
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::byte> bad = good;
    for (int k = 0; k < 3; ++k) bad[random() % bad.size()] = static_cast<std::byte>(random());
    bad.resize(random() % (bad.size() + 1));
    static_cast<void>(unpack_program(bad));  // no crash, and no allocation beyond what is there
  }
}

TEST_F(Cache, AFolderThatCantBeWrittenCostsNothingElse) {
  setenv("AMITY_CACHE", "/proc/nowhere", 1);
  cache("a").keep(some_entry());
  EXPECT_FALSE(cache("a").find());
  setenv("AMITY_CACHE", "none", 1);
  cache("a").keep(some_entry());
  EXPECT_FALSE(cache("a").find());
  if (fs::exists("/dev/full")) {
    fs::create_directories(folder);
    fs::create_symlink("/dev/full", folder / "programs");
    setenv("AMITY_CACHE", folder.c_str(), 1);
    cache("a").keep(some_entry());
    EXPECT_FALSE(cache("a").find());
  }
}

TEST_F(Cache, WhatIsLeftToTheCompilerIsNotKept) {
  program_text t;
  t.source = "#include <of_the_compiler.h>\n";
  t.is_whole = false;
  program_cache(t, "", "").keep(some_entry());
  EXPECT_FALSE(program_cache(t, "", "").find());
}

TEST(Choice, NamesDevices) {
  std::string wrong;
  auto const some = device_choice::of("opencl:1", wrong);
  EXPECT_TRUE(some.wants("opencl"));
  EXPECT_TRUE(some.wants("opencl", 1));
  EXPECT_FALSE(some.wants("opencl", 0));
  EXPECT_FALSE(device_choice::of("none", wrong).wants("opencl"));
  EXPECT_TRUE(device_choice::of("opencl", wrong).wants("opencl", 5));
  EXPECT_EQ(wrong, "");
  for (const char* bad : {"gpu", "opencl:", "opencl:x", "opencl:-1", "opencl:1x"}) {
    wrong.clear();
    static_cast<void>(device_choice::of(bad, wrong));
    EXPECT_EQ(wrong, bad);
  }
}

}  // namespace
}  // namespace amity::accel::detail
