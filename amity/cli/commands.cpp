#include "amity/cli/commands.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace amity::cli {

const char* version() { return AMITY_VERSION; }

std::vector<std::string> split_off_program(std::vector<std::string>& words) {
  if (words.empty() || words.front() != "run") return {};
  const std::array<std::string, 8> with_value = {"-t",         "--threads", "-n",      "--processes",
                                                 "--launcher", "--hosts",   "--trace", "--trace-last"};
  auto at = words.begin() + 1;
  while (at != words.end() && at->starts_with('-') && *at != "--") {
    const bool value_follows = std::find(with_value.begin(), with_value.end(), *at) != with_value.end();
    const bool number_may_follow = *at == "--nodes";
    ++at;
    if (at == words.end()) break;
    if (value_follows || (number_may_follow && !at->empty() && at->front() >= '0' && at->front() <= '9')) ++at;
  }
  std::vector<std::string> program(at != words.end() && *at == "--" ? at + 1 : at, words.end());
  words.erase(at, words.end());
  return program;
}

std::string check_whole_number(const std::string& value, long least, const char* what) {
  long number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const long most = std::numeric_limits<int>::max();
  if (error == std::errc() && end == value.data() + value.size() && number >= least && number <= most) return {};
  return "'" + value + "' is not a number of " + what + "; allowed: a whole number from " + std::to_string(least) +
         " to " + std::to_string(most);
}

std::string check_thread_list(const std::string& value) {
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t end = std::min(value.find(',', at), value.size());
    if (!check_whole_number(value.substr(at, end - at), 1, "threads").empty())
      return "'" + value + "' is not a number of threads; allowed: a whole number from 1 to " +
             std::to_string(std::numeric_limits<int>::max()) +
             ", or several with ',' between them: of a region, of one within it, and so on";
    at = end + 1;
  }
  return {};
}

}  // namespace amity::cli
