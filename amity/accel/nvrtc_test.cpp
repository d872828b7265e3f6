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
      if (end != ".cpp") continue;
      // Of the last one, texts are put together from parts, and many are wrong on purpose.
      bool const has_others = name.find("dialect") != std::string::npos ||
                              name.find("nvrtc_test") != std::string::npos ||
                              name.find("misuse_test") != std::string::npos;
      if (has_others) continue;
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
    for (const compiler_choice& c : compilers_for({9, 0}, 13'000, why))
      if (compiler == nullptr && c.architecture == "sm_90") compiler = c.by;
    if (compiler == nullptr) GTEST_SKIP() << why;
  }
  [[nodiscard]] compiler_choice made_for(std::pair<int, int> capability) const {
    auto const all = choices({compiler}, capability, 13'000);
    return all.empty() ? compiler_choice{compiler, "none"} : all.front();
  }
  [[nodiscard]] compiled_program built(const detail::program_text& text, std::pair<int, int> capability) const {
    return compile(*compiler, text, options_of(text, made_for(capability)), text.name);
  }
  const cuda::compiler* compiler = nullptr;
};

TEST_F(Nvrtc, CompilesAllKernels) {
  std::size_t compiled = 0;
  auto const sources = all_sources();
  EXPECT_GE(sources.size(), 10u);
  int architectures = 0;
  for (const std::pair<int, int>& capability : {std::pair{7, 0}, {7, 5}, {8, 0}, {8, 6}, {9, 0}, {10, 0}, {12, 0}}) {
    int const number = capability.first * 10 + capability.second;
    const auto& known = compiler->architectures;
    if (std::find(known.begin(), known.end(), number) == known.end()) continue;
    ++architectures;
    std::string const architecture = made_for(capability).architecture;
    EXPECT_EQ(architecture, "sm_" + std::to_string(number));
    for (const named_source& s : sources) {
      if (is_meant_to_fail(s.text) || s.text.find("AMITY_KERNEL") == std::string::npos) continue;
      detail::program_text text;
      text.source = s.text;
      text.name = s.name;
      text.defines = {{"WIDTH", "16"}, {"X", "1"}, {"KIND", "int"}, {"COUNT", "1"}, {"TILE", "16"}};
      try {
        compiled_program const made = built(text, capability);
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
  ASSERT_GE(architectures, 4);
  std::printf("%zu programs for %d architectures\n", compiled / static_cast<std::size_t>(architectures), architectures);
}

TEST_F(Nvrtc, SaysWhatIsWrong) {
  detail::program_text text;
  text.name = "bad.cu";
  text.source = "AMITY_KERNEL void k(AMITY_GLOBAL int* x) {\n  x[0] = nowhere;\n}";
  try {
    static_cast<void>(built(text, {9, 0}));
    ADD_FAILURE() << "it can't be compiled";
  } catch (const build_error& e) {
    EXPECT_NE(e.log().find("bad.cu(2): error: identifier \"nowhere\" is undefined"), std::string::npos) << e.log();
  }
  text.options = {"--no-such-option"};
  EXPECT_THROW(static_cast<void>(built(text, {9, 0})), build_error);
}

TEST_F(Nvrtc, KnowsHalf) {
  detail::program_text text;
  text.name = "half.k";
  text.source =
      "#if AMITY_HAS_FP16\nAMITY_KERNEL void k(AMITY_GLOBAL const half* x, AMITY_GLOBAL float* y) { y[0] = x[0]; }\n"
      "#endif\n";
  compiled_program const made = built(text, {9, 0});
  if (made.kernels.empty()) GTEST_SKIP() << "cuda_fp16.h is not there";
  EXPECT_EQ(choose_kernel(made.kernels, "k", "half.k").second.parameters.at(0).type, "half*");
}

/// Each by a compiler that knows it, which may be another one. CUDA_HOME names the folder of several wheels there.
TEST(Nvrtcs, CompileForTheDevicesThatTheyKnow) {
  std::size_t found = 0;
  for (const std::pair<int, int>& capability : {std::pair{6, 0}, {7, 0}, {8, 9}, {9, 0}, {12, 0}}) {
    std::string why;
    auto const fitting = compilers_for(capability, 13'000, why);
    if (fitting.empty()) continue;
    ++found;
    detail::program_text text;
    text.name = "half.k";
    text.source = "AMITY_KERNEL void k(AMITY_GLOBAL const half* x, AMITY_GLOBAL float* y) { y[0] = x[0]; }\n";
    const compiler_choice& c = fitting.front();
    try {
      EXPECT_EQ(compile(*c.by, text, options_of(text, c), text.name).kernels.size(), 1u);
    } catch (const build_error& e) {
      ADD_FAILURE() << c.by->path << " with " << c.by->headers << ": " << e.what();
    }
    std::printf("%d.%d: by %s for %s\n", capability.first, capability.second, c.by->path.c_str(),
                c.architecture.c_str());
  }
  if (found == 0) GTEST_SKIP() << "no compiler is there";
}

/// Also one that the compiler's own headers would not bear, as they use the name T.
TEST_F(Nvrtc, TakesDefinesAsTheyAre) {
  detail::program_text text;
  text.name = "defines.k";
  text.defines = {{"T", "unsigned char"}, {"TEXT", "\"a b\""}, {"SUM", "(1 + 2)"}};
  text.source =
      "static_assert(sizeof(T) == 1 && sizeof(TEXT) == 4 && SUM * 2 == 6, \"\");\n"
      "AMITY_KERNEL void k(AMITY_GLOBAL T* x) { x[0] = TEXT[1]; }\n";
  EXPECT_EQ(built(text, {9, 0}).kernels.size(), 1u);
}

}  // namespace
}  // namespace amity::accel::cuda
