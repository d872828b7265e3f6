#include "amity/cli/targets.hpp"

#include <array>
#include <limits>

#include "amity/cli/process_contenders.hpp"

namespace amity::cli {
namespace {

constexpr int any_number = std::numeric_limits<int>::max();

struct rule {
  const suite* of;
  const char* item;  // or a group; empty: all
  int least;         // ranks
  int most;
  double ratio;
  const char* rival;
};

// The first that fits counts.
const std::array rules = {
    rule{&messages_suite, "round_trip", 2, 2, 1.2, ""},
    rule{&messages_suite, "round_trip", 3, any_number, 1.3, yielding_mpi},
    rule{&messages_suite, "put", 2, any_number, 0, raw_ucx},
    rule{&messages_suite, "get", 2, any_number, 0, raw_ucx},
    rule{&collectives_suite, "", 2, any_number, 1.05, ""},
};

bool fits(const rule& one, const suite& of, const std::string& item, int count) {
  const std::string wanted = one.item;
  return one.of == &of && one.least <= count && count <= one.most &&
         (wanted.empty() || wanted == item || wanted == group_of(item));
}

}  // namespace

target target_of(const suite& of, const std::string& item, int count) {
  for (const rule& one : rules)
    if (fits(one, of, item, count)) return {one.ratio, one.rival};
  return {};
}

std::vector<std::string> above_target(const bench_result& result, int count) {
  std::vector<std::string> above;
  for (const std::string& item : result.items) {
    const double most = target_of(*result.of, item, count).most;
    if (most > 0 && result.ratio(count, item, against::all) > most) above.push_back(item);
  }
  return above;
}

}  // namespace amity::cli
