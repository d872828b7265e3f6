// The commands of `amity`, each in its own file. A command adds its options to the parser and, once they are read, runs
// and returns the exit status.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;  // its headers take seconds in each file that has them
}

namespace amity::cli {

// What a command fails with when it cannot do its own part; 126 and 127 say, as with a shell, that the program could
// not be run.
inline constexpr int own_failure = 125;
inline constexpr int cannot_execute = 126;
inline constexpr int not_found = 127;

using command = std::function<int()>;

// `program` is what stands behind the options of `amity run`.
[[nodiscard]] command add_run(CLI::App& app, std::vector<std::string> program);
[[nodiscard]] command add_info(CLI::App& app);
[[nodiscard]] command add_bench(CLI::App& app);
[[nodiscard]] command add_dump(CLI::App& app);
[[nodiscard]] command add_pages(CLI::App& app);
[[nodiscard]] command add_profile(CLI::App& app);
[[nodiscard]] command add_trace(CLI::App& app);
[[nodiscard]] command add_help_files(CLI::App& app);

[[nodiscard]] const char* version();

// The words behind `run` up to the program are options of Amity; what follows belongs to the program, options and all.
// Cuts the program off `words`, with the "--" that may stand before it.
[[nodiscard]] std::vector<std::string> split_off_program(std::vector<std::string>& words);

// A validator of options that count something: a whole number from `least` up.
[[nodiscard]] std::string check_whole_number(const std::string& value, long least, const char* what);

// Of numbers of threads: one, or a list as OMP_NUM_THREADS takes it.
[[nodiscard]] std::string check_thread_list(const std::string& value);

}  // namespace amity::cli
