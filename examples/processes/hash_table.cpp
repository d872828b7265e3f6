// A hash table over processes: each has the words whose hash says so, and calls go to where they are.
//
//   amity run -n 4 build/examples/hash_table 20000
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "../usage.hpp"
#include "amity/amity.hpp"

namespace {

class hash_table {
 public:
  hash_table() : part_(part{}) {}

  amity::future<void> insert(const std::string& key, int value) {
    return amity::rpc(
        home_of(key),
        [](amity::dist_object<part>& its, const std::string& k, int v) {
          std::lock_guard const held(*its->lock);
          its->words[k] += v;
        },
        part_, key, value);
  }
  amity::future<std::optional<int>> find(const std::string& key) const {
    return amity::rpc(
        home_of(key),
        [](amity::dist_object<part>& its, const std::string& k) -> std::optional<int> {
          std::lock_guard const held(*its->lock);
          auto const found = its->words.find(k);
          return found != its->words.end() ? std::optional(found->second) : std::nullopt;
        },
        part_, key);
  }
  [[nodiscard]] std::size_t size_here() const { return part_->words.size(); }

 private:
  struct part {
    std::unordered_map<std::string, int> words;
    std::unique_ptr<amity::mutex> lock = std::make_unique<amity::mutex>();
  };
  static int home_of(const std::string& key) {
    return static_cast<int>(std::hash<std::string>()(key) % static_cast<std::size_t>(amity::rank_n()));
  }
  amity::dist_object<part> part_;
};

}  // namespace

int main(int argc, char** argv) {
  answer_help(argc, argv, "[words = 2000]");
  int const count = argc > 1 ? std::atoi(argv[1]) : 2000, n = amity::rank_n();
  hash_table table;
  // Everybody adds 1 to every word; the finish waits for all calls, wherever they are.
  amity::finish_spmd([&] {
    for (int i = 0; i < count; ++i) table.insert("word " + std::to_string(i), 1);
  });
  int wrong = 0;
  std::vector<amity::future<std::optional<int>>> looked;
  for (int i = 0; i < count; ++i) looked.push_back(table.find("word " + std::to_string(i)));
  for (auto& f : looked) wrong += f.get() != n;
  wrong += table.find("no such word").get().has_value();
  auto const sizes = amity::collectives::gather(amity::collectives::world(), table.size_here()).get();
  int const all_wrong = amity::reduce_all(wrong, amity::op_fast_add).get();
  if (amity::rank_me() == 0) {
    std::printf("%d words in %d processes:", count, n);
    for (std::size_t s : sizes) std::printf(" %zu", s);
    std::printf("; %d wrong answers\n", all_wrong);
  }
  amity::barrier_all();  // nobody's part goes before the others have asked
  return all_wrong == 0 ? 0 : 1;
}
