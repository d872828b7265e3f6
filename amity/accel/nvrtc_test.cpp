/// Every kernel of the repository, compiled by NVIDIA's compiler for several architectures. Skipped where that compiler
/// is not there; tests/accel/nvidia.sh installs it for a while and says where by CUDA_HOME.

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "amity/accel/cuda/compile.hpp"
#include "amity/accel/cuda/signatures.hpp"

namespace amity::accel::cuda {
namespace {

namespace fs = std::filesystem;

std::string contents_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The texts of C++'s string literals; those that stand beside one another are one.
std::vector<std::string> literals_of(const std::string& code) {
  std::vector<std::string> all;
  bool goes_on = false;
  const auto add = [&](std::string text) {
    if (goes_on)
      all.back() += text;
    else
      all.push_back(std::move(text));
    goes_on = true;
  };
  for (std::size_t i = 0; i < code.size();) {
    if (code.compare(i, 2, "//") == 0) {
      i = std::min(code.find('\n', i), code.size());
    } else if (code.compare(i, 3, "'\"'") == 0) {
      i += 3;
    } else if (code.compare(i, 2, "R\"") == 0) {
      std::size_t const open = code.find('(', i);
      std::string const end = ")" + code.substr(i + 2, open - i - 2) + "\"";
      std::size_t const close = code.find(end, open);
      add(code.substr(open + 1, close - open - 1));
      i = close + end.size();
    } else if (code[i] == '"') {
      std::string text;
      for (++i; i < code.size() && code[i] != '"'; ++i) {
        if (code[i] == '\\' && ++i < code.size())
          text += code[i] == 'n' ? '\n' : code[i];
        else
          text += code[i];
      }
      ++i;
      add(std::move(text));
    } else {
      goes_on = goes_on && std::isspace(static_cast<unsigned char>(code[i])) != 0;
      ++i;
    }
  }
  return all;
}

struct named_source {
  std::string name, text;
};

/// Sources of kernels in the portable dialect, in files of their own and within programs.
std::vector<named_source> all_sources() {
  fs::path const root = AMITY_SOURCE_FOLDER;
  std::vector<named_source> all;
  for (const char* const folder : {"amity/accel", "bench", "examples", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      std::string const end = entry.path().extension(), name = fs::relative(entry.path(), root).string();
      if (end == ".cl" || end == ".k") all.push_back({name, contents_of(entry.path())});
      if (end != ".cpp" || name.find("dialect") != std::string::npos || name.find("nvrtc_test") != std::string::npos)
        continue;
      for (std::string& text : literals_of(contents_of(entry.path())))
        if (text.find("AMITY_KERNEL void") != std::string::npos) all.push_back({name, std::move(text)});
    }
  }
  return all;
}

/// Tests of what can't be compiled, or not without a file that is only there during the test.
bool is_meant_to_fail(const std::string& text) {
  return text.find("nowhere") != std::string::npos || text.find("#include \"") != std::string::npos;
}

struct Nvrtc : testing::Test {
  void SetUp() override {
    std::string why;
    compiler = open_compiler(13'000, why);
    if (compiler == nullptr) GTEST_SKIP() << why;
  }
  const compiler_functions* compiler = nullptr;
};

TEST_F(Nvrtc, CompilesAllKernels) {
  std::size_t compiled = 0;
  auto const sources = all_sources();
  EXPECT_GE(sources.size(), 10u);
  for (const std::pair<int, int>& capability : {std::pair{7, 5}, {8, 0}, {8, 6}, {9, 0}, {10, 0}, {12, 0}}) {
    std::string const architecture = architecture_for(*compiler, capability);
    EXPECT_EQ(architecture, "sm_" + std::to_string(capability.first * 10 + capability.second));
    for (const named_source& s : sources) {
      if (is_meant_to_fail(s.text) || s.text.find("AMITY_KERNEL") == std::string::npos) continue;
      detail::program_text text;
      text.source = s.text;
      text.name = s.name;
      text.defines = {{"WIDTH", "16"}};
      try {
        compiled_program const made = compile(*compiler, text, options_of(text, architecture), s.name);
        ASSERT_GT(made.code.size(), 4u);
        EXPECT_EQ(static_cast<char>(made.code[1]), 'E') << s.name << ": machine code is ELF";
        EXPECT_FALSE(made.kernels.empty()) << s.name;
        for (const auto& [linker_name, signature] : made.kernels)
          for (const detail::parameter& p : signature.parameters)
            if (linker_name.starts_with("_Z")) {
              EXPECT_NE(p.is, detail::parameter::kind::unknown) << linker_name;
            }
        ++compiled;
      } catch (const build_error& e) {
        ADD_FAILURE() << architecture << ": " << e.what();
      }
    }
  }
  std::printf("%zu programs for 6 architectures\n", compiled / 6);
}

TEST_F(Nvrtc, SaysWhatIsWrong) {
  detail::program_text text;
  text.name = "bad.cu";
  text.source = "AMITY_KERNEL void k(AMITY_GLOBAL int* x) {\n  x[0] = nowhere;\n}";
  try {
    static_cast<void>(compile(*compiler, text, options_of(text, "sm_90"), "bad.cu for a device"));
    ADD_FAILURE() << "it can't be compiled";
  } catch (const build_error& e) {
    EXPECT_NE(e.log().find("bad.cu(2): error: identifier \"nowhere\" is undefined"), std::string::npos) << e.log();
  }
  text.options = {"--no-such-option"};
  EXPECT_THROW(static_cast<void>(compile(*compiler, text, options_of(text, "sm_90"), "bad.cu")), build_error);
}

TEST_F(Nvrtc, KnowsHalf) {
  detail::program_text text;
  text.name = "half.k";
  text.source =
      "#if AMITY_HAS_FP16\nAMITY_KERNEL void k(AMITY_GLOBAL const half* x, AMITY_GLOBAL float* y) { y[0] = x[0]; }\n"
      "#endif\n";
  compiled_program const made = compile(*compiler, text, options_of(text, "sm_90"), text.name);
  if (made.kernels.empty()) GTEST_SKIP() << "cuda_fp16.h is not there";
  EXPECT_EQ(choose_kernel(made.kernels, "k", "half.k").second.parameters.at(0).type, "half*");
}

/// Older generations run no code of newer ones, and the compiler may not know the newest.
TEST(Architectures, AreThoseThatADeviceRuns) {
  static int known[] = {75, 80, 90};
  compiler_functions c;
  c.architecture_count = [](int* n) { return *n = 3, 0; };
  c.architectures = [](int* to) { return std::copy(std::begin(known), std::end(known), to), 0; };
  EXPECT_EQ(architecture_for(c, {7, 5}), "sm_75");
  EXPECT_EQ(architecture_for(c, {8, 9}), "sm_80");
  EXPECT_EQ(architecture_for(c, {9, 0}), "sm_90");
  EXPECT_EQ(architecture_for(c, {12, 1}), "compute_90");
  EXPECT_EQ(architecture_for(c, {7, 0}), "compute_70");
}

}  // namespace
}  // namespace amity::accel::cuda
