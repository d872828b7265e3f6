// The program that `amity run` is given: where it is, and what its loader will make of it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "amity/cli/elf_file.hpp"

namespace amity::cli {

// A name as a shell would look it up.
struct program_lookup {
  enum class outcome { found, missing, unreachable, not_executable, folder } result = outcome::missing;
  std::filesystem::path path;  // with `found`; with the others what was met, if anything
  int error = 0;               // with `unreachable`: why, of errno's numbers
};
[[nodiscard]] program_lookup find_program(const std::string& name);

// Whether the kernel gives the program other rights than the caller's, so that its loader ignores LD_LIBRARY_PATH and
// LD_PRELOAD.
[[nodiscard]] bool gains_rights(const std::filesystem::path& program);

// Is it the name of an OpenMP runtime: libgomp*, libomp*, libiomp5*? Copies that a Python wheel brings along,
// "libgomp-a34b3233.so.1", are too.
[[nodiscard]] bool is_openmp_runtime(const std::string& file_name);

struct loaded_library {
  std::string name;  // as the program asks for it
  std::string path;  // empty when the loader does not find it
};

// What the loader will load for `program`, with `environment` on top of the own one: its own answer (`ld.so --list`),
// which knows about RPATH, RUNPATH, $ORIGIN and its cache. The program itself does not run. Empty when it does not
// answer.
[[nodiscard]] std::vector<loaded_library> list_libraries(const std::string& interpreter,
                                                         const std::filesystem::path& program,
                                                         const std::map<std::string, std::string>& environment = {});

// The same from the loader's text, for tests.
[[nodiscard]] std::vector<loaded_library> parse_library_list(const std::string& text);

// The 64-bit libraries of the loader's cache, from the text of `ldconfig -p`.
[[nodiscard]] std::vector<loaded_library> parse_cache(const std::string& text);

// Bytes of thread-local memory that the libraries must have at their threads' start (elf_file::static_tls).
[[nodiscard]] std::size_t static_tls_of(const std::vector<loaded_library>& libraries);

// The interpreter of the script: what its first line names, else the shell.
[[nodiscard]] std::string interpreter_of_script(const std::filesystem::path& script);

// Whether the program, or a library of it outside of the C library, can bring in more code later: by dlopen, or by
// starting other programs. Interpreters and launchers do; of them nobody can say that they don't use OpenMP.
[[nodiscard]] bool may_load_more(const elf_file& program, const std::vector<loaded_library>& libraries);

}  // namespace amity::cli
