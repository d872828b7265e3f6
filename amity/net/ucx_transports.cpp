#include "amity/net/internal/ucx_transports.hpp"

#include <string.h>

#include <algorithm>
#include <array>
#include <vector>

namespace amity::net {
namespace {

using words = std::vector<std::string>;

words split(const std::string& text) {
  words all;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = std::min(text.find(',', at), text.size());
    if (end > at) all.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

std::string join(const words& all) {
  std::string text;
  for (const std::string& each : all) text += (text.empty() ? "" : ",") + each;
  return text;
}

bool has(const words& all, const std::string& one) { return std::find(all.begin(), all.end(), one) != all.end(); }

/// Those that no process of another machine, nor of another user, can reach. `knem` and `xpmem` are named to UCX only
/// where the user names them: it warns where they are missing.
const words& of_shared_memory() {
  static const words all{"posix", "sysv", "cma", "xpmem", "knem"};
  return all;
}
constexpr std::size_t always_there = 3;
/// These carry messages; the others only copy what a message tells of.
bool carries(const std::string& one) { return one == "posix" || one == "sysv" || one == "xpmem"; }

/// UCX's names for several.
words meant_by(const std::string& name) {
  const words& all = of_shared_memory();
  if (name == "all" || name == "sm" || name == "shm") return {all.begin(), all.begin() + always_there};
  if (name == "mm") return {"posix", "sysv"};
  return {name};
}

transports on_one_node(const words& wanted, bool all_but_those, bool dev_shm) {
  transports found;
  words named, taken, left;
  for (const std::string& each : wanted) {
    for (const std::string& one : meant_by(each)) named.push_back(one);
    if (meant_by(each) == words{each} && !has(of_shared_memory(), each) && each != "self") left.push_back(each);
  }
  for (std::size_t i = 0; i < of_shared_memory().size(); ++i) {
    const std::string& one = of_shared_memory()[i];
    if (has(named, one) == all_but_those || (all_but_those && i >= always_there)) continue;
    if (one == "posix" && !dev_shm && !has(wanted, one)) continue;
    taken.push_back(one);
  }
  if (std::any_of(taken.begin(), taken.end(), carries)) found.list = join(taken);
  if (!all_but_those) found.left = join(left);
  return found;
}

transports on_several(words wanted, bool all_but_those, bool dev_shm) {
  transports found;
  words taken;
  if (all_but_those || has(wanted, "all")) {
    taken = all_but_those ? wanted : words{};
    taken.push_back("tcp");
    if (!dev_shm && !has(wanted, "posix")) taken.push_back("posix");
    found.list = "^" + join(taken);
    return found;
  }
  for (const std::string& each : wanted) (each == "tcp" ? found.left : found.list) += each + ",";
  for (std::string* text : {&found.left, &found.list})
    if (!text->empty()) text->pop_back();
  return found;
}

}  // namespace

transports ucx_transports(const char* wanted, bool one_node, bool dev_shm) {
  std::string text = wanted != nullptr && *wanted != '\0' ? wanted : "^";
  bool const all_but_those = text[0] == '^';
  words const named = split(text.substr(all_but_those ? 1 : 0));
  return one_node ? on_one_node(named, all_but_those, dev_shm) : on_several(named, all_but_those, dev_shm);
}

}  // namespace amity::net
