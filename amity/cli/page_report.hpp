// What `amity run --trace-pages` says at the end: the lines of a program that have waited for pages most, and what was
// in these. Made of the files that the nodes have written (amity/nodes/page_trace.hpp):
//
//     node 0 of 2
//     module 0x555555555000 0x555555559000 0x1000 /usr/bin/program     from, to, offset in the file: of each mapping
//     heap 0x100000000000 0x110000000000 0                             of node 0; stacks likewise
//     block 0x100000001000 64000 0x555555555abc                        a block of the heap, its bytes, who asked for it
//     fault 0x100000001008 0x555555555def 0x7ffff7d00000 3 1           address, code, code of a library that it called
//                                                                      or 0, faults to read, faults to write
#pragma once

#include <filesystem>
#include <string>

namespace amity::cli {

// The report of what lies in `folder`. Where that can't be read, `problem` says why.
[[nodiscard]] std::string report_of_pages(const std::filesystem::path& folder, std::string& problem);

}  // namespace amity::cli
