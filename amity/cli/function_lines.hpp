// Lines of the functions that tasks of C++ run. A task has the address of a function that the compiler has made of one
// of Amity's templates and the program's function, for example
//
//   amity::detail::call_task<void, main::{lambda()#1}>::run(...)          in async(..., [] { ... })
//
// Its own line is one of Amity's headers. The line of the program is where the lambda's code is, mostly inlined there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace amity::cli {

struct function_place {
  std::string line;  // "stencil.cpp:41", the first of the program's function; empty: unknown, as without -g
  std::string name;  // "main::{lambda()#1}", or what the symbol is called; empty: unknown, as of a stripped file
};

// By address, of functions that begin there. `begin`: where address 0 of the file lies in memory; ignored for a program
// that has fixed addresses. Starts nm and addr2line (Debian's binutils); without them all are unknown.
[[nodiscard]] std::map<std::uint64_t, function_place> places_of_functions(const std::string& file, std::uint64_t begin,
                                                                          const std::vector<std::uint64_t>& codes);

// The program's function in the name of such a symbol: the last of the template's arguments. Of another symbol: its
// name.
[[nodiscard]] std::string program_function_in(const std::string& symbol);

}  // namespace amity::cli
