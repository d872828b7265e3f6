// How often each word stands in a text, by algorithms alone: no loop of one's own, no locks, no shared table.
//
//   generate       a text, each block of it from a seed of its own
//   copy_if        where words begin
//   transform      the words
//   sort           equal words become neighbours
//   copy_if        where a new word begins
//   transform      how long each of those runs is
//   partial_sort   the most frequent
//
// Usage: word_count [letters]. Compared with a std::map by one thread.
#include <algorithm>
#include <amity/amity.hpp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "usage.hpp"

namespace {

namespace ex = amity::execution;
using count = std::pair<std::string_view, std::size_t>;

// Short words, the first letters of the alphabet more often.
std::string make_text(std::size_t letters) {
  constexpr std::size_t block = 4096;
  std::string text(letters, ' ');
  amity::for_loop_strided(ex::par, std::size_t{0}, letters, block, [&](std::size_t first) {
    std::minstd_rand random(static_cast<unsigned>(first + 1));
    std::uniform_int_distribution<int> letter(0, 11);
    for (std::size_t i = first; i < std::min(first + block, letters); ++i) {
      int const c = std::min(letter(random), letter(random));
      text[i] = c < 2 ? ' ' : static_cast<char>('a' + c - 2);
    }
  });
  return text;
}

std::vector<count> count_words(const std::string& text) {
  auto const begins = [&](std::size_t i) { return text[i] != ' ' && (i == 0 || text[i - 1] == ' '); };
  auto const all = std::views::iota(std::size_t{0}, text.size());
  std::vector<std::size_t> starts(
      static_cast<std::size_t>(amity::count_if(ex::par, all.begin(), all.end(), std::cref(begins))));
  amity::copy_if(ex::par, all.begin(), all.end(), starts.begin(), std::cref(begins));

  std::vector<std::string_view> words(starts.size());
  amity::transform(ex::par, starts.begin(), starts.end(), words.begin(), [&](std::size_t i) {
    return std::string_view(text).substr(i, std::min(text.find(' ', i), text.size()) - i);
  });
  amity::sort(ex::par, words.begin(), words.end());

  auto const indices = std::views::iota(std::size_t{0}, words.size());
  std::vector<std::size_t> groups(words.size());
  groups.erase(amity::copy_if(ex::par, indices.begin(), indices.end(), groups.begin(),
                              [&](std::size_t i) { return i == 0 || words[i] != words[i - 1]; }),
               groups.end());
  std::vector<count> counts(groups.size());
  amity::for_loop(ex::par, std::size_t{0}, groups.size(), [&](std::size_t g) {
    std::size_t const end = g + 1 < groups.size() ? groups[g + 1] : words.size();
    counts[g] = {words[groups[g]], end - groups[g]};
  });
  return counts;  // in the order of the alphabet
}

}  // namespace

int main(int argc, char** argv) {
  answer_help(argc, argv, "[letters = 1000000]");
  std::size_t const letters = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1'000'000;
  std::string const text = make_text(letters);

  std::vector<count> counts = count_words(text);

  std::map<std::string_view, std::size_t> serial;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t const end = std::min(text.find(' ', i), text.size());
    if (end > i) ++serial[std::string_view(text).substr(i, end - i)];
    i = end + 1;
  }
  bool const right = std::ranges::equal(
      counts, serial, [](const count& a, const auto& b) { return a.first == b.first && a.second == b.second; });

  auto const words = amity::transform_reduce(ex::par, counts.begin(), counts.end(), std::size_t{0}, std::plus<>(),
                                             [](const count& c) { return c.second; });
  auto const top = counts.begin() + std::min<std::ptrdiff_t>(5, std::ssize(counts));
  amity::partial_sort(ex::par, counts.begin(), top, counts.end(), [](const count& a, const count& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::printf("%zu words, %zu different: %s\n", words, counts.size(), right ? "right" : "WRONG");
  for (auto c = counts.begin(); c != top; ++c)
    std::printf("%8zu %.*s\n", c->second, static_cast<int>(c->first.size()), c->first.data());
  return right ? 0 : 1;
}
