/// Sources with what they include.

#include "amity/accel/internal/includes.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace amity::accel::detail {
namespace {

namespace fs = std::filesystem;

struct Includes : testing::Test {
  fs::path folder = fs::temp_directory_path() / ("amity-includes-" + std::to_string(getpid()));
  void SetUp() override { fs::create_directories(folder / "inner"); }
  void TearDown() override { fs::remove_all(folder); }
  void file(const char* name, const char* text) const { std::ofstream(folder / name) << text; }
  std::string path(const char* name) const { return (folder / name).string(); }
  whole_source of(const char* text) const { return with_includes(text, "a source", false, {folder.string()}); }
};

TEST_F(Includes, AreReplacedByTheirText) {
  file("a.h", "int a;\n#include \"inner/b.h\"\nint c;");
  file("inner/b.h", "int b;\n");
  whole_source const made = of("first\n  #  include <a.h>  // why\nlast");
  EXPECT_EQ(made.text, "first\n#line 1 \"" + path("a.h") + "\"\nint a;\n#line 1 \"" + path("inner/b.h") +
                           "\"\nint b;\n#line 3 \"" + path("a.h") + "\"\nint c;\n#line 3 \"a source\"\nlast");
  EXPECT_TRUE(made.is_whole);
}

TEST_F(Includes, InQuotesAreBesideTheFileFirst) {
  file("n.h", "outer");
  file("inner/n.h", "inner");
  file("inner/k.cl", "");
  EXPECT_NE(with_includes("#include \"n.h\"", path("inner/k.cl"), true, {folder.string()}).text.find("\ninner\n"),
            std::string::npos);
  EXPECT_NE(with_includes("#include <n.h>", path("inner/k.cl"), true, {folder.string()}).text.find("\nouter\n"),
            std::string::npos);
}

TEST_F(Includes, ThatAreNotFoundStay) {
  whole_source const made = of("#include <of_the_compiler.h>\n#include MACRO\n");
  EXPECT_EQ(made.text, "#include <of_the_compiler.h>\n#include MACRO\n");
  EXPECT_FALSE(made.is_whole);
}

TEST_F(Includes, MayIncludeOneAnotherInACircle) {
  file("a.h", "#ifndef A\n#define A\n#include \"b.h\"\n#endif\n");
  file("b.h", "#include \"a.h\"\nint b;\n");
  std::string const text = of("#include \"a.h\"\n").text;
  EXPECT_NE(text.find("int b;"), std::string::npos);
  EXPECT_EQ(text.find("#define A"), text.rfind("#define A"));
}

TEST_F(Includes, AreRepeatedUnlessTheySayOnce) {
  file("table.h", "ROW\n");
  file("once.h", "#pragma once\nONCE\n");
  std::string const text =
      of("#include \"table.h\"\n#include \"table.h\"\n#include \"once.h\"\n#include \"once.h\"\n").text;
  EXPECT_NE(text.find("ROW"), text.rfind("ROW"));
  EXPECT_EQ(text.find("ONCE"), text.rfind("ONCE"));
}

TEST_F(Includes, OtherLinesAreLeftAlone) {
  const char* const text = "// #include \"a.h\"\n#define include 1\n#includes\nint x; // include\n\n";
  EXPECT_EQ(of(text).text, text);
  EXPECT_EQ(of("").text, "");
}

}  // namespace
}  // namespace amity::accel::detail
