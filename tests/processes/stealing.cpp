// Tasks that may run in any process, under each way of stealing: trees that are counted exactly, tasks that throw,
// that block, that are large, and a finish within a task.
#include <cstdint>
#include <string>
#include <vector>

#include "amity/pgas/async_any.hpp"
#include "check.hpp"

namespace {

using test::check;
using test::thrown;

std::atomic<long> nodes{0}, elsewhere{0};

// An unbalanced tree: a node has 0 to 4 children, by its own number.
void grow(std::uint64_t seed, int depth, int made_by) {
  ++nodes;
  if (made_by != amity::rank_me()) ++elsewhere;
  if (depth == 0) return;
  std::uint64_t const h = (seed + 1) * 0x9e3779b97f4a7c15;
  int const children = depth > 12 ? 3 : static_cast<int>(h >> 60) % 4;
  for (int i = 0; i < children; ++i)
    amity::async_any(grow, h ^ static_cast<std::uint64_t>(i) * 0xbf58476d1ce4e5b9, depth - 1, amity::rank_me());
}
long counted(std::uint64_t seed, int depth) {
  if (depth == 0) return 1;
  std::uint64_t const h = (seed + 1) * 0x9e3779b97f4a7c15;
  int const children = depth > 12 ? 3 : static_cast<int>(h >> 60) % 4;
  long all = 1;
  for (int i = 0; i < children; ++i) all += counted(h ^ static_cast<std::uint64_t>(i) * 0xbf58476d1ce4e5b9, depth - 1);
  return all;
}

long sum(const std::atomic<long>& of) {
  return amity::collectives::all_reduce(amity::collectives::world(), of.load(), std::plus<>()).get();
}

void trees(const char* name, int me, int n) {
  for (int round = 0; round < 3; ++round) {
    auto const seed = static_cast<std::uint64_t>(round + 1);
    nodes = elsewhere = 0;
    amity::barrier_all();
    amity::finish_spmd([&] {
      if (me == round % n) amity::async_any(grow, seed, 18, me);
    });
    long const all = sum(nodes), expected = counted(seed, 18);
    check(all == expected, std::string(name) + ": " + std::to_string(all) + " nodes of " + std::to_string(expected));
    amity::barrier_all();
  }
}

void others(const char* name, int me, int n) {
  // What is thrown comes to everybody, wherever it was.
  std::string const why = thrown<std::runtime_error>([&] {
    amity::finish_spmd([&] {
      for (int i = 0; i < 40; ++i)
        amity::async_any([i, me] {
          if (i == 39 && me == 0) throw std::runtime_error("planted");
        });
    });
  });
  check(why.find("planted") != std::string::npos, std::string(name) + ": a task that throws");

  // Large arguments, tasks that block, and a finish of their own in whatever process.
  nodes = 0;
  amity::barrier_all();
  amity::finish([&] {
    for (int i = 0; i < 20; ++i)
      amity::async_any(
          [](const std::vector<int>& v, const std::string& text) {
            long inner = 0;
            amity::finish([&] {
              for (int j = 0; j < 3; ++j) amity::async([&inner] { __atomic_fetch_add(&inner, 1, __ATOMIC_RELAXED); });
            });
            int const next = (amity::rank_me() + 1) % amity::rank_n();
            inner += amity::rpc(
                         next, [](int x) { return x; }, 1)
                         .get();
            nodes += inner + v.back() + static_cast<long>(text.size());
          },
          std::vector<int>(2000, i), std::string("four"));
  });
  amity::barrier_all();
  check(sum(nodes) == n * (20 * 8 + 190), std::string(name) + ": large ones that block");

  // Outside of a finish: the job's end waits for them.
  static std::atomic<int> loose{0};
  for (int i = 0; i < 10; ++i) amity::async_any([] { ++loose; });
  amity::barrier_all();
}

}  // namespace

int main() {
  int const me = amity::rank_me(), n = amity::rank_n();
  constexpr std::pair<const char*, amity::stealing> ways[] = {{"off", amity::stealing::off},
                                                              {"random", amity::stealing::random},
                                                              {"round robin", amity::stealing::round_robin},
                                                              {"lifelines", amity::stealing::lifelines}};
  for (const auto& [name, how] : ways) {
    amity::set_stealing(how);
    amity::barrier_all();
    trees(name, me, n);
    others(name, me, n);
    amity::barrier_all();
  }
  auto const given = amity::collectives::all_reduce(amity::collectives::world(),
                                                    static_cast<long>(amity::count_stealing().given), std::plus<>());
  check(const_cast<amity::future<long>&>(given).get() > 0 || n == 1, "some tasks were taken");
  return test::end();
}
