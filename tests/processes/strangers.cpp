// A job that strangers look at and try: strangers.py starts it. Each rank says in the folder FOLDER which process it
// is; then messages go between all ranks until the file FOLDER/stop is there, and what they bring has to be right.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>

#include "check.hpp"

namespace fs = std::filesystem;
using test::check;

namespace {

void say_process(const fs::path& folder) {
  fs::path const whole = folder / ("rank" + std::to_string(amity::rank_me())), part = whole.string() + ".part";
  std::ofstream(part) << getpid() << "\n";
  fs::rename(part, whole);
}

std::vector<int> turned(std::vector<int> values) {
  std::reverse(values.begin(), values.end());
  return values;
}

// Small messages and large ones, to all.
void one_round(int round) {
  int const n = amity::rank_n(), me = amity::rank_me();
  std::vector<int> values(round % 8 == 0 ? 100'000 : 10);
  std::iota(values.begin(), values.end(), round);
  for (int r = 0; r < n; ++r) {
    auto sum = amity::rpc(
        r, [](int a, int b) { return a + b; }, round, me);
    check(amity::rpc(r, turned, values).get() == turned(values), "a vector comes back as it was sent");
    check(sum.get() == round + me, "a sum is right");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  fs::path const folder = argv[1];
  amity::barrier_all();
  say_process(folder);
  for (int round = 0;; ++round) {
    one_round(round);
    bool const stop = amity::rpc(
                          0,
                          [round](const std::string& where) {
                            static std::atomic<int> last{-1};  // all ranks stop after the same round
                            if (last < 0 && fs::exists(fs::path(where) / "stop")) last = round + 1;
                            return last >= 0 && round >= last;
                          },
                          folder.string())
                          .get();
    amity::barrier_all();
    if (stop) break;
  }
  return test::end();
}
