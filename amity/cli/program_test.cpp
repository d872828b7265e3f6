#include "amity/cli/program.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "amity/cli/commands.hpp"
#include "amity/cli/own_folder.hpp"

namespace amity::cli {
namespace {

namespace fs = std::filesystem;
using outcome = program_lookup::outcome;

class temporary_folder {
 public:
  temporary_folder() {
    std::string name = fs::temp_directory_path() / "amity-cli-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~temporary_folder() { fs::remove_all(path_); }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  fs::path file(const std::string& name, const std::string& content, mode_t mode = 0644) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << content;
    chmod((path_ / name).c_str(), mode);
    return path_ / name;
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

TEST(is_openmp_runtime, knows_runtimes_and_their_renamed_copies) {
  for (const char* name :
       {"libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so", "libgomp-a34b3233.so.1.0.0", "libomp-0d2f1e.so.5"})
    EXPECT_TRUE(is_openmp_runtime(name)) << name;
  for (const char* name : {"libgomp-plugin-nvptx.so.1", "libomptarget.so", "libompl.so.16", "libm.so.6", "libgomp"})
    EXPECT_FALSE(is_openmp_runtime(name)) << name;
}

TEST(interpreter_of_script, is_what_the_first_line_names) {
  const temporary_folder folder;
  EXPECT_EQ(interpreter_of_script(folder.file("a", "#!/usr/bin/env python3\nprint()\n")), "/usr/bin/env");
  EXPECT_EQ(interpreter_of_script(folder.file("b", "#! /bin/sh")), "/bin/sh");
  EXPECT_EQ(interpreter_of_script(folder.file("c", "#!")), "");
  EXPECT_EQ(interpreter_of_script(folder.file("d", "echo\n#!/bin/false\n")), "/bin/sh");
  EXPECT_EQ(interpreter_of_script(folder.file("e", "")), "/bin/sh");
}

TEST(elf_file, does_not_wait_for_who_writes_to_a_pipe) {
  const temporary_folder folder;
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0777), 0);
  EXPECT_EQ(elf_file(pipe).kind(), elf_kind::unreadable);
}

TEST(library_list, is_read_from_the_loaders_text) {
  const auto list = parse_library_list(
      "\tlinux-vdso.so.1 (0x00007ffd2a1f2000)\n"
      "\tlibgomp.so.1 => /lib/x86_64-linux-gnu/libgomp.so.1 (0x00007f3c0a000000)\n"
      "\tlibmissing.so => not found\n"
      "\t/opt/own/libomp.so.5 (0x00007f3c0b000000)\n");
  ASSERT_EQ(list.size(), 4U);
  EXPECT_EQ(list[0].path, "");
  EXPECT_EQ(list[1].name, "libgomp.so.1");
  EXPECT_EQ(list[1].path, "/lib/x86_64-linux-gnu/libgomp.so.1");
  EXPECT_EQ(list[2].path, "");
  EXPECT_EQ(list[3].name, "libomp.so.5");
  EXPECT_EQ(list[3].path, "/opt/own/libomp.so.5");
}

TEST(library_cache, is_read_from_ldconfigs_text) {
  const auto list = parse_cache(
      "2 libs found in cache `/etc/ld.so.cache'\n"
      "\tlibgomp.so.1 (libc6,x32) => /libx32/libgomp.so.1\n"
      "\tlibgomp.so.1 (libc6) => /lib32/libgomp.so.1\n"
      "\tlibgomp.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libgomp.so.1\n");
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].path, "/lib/x86_64-linux-gnu/libgomp.so.1");
}

// "/bin:" and an empty PATH once didn't find what a shell finds in the current folder.
TEST(find_program, takes_an_empty_element_for_the_current_folder) {
  const temporary_folder folder;
  folder.file("tool", "", 0755);
  const std::string old_path = std::getenv("PATH");
  const fs::path old_folder = fs::current_path();
  fs::current_path(folder.path());
  for (const char* path : {":/nothing", "/nothing:", "/nothing::/nowhere", ":", ""}) {
    setenv("PATH", path, 1);
    EXPECT_EQ(find_program("tool").result, outcome::found) << '\'' << path << '\'';
  }
  setenv("PATH", "/nothing:/nowhere", 1);
  EXPECT_EQ(find_program("tool").result, outcome::missing);
  fs::current_path(old_folder);
  setenv("PATH", old_path.c_str(), 1);
}

TEST(find_program, tells_what_a_shell_would) {
  const temporary_folder folder;
  folder.file("a/tool", "", 0644);
  folder.file("b/tool", "", 0755);
  folder.file("a/data", "", 0644);
  fs::create_directory(folder.path() / "a/only_a_folder");
  const std::string old = std::getenv("PATH");
  setenv("PATH", (folder.path().string() + "/a:" + folder.path().string() + "/b").c_str(), 1);
  EXPECT_EQ(find_program("tool").path, folder.path() / "b/tool");
  EXPECT_EQ(find_program("data").result, outcome::not_executable);
  EXPECT_EQ(find_program("nothing").result, outcome::missing);
  EXPECT_EQ(find_program("").result, outcome::missing);
  EXPECT_EQ(find_program("only_a_folder").result, outcome::missing);
  EXPECT_EQ(find_program(folder.path() / "a").result, outcome::folder);
  fs::create_symlink("loop", folder.path() / "a/loop");
  EXPECT_EQ(find_program("loop").result, outcome::missing);
  EXPECT_EQ(find_program(folder.path() / "a/loop").result, outcome::unreachable);
  EXPECT_EQ(find_program(folder.path() / "a/loop").error, ELOOP);
  setenv("PATH", old.c_str(), 1);
}

TEST(elf_file, takes_this_program_apart) {
  const elf_file self("/proc/self/exe");
  ASSERT_EQ(self.kind(), elf_kind::dynamic);
  EXPECT_TRUE(fs::exists(self.interpreter()));
  const auto& needed = self.needed();
  EXPECT_NE(std::find(needed.begin(), needed.end(), "libc.so.6"), needed.end());
  EXPECT_TRUE(self.imports_any_of({"mkdtemp"}));
  EXPECT_FALSE(self.imports_any_of({"no_such_function"}));
}

TEST(elf_file, survives_files_that_are_cut_off) {
  const temporary_folder folder;
  std::ifstream self("/proc/self/exe", std::ios::binary);
  std::string start(8192, '\0');
  self.read(start.data(), static_cast<std::streamsize>(start.size()));
  for (std::size_t length = 0; length < start.size(); length = length < 64 ? length + 1 : length + 97) {
    const elf_file file(folder.file("cut", start.substr(0, length)));
    EXPECT_NE(file.kind(), elf_kind::static_linked) << length;
    if (file.kind() == elf_kind::dynamic) {
      EXPECT_TRUE(file.imports_any_of({"mkdtemp"}));
    }
  }
}

TEST(elf_file, a_header_without_what_it_names_is_damaged) {
  const temporary_folder folder;
  std::ifstream self("/proc/self/exe", std::ios::binary);
  std::string start(100, '\0');
  self.read(start.data(), static_cast<std::streamsize>(start.size()));
  EXPECT_EQ(elf_file(folder.file("cut", start)).kind(), elf_kind::damaged);
  EXPECT_EQ(elf_file(folder.file("cut", start.substr(0, 40))).kind(), elf_kind::damaged);
}

TEST(elf_file, knows_what_it_is_not) {
  const temporary_folder folder;
  EXPECT_EQ(elf_file(folder.file("script", "#!/bin/sh\n")).kind(), elf_kind::not_elf);
  EXPECT_EQ(elf_file(folder.file("empty", "")).kind(), elf_kind::not_elf);
  EXPECT_EQ(elf_file(folder.path() / "missing").kind(), elf_kind::unreadable);
  EXPECT_EQ(elf_file(folder.file("bits_32", std::string("\177ELF\1\1\1", 7) + std::string(100, '\0'))).kind(),
            elf_kind::bits_32);
  std::string other = std::string("\177ELF\2\1\1", 7) + std::string(100, '\0');
  other[18] = 22;  // e_machine: S/390
  EXPECT_EQ(elf_file(folder.file("other", other)).kind(), elf_kind::other_machine);
}

TEST(list_libraries, asks_the_loader_of_this_program) {
  const elf_file self("/proc/self/exe");
  const auto libraries = list_libraries(self.interpreter(), fs::read_symlink("/proc/self/exe"));
  EXPECT_TRUE(std::any_of(libraries.begin(), libraries.end(),
                          [](const loaded_library& one) { return one.name == "libc.so.6" && !one.path.empty(); }));
}

TEST(own_libraries, are_beside_the_programs_in_every_tree) {
  for (const char* lib : {"lib", "lib64"}) {
    const temporary_folder tree;
    tree.file(std::string(lib) + "/libomp_amity.so.1", "");
    std::string looked_in;
    const auto found = find_own_libraries_from(tree.path() / "bin", looked_in);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->folder, tree.path() / lib / "amity");
    EXPECT_EQ(found->library, tree.path() / lib / "libomp_amity.so.1");
  }
  const temporary_folder empty;
  std::string looked_in;
  EXPECT_FALSE(find_own_libraries_from(empty.path() / "bin", looked_in).has_value());
  EXPECT_NE(looked_in.find((empty.path() / "lib/amity").string()), std::string::npos);
}

using words = std::vector<std::string>;

TEST(split_off_program, leaves_the_programs_options_alone) {
  words line = {"run", "-t", "4", "--stats", "prog", "-t", "5", "--", "x"};
  EXPECT_EQ(split_off_program(line), (words{"prog", "-t", "5", "--", "x"}));
  EXPECT_EQ(line, (words{"run", "-t", "4", "--stats"}));

  line = {"run", "--threads=4", "--", "-odd-name", "y"};
  EXPECT_EQ(split_off_program(line), (words{"-odd-name", "y"}));
  EXPECT_EQ(line, (words{"run", "--threads=4"}));

  line = {"run", "--nodes", "2", "-t", "1", "prog"};
  EXPECT_EQ(split_off_program(line), (words{"prog"}));
  line = {"run", "--nodes", "--", "prog", "3"};
  EXPECT_EQ(split_off_program(line), (words{"prog", "3"}));
  line = {"run", "--nodes", "-t", "2", "prog"};
  EXPECT_EQ(split_off_program(line), (words{"prog"}));
  EXPECT_EQ(line, (words{"run", "--nodes", "-t", "2"}));

  line = {"run", "-t"};
  EXPECT_TRUE(split_off_program(line).empty());
  line = {"info", "run"};
  EXPECT_TRUE(split_off_program(line).empty());
  EXPECT_EQ(line, (words{"info", "run"}));
}

TEST(check_whole_number, names_the_value_and_what_is_allowed) {
  EXPECT_EQ(check_whole_number("8", 1, "threads"), "");
  for (const char* wrong : {"0", "-1", "", "4x", "1.5", " 4", "99999999999", "four"}) {
    const std::string text = check_whole_number(wrong, 1, "threads");
    EXPECT_NE(text.find("'" + std::string(wrong) + "'"), std::string::npos);
    EXPECT_NE(text.find("from 1 to"), std::string::npos);
  }
}

}  // namespace
}  // namespace amity::cli
