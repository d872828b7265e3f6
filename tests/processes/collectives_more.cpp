// Collectives beside what the contract asks for: communicators of other sites than the ranks, many at once, misuse.
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"

using test::check, test::thrown;
namespace co = amity::collectives;

namespace {

std::string joined(std::string a, const std::string& b) { return a + b; }

// Sites in another order than the ranks, and two of each process.
void other_sites(int me, int n) {
  auto const turned = co::create_communicator("turned", co::num_sites_arg(n), co::this_site_arg((me + 1) % n));
  std::string expected;
  for (int site = 0; site < n; ++site) expected += std::to_string((site + n - 1) % n);
  check(co::all_reduce(turned, std::to_string(me), joined).get() == expected, "sites in another order");

  std::vector<amity::future<std::string>> both;
  for (int k = 0; k < 2; ++k) {
    auto const c =
        co::create_hierarchical_communicator("two each", co::num_sites_arg(2 * n), co::this_site_arg(2 * me + k),
                                             co::arity_arg(3), co::root_site_arg(2 * n - 1));
    both.push_back(co::all_reduce(c, std::to_string(2 * me + k) + " ", joined));
  }
  std::string all;
  for (int i = 0; i < 2 * n; ++i) all += std::to_string(i) + " ";
  for (auto& f : both) check(f.get() == all, "two sites of each process");

  std::vector<amity::future<int>> local;
  for (int i = 0; i < 5; ++i)
    local.push_back(co::all_reduce(co::create_local_communicator("here", co::num_sites_arg(5), co::this_site_arg(i)),
                                   i + 1, std::plus<>()));
  for (auto& f : local) check(f.get() == 15, "sites of one process");
}

// A name that is used again while others still hold the old one.
void names_again(int me, int n) {
  for (int round = 0; round < 5; ++round) {
    auto const c = co::create_communicator("again", co::num_sites_arg(n), co::this_site_arg(me));
    if (me == round % n) amity::this_task::sleep_for(std::chrono::milliseconds(5));
    check(co::all_reduce(c, round, std::plus<>()).get() == round * n, "a name again");
  }
}

void many_at_once(int me, int n) {
  auto const c = co::create_communicator("many", co::num_sites_arg(n), co::this_site_arg(me));
  std::vector<amity::future<long>> sums;
  for (int i = 0; i < 100; ++i) sums.push_back(co::all_reduce(c, static_cast<long>(i * me), std::plus<>()));
  for (int i = 99; i >= 0; --i) check(sums[static_cast<std::size_t>(i)].get() == i * n * (n - 1L) / 2, "many at once");
  // By generations, in another order on each site.
  std::vector<amity::future<int>> by_generation(6);
  for (int i = 0; i < 5; ++i) {
    int const g = 1 + (i + me) % 5;
    by_generation[static_cast<std::size_t>(g)] = co::all_reduce(c, g, std::plus<>(), co::generation_arg(g));
  }
  for (int g = 1; g <= 5; ++g) check(by_generation[static_cast<std::size_t>(g)].get() == g * n, "generations");
}

void sizes(int me, int n) {
  for (std::size_t count :
       {std::size_t{0}, std::size_t{1}, std::size_t{5}, std::size_t{10'000}, std::size_t{400'000}}) {
    std::vector<double> values(count);
    std::iota(values.begin(), values.end(), me);
    co::all_reduce(co::world(), std::span(values), std::plus<>()).get();
    bool right = true;
    for (std::size_t i = 0; i < count; ++i)
      right = right && values[i] == n * static_cast<double>(i) + n * (n - 1) / 2.0;
    check(right, "all_reduce of " + std::to_string(count));
    std::vector<int> table(count, me == n - 1 ? 3 : 0);
    co::broadcast(co::world(), std::span(table), co::root_site_arg(n - 1)).get();
    check(count == 0 || (table.front() == 3 && table.back() == 3), "broadcast of " + std::to_string(count));
    auto const all = co::all_gather(co::world(), std::vector<int>(count % 20'000, me)).get();
    check(all.size() == static_cast<std::size_t>(n) && all[0].size() == count % 20'000, "all_gather of vectors");
  }
}

// HPX's statements: the result is the variable's. Where the future is taken, the variable stays as it is.
void on_variables(int me, int n) {
  co::communicator const c = co::world();
  long x = me == 0 ? 42 : 0, sum = me + 1;
  co::broadcast(c, x);
  check(x == 42, "a broadcast to a variable");
  co::reduce(c, sum, std::plus<>(), co::root_site_arg(n - 1));
  check(sum == (me == n - 1 ? n * (n + 1) / 2 : me + 1), "a reduction to a variable");
  std::string text = me == 0 ? "from the root" : "own";
  amity::future<std::string> f = co::broadcast(c, text);
  check(f.get() == "from the root" && (me == 0 || text == "own"), "a broadcast of a variable");
  check(co::broadcast<long>(c, me, co::root_site_arg(n - 1)).get() == n - 1, "a type that is said");
  auto later = co::reduce(c, x, std::plus<>());
  check(later.get().value_or(42L * n) == 42L * n && x == 42, "a reduction of a variable");
}

void misuse(int me, int n) {
  auto const c = co::create_communicator("misused", co::num_sites_arg(n), co::this_site_arg(me));
  check(thrown<std::invalid_argument>(
            [&] { co::create_communicator("bad", co::num_sites_arg(n), co::this_site_arg(-2)); }) != "nothing",
        "a site below 0");
  check(thrown<std::invalid_argument>([&] { co::create_communicator("bad", co::generation_arg(0)); }) != "nothing",
        "generation 0");
  check(thrown<co::collective_error>([&] {
          co::all_reduce(c, 1, std::plus<>(), co::generation_arg(0)).get();
        }).find("generation_arg 0") != std::string::npos,
        "generation 0 of an operation");
  check(thrown<co::collective_error>([&] {
          co::all_to_all(c, std::vector<int>(static_cast<std::size_t>(n) + 1)).get();
        }).find(std::to_string(n + 1) + " values") != std::string::npos,
        "too many values");
  if (n == 1) return;
  std::string const said = thrown<co::collective_error>([&] {
    if (me == 0)
      co::broadcast_from<int>(c).get();
    else
      co::broadcast_to(c, 1).get();
  });
  check(said.find("calls broadcast_") != std::string::npos,
        "broadcast_from by the root and broadcast_to by others: " + said);
  amity::barrier_all();
  // Sites that don't do the same: all are told.
  std::string const mixed = thrown<co::collective_error>([&] {
    if (me == 0)
      co::all_reduce(c, 1, std::plus<>()).get();
    else
      co::all_gather(c, 1).get();
  });
  check(mixed.find("misused") != std::string::npos, "mixed operations: " + mixed);
  // One fails: all are told.
  std::string const failed = thrown<std::runtime_error>([&] {
    co::all_reduce(c, me, [&](int a, int b) -> int {
      if (me == n - 1 || n == 2) throw std::runtime_error("planted");
      return a + b;
    }).get();
  });
  amity::barrier_all();
  check(failed == "nothing" || failed.find("planted") != std::string::npos, "a failure in the operation: " + failed);
  check(co::all_reduce(c, 1, std::plus<>()).get() == n, "and then all is well");
  if (n > 2) {
    auto const twice = co::create_communicator("twice", co::num_sites_arg(n), co::this_site_arg(me == 1 ? 0 : me));
    std::string const why = thrown<co::collective_error>([&] { co::barrier(twice).get(); });
    check(why.find("both want to be site 0") != std::string::npos, "a site that two want to be: " + why);
  }
}

}  // namespace

int main() {
  int const me = amity::rank_me(), n = amity::rank_n();
  other_sites(me, n);
  names_again(me, n);
  many_at_once(me, n);
  sizes(me, n);
  on_variables(me, n);
  misuse(me, n);
  return test::end();
}
