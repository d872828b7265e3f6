// The OpenMP runtimes that the system has, beside Amity's.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace amity::cli {

struct system_library {
  std::string name;     // "libgomp.so.1"
  std::string path;     // "/usr/lib/x86_64-linux-gnu/libgomp.so.1"
  bool in_path = true;  // the loader finds it by itself; else its folder has to be named
};

// Looks in the loader's cache, then in the folders where LLVM's packages put their own (/usr/lib/llvm-*/lib), newest
// first.
[[nodiscard]] std::vector<system_library> find_system_libraries();

[[nodiscard]] std::optional<system_library> find_system_library(const std::string& name);

}  // namespace amity::cli
