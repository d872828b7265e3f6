/// Which of CUDA's compilers compiles for a device. The simulated compiler stands for the version that its folder names
/// ("cuda-12.4"), so copies of it are several.

#include "amity/accel/cuda/compilers.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "amity/accel/cuda/simulator/open.hpp"
#include "amity/accel/cuda/toolkits.hpp"
#include "amity/accel/device.hpp"

namespace amity::accel::cuda {
namespace {

namespace fs = std::filesystem;

compiler one_of(int major, int minor, std::vector<int> architectures, bool is_said = false) {
  compiler c;
  c.major_version = major;
  c.minor_version = minor;
  c.architectures = std::move(architectures);
  c.is_said = is_said;
  return c;
}

/// "12.4 sm_70, 12.4 compute_70"
std::string words_of(const std::vector<compiler_choice>& all) {
  std::string text;
  for (const compiler_choice& c : all)
    text += (text.empty() ? "" : ", ") + std::to_string(c.by->major_version) + "." +
            std::to_string(c.by->minor_version) + " " + c.architecture;
  return text;
}

TEST(CompilerChoices, AreOfThoseThatKnowTheDevice) {
  compiler const old = one_of(11, 8, {35, 50, 70, 80, 90}), middle = one_of(12, 4, {50, 70, 75, 80, 86, 89, 90}),
                 newest = one_of(13, 0, {75, 80, 86, 90, 100});
  const std::vector<const compiler*> all{&newest, &old, &middle};
  const auto chosen = [&](std::pair<int, int> capability, int driver) {
    return words_of(choices(all, capability, driver));
  };
  EXPECT_EQ(chosen({9, 0}, 13000),
            "13.0 sm_90, 12.4 sm_90, 11.8 sm_90, 13.0 compute_90, 12.4 compute_90, 11.8 compute_90");
  EXPECT_EQ(chosen({7, 0}, 13000), "12.4 sm_70, 11.8 sm_70, 12.4 compute_70, 11.8 compute_70");
  EXPECT_EQ(chosen({3, 7}, 12000), "11.8 sm_35, 11.8 compute_35");
  EXPECT_EQ(chosen({3, 0}, 12000), "");
  // A driver of the same major version takes newer machine code, and no newer PTX; one of a later major version may.
  EXPECT_EQ(chosen({8, 9}, 12020), "12.4 sm_89, 11.8 sm_80, 11.8 compute_80, 13.0 sm_86");
  // No machine code of an older generation.
  EXPECT_EQ(chosen({12, 1}, 13000), "13.0 compute_100, 12.4 compute_90, 11.8 compute_90");
}

TEST(CompilerChoices, PreferTheOneThatCudaHomeNames) {
  compiler const said = one_of(12, 4, {70, 80, 90}, true), newest = one_of(13, 0, {75, 80, 90, 100});
  EXPECT_EQ(words_of(choices({&said, &newest}, {9, 0}, 13000)),
            "12.4 sm_90, 12.4 compute_90, 13.0 sm_90, 13.0 compute_90");
  EXPECT_EQ(words_of(choices({&said, &newest}, {10, 0}, 13000)), "12.4 compute_90, 13.0 sm_100, 13.0 compute_100");
  compiler const too_new = one_of(13, 0, {75, 80, 90}, true), fitting = one_of(12, 4, {70, 80, 90});
  EXPECT_EQ(words_of(choices({&too_new, &fitting}, {8, 0}, 12040)), "12.4 sm_80, 12.4 compute_80, 13.0 sm_80");
  EXPECT_EQ(words_of(choices({&too_new, &fitting}, {7, 0}, 13000)), "12.4 sm_70, 12.4 compute_70");
}

/// A folder for copies of the compiler. One of these in a process: compilers are looked for once.
struct CompilersHere : testing::Test {
  fs::path root;

  void SetUp() override {
    if (getenv("AMITY_SIMULATED_CAPABILITY") != nullptr) GTEST_SKIP() << "only the first test of a process can choose";
    std::string name = (fs::temp_directory_path() / "amity-compilers-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root = name;
    for (const char* const variable : {"CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX", "VIRTUAL_ENV"}) unsetenv(variable);
    setenv("AMITY_CACHE", "none", 1);
  }
  void TearDown() override {
    if (!root.empty()) fs::remove_all(root);
  }

  static void machine(const char* capability, const char* driver) {
    setenv("AMITY_SIMULATED_CAPABILITY", capability, 1);
    setenv("AMITY_SIMULATED_DRIVER", driver, 1);
    simulator::open();
  }
  /// In `folder`, whose path has its version.
  fs::path add(const std::string& folder, const char* name) const {
    fs::create_directories(root / folder);
    fs::copy_file(AMITY_CUDA_SIMULATOR "/libnvrtc.so.13", root / folder / name);
    return root / folder / name;
  }
  void add_header(const std::string& folder, int version) const {
    fs::create_directories(root / folder);
    std::ofstream(root / folder / "cuda_fp16.h") << "#pragma once\n";
    if (version != 0)
      std::ofstream(root / folder / "cuda_runtime_api.h") << "#define CUDART_VERSION  " << version << "\n";
  }
  /// Which is chosen.
  static std::string path_for(std::pair<int, int> capability, int driver) {
    std::string why;
    auto const all = compilers_for(capability, driver, why);
    return all.empty() ? why : all.front().by->path;
  }
  static unsigned run_on(std::size_t device) {
    accel::device const d = local_devices({.backend = "cuda"}).get().at(device);
    auto const p = d.program(source("AMITY_KERNEL void k(AMITY_GLOBAL unsigned* x) { x[0] = x[0] * 2 + 1; }"));
    auto x = d.upload(std::vector<unsigned>{20});
    p.kernel<void(unsigned*)>("k")({}, x);
    return x.read().get().at(0);
  }
};

TEST_F(CompilersHere, EachDeviceHasTheOneThatKnowsIt) {
  std::string const wheel =
      add("cuda-12.4/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib", "libnvrtc.so.12").string();
  setenv("VIRTUAL_ENV", (root / "cuda-12.4").c_str(), 1);
  machine("70,90", "13000");
  EXPECT_EQ(run_on(0), 41u);
  EXPECT_EQ(run_on(1), 41u);
  EXPECT_EQ(path_for({7, 0}, 13000), wheel);
  EXPECT_NE(path_for({9, 0}, 13000), wheel);
}

TEST_F(CompilersHere, CudaHomeWins) {
  std::string const said = add("cuda-12.4/targets/some-linux/lib", "libnvrtc.so.12").string();
  setenv("CUDA_HOME", (root / "cuda-12.4").c_str(), 1);
  machine("90", "13000");
  EXPECT_EQ(path_for({9, 0}, 13000), said);
  EXPECT_EQ(run_on(0), 41u);
}

TEST_F(CompilersHere, CudaHomeMayNameTheFolderOfWheels) {
  std::string const said = add("cuda-11.8/nvidia/cuda_nvrtc/lib", "libnvrtc.so.11.2").string();
  setenv("CUDA_PATH", (root / "cuda-11.8/nvidia/").c_str(), 1);
  machine("80", "13000");
  EXPECT_EQ(path_for({8, 0}, 13000), said);
  EXPECT_EQ(run_on(0), 41u);
}

TEST_F(CompilersHere, ADriverThatIsOlderGetsWhatItTakes) {
  std::string const older = add("cuda-12.4/nvidia/cuda_nvrtc/lib", "libnvrtc.so.12").string();
  setenv("CUDA_HOME", (root / "cuda-12.4/nvidia").c_str(), 1);
  machine("90", "12020");
  EXPECT_EQ(path_for({9, 0}, 12020), older);
  EXPECT_EQ(run_on(0), 41u);
}

TEST_F(CompilersHere, ADeviceThatIsNewerGetsPtx) {
  machine("121", "13000");
  EXPECT_EQ(run_on(0), 41u);
}

TEST_F(CompilersHere, WhatTheDriverRefusesIsCompiledOnceMore) {
  setenv("AMITY_SIMULATED_LACKS", "machine code", 1);
  machine("90", "13000");
  EXPECT_EQ(run_on(0), 41u);
}

TEST_F(CompilersHere, WhatEachDriverRefusesIsSaid) {
  machine("100", "12020");  // all that knows it is of CUDA 13
  try {
    run_on(0);
    ADD_FAILURE() << "the driver is too old";
  } catch (const build_error& e) {
    std::string const words = e.what();
    EXPECT_NE(words.find("was compiled, and its driver does not take it:\nby /"), std::string::npos) << words;
    EXPECT_NE(words.find("for sm_100: CUDA_ERROR_INVALID_IMAGE"), std::string::npos) << words;
  }
}

TEST_F(CompilersHere, WhatIsMissingIsSaid) {
  std::string const there = add("cuda-12.4/lib64", "libnvrtc.so.12").string();
  std::ofstream(root / "cuda-12.4/lib64/libnvrtc.so.14") << "no library";
  setenv("CUDA_HOME", (root / "cuda-12.4").c_str(), 1);
  machine("35", "12020");
  try {
    run_on(0);
    ADD_FAILURE() << "nothing compiles for it";
  } catch (const build_error& e) {
    std::string const words = e.what();
    for (const std::string& part :
         {std::string("compute capability 3.5"), std::string("a driver for CUDA 12.2"),
          "CUDA_HOME=" + (root / "cuda-12.4").string(), there + " of version 12.4, for 5.0 to 9.0",
          std::string("libnvrtc.so.14: "), std::string("the loader's path"), std::string("nvidia-cuda-nvrtc-cu11")})
      EXPECT_NE(words.find(part), std::string::npos) << part << " in " << words;
  }
}

TEST_F(CompilersHere, HeadersAreThoseOfItsVersion) {
  fs::create_directories(root / "nvidia/cuda_nvrtc/lib");
  fs::create_directories(root / "nvidia/cuda_nvrtc/include");  // of the compiler alone
  std::string const library = (root / "nvidia/cuda_nvrtc/lib").string();
  const auto found = [&] {
    std::string const folder = folder_of_headers(library, 12, 4);
    return folder.empty() || folder.find(root.string()) == std::string::npos ? std::string()
                                                                             : fs::canonical(folder).string();
  };
  EXPECT_EQ(found(), "");
  add_header("nvidia/cu12/include", 12080);
  EXPECT_EQ(found(), fs::canonical(root / "nvidia/cu12/include").string());
  add_header("nvidia/cuda_runtime/include", 12040);
  EXPECT_EQ(found(), fs::canonical(root / "nvidia/cuda_runtime/include").string());
  fs::remove_all(root / "nvidia/cu12");
  add_header("nvidia/cuda_runtime/include", 13000);  // another wheel's, which its compiler can't read
  EXPECT_EQ(found(), "");
}

}  // namespace
}  // namespace amity::accel::cuda
