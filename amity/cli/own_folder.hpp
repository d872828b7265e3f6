// Where Amity's libraries are, relative to the `amity` that runs: the same in a build tree and in an installed one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace amity::cli {

struct own_libraries {
  // With libgomp.so.1, libomp.so.5, ...: what LD_LIBRARY_PATH has to begin with. In a Python wheel, which can hold no
  // links, without them: the auditor knows where they would lead to.
  std::filesystem::path folder;
  std::filesystem::path library;  // libomp_amity.so.1 itself
  std::filesystem::path nodes;    // libamity_nodes.so; the same
  std::filesystem::path auditor;  // amity_redirect.so (redirect/redirect.c); whether it is there is `run`'s question
};

// The file of the `amity` that runs; empty when the system doesn't tell.
[[nodiscard]] std::filesystem::path own_program();

// Nothing when they are not there; `looked_in` then names the places, for the message.
[[nodiscard]] std::optional<own_libraries> find_own_libraries(std::string& looked_in);

// The same from a given folder of programs (".../bin").
[[nodiscard]] std::optional<own_libraries> find_own_libraries_from(const std::filesystem::path& bin,
                                                                   std::string& looked_in);

}  // namespace amity::cli
