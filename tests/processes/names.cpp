// Names of communicators that are used again: by other sites, by more or fewer, in another order, by another process;
// and sites that can't come to be, of which all are told.
#include <malloc.h>

#include <functional>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

namespace co = amity::collectives;
using test::check, test::thrown;

co::communicator made(const char* name, int sites, int site) {
  return co::create_communicator(name, co::num_sites_arg(sites), co::this_site_arg(site));
}
void sum(const co::communicator& c, const std::string& what) {
  int const n = c.num_sites();
  check(co::all_reduce(c, c.this_site(), std::plus<>()).get() == n * (n - 1) / 2, what);
}

// First all ranks, then sites that are all tasks of one rank.
void name_used_again_elsewhere(int me, int n) {
  sum(made("again", n, me), "first use");
  for (int rank = 0; rank < n; ++rank) {
    if (rank == me)
      amity::finish([&] {
        for (int site = 0; site < 3; ++site) amity::async([site] { sum(made("again", 3, site), "tasks of one rank"); });
      });
    amity::barrier_all();
  }
}

// No barriers: who is left out of a use may come early to the next.
void more_and_fewer(int me, int n) {
  for (int round = 0; round < 20; ++round)
    for (int sites = n; sites > 0; --sites) {
      if (me < sites) sum(made("fewer", sites, me), "fewer sites");
    }
  for (int sites = 1; sites <= n; ++sites)
    if (me >= n - sites) sum(made("more", sites, me - (n - sites)), "more sites");
}

void in_another_order(int me, int n) {
  std::vector<co::communicator> kept;  // the uses before are still there
  for (int turn = 0; turn < 2 * n; ++turn) {
    kept.push_back(made("turned", n, (me + turn) % n));
    sum(kept.back(), "sites in another order");
  }
  for (const co::communicator& c : kept) sum(c, "an older use of the name");
}

void many_uses_at_once(int me, int n) {
  std::vector<co::communicator> all;
  std::vector<amity::future<int>> sums;
  for (int i = 0; i < 50; ++i) all.push_back(made("at once", n, me));
  for (int i = 0; i < 50; ++i) sums.push_back(co::all_reduce(all[static_cast<std::size_t>(i)], i, std::plus<>()));
  for (int i = 0; i < 50; ++i) check(sums[static_cast<std::size_t>(i)].get() == n * i, "many uses of one name at once");
  // By generations, each site in an order of its own.
  std::vector<amity::future<int>> ordered(5);
  for (int i = 0; i < 5; ++i) {
    int const g = 1 + (i + me) % 5;
    auto const c =
        co::create_communicator("generations", co::num_sites_arg(n), co::this_site_arg(me), co::generation_arg(g));
    ordered[static_cast<std::size_t>(g - 1)] = co::all_reduce(c, g, std::plus<>());
  }
  for (int g = 1; g <= 5; ++g) check(ordered[static_cast<std::size_t>(g - 1)].get() == n * g, "generations of a name");
  // Distributed, then local, one name.
  sum(co::create_hierarchical_communicator("levels", co::num_sites_arg(n), co::this_site_arg(me)), "levels");
  amity::finish([&] {
    for (int site = 0; site < 4; ++site)
      amity::async([site] {
        sum(co::create_local_communicator("levels", co::num_sites_arg(4), co::this_site_arg(site)),
            "local, the same name");
      });
  });
}

void parts_of_one_name(int me, int n) {
  auto const half = co::split(co::world(), me % 2, me).get();
  auto const other = co::split(co::world(), me % 2, -me).get();
  sum(half, "a part");
  sum(other, "another part by the same color");
  sum(co::split(half, 0, half.this_site()).get(), "a part of a part");
  sum(co::create_communicator("own"), "sites by rank");
  sum(made("own", n, (me + 1) % n), "then by number");
}

std::string refused(const co::communicator& c) {
  return thrown<co::collective_error>([&] { co::barrier(c).get(); });
}

void what_can_not_be(int me, int n) {
  // A site that does not exist: it is refused there, and the others are told.
  std::string said;
  if (me == n - 1)
    said = thrown<std::invalid_argument>([&] { static_cast<void>(made("out of range", n, n)); });
  else
    said = refused(made("out of range", n, me));
  check(said.find("this_site_arg " + std::to_string(n)) != std::string::npos, "a site out of range: " + said);
  amity::barrier_all();
  sum(made("out of range", n, me), "the next use");
  if (me == n - 1)
    said = thrown<std::invalid_argument>(
        [&] { static_cast<void>(co::create_communicator("no generation", co::generation_arg(-3))); });
  else
    said = refused(co::create_communicator("no generation", co::generation_arg(4)));
  check(said.find("generation_arg -3") != std::string::npos, "a generation that there is not: " + said);
  if (n == 1) return;
  if (n > 2) {
    said = refused(made("twice", n, me == 1 ? 0 : me));
    check(said.find("both want to be site 0") != std::string::npos, "a site that two want to be: " + said);
    amity::barrier_all();
    sum(made("twice", n, me), "the next use");
  }
  said = refused(made("numbers", me == 0 ? n + 1 : n, me));
  check(said.find(std::to_string(n + 1) + " sites") != std::string::npos, "numbers of sites that differ: " + said);
  amity::barrier_all();
  sum(made("numbers", n, me), "the next use");
}

// A name costs nothing when its communicator is gone.
void memory(int me, int n) {
  auto const use = [&](int first, int last) {
    for (int i = first; i < last; ++i) {
      auto const c = made(("name " + std::to_string(i)).c_str(), n, me);
      if (i % 16 == 0) sum(c, "one of many names");
      if (i % 64 == 0) amity::barrier_all();
    }
    amity::barrier_all();
  };
  use(0, 2'000);
  std::size_t const before = mallinfo2().uordblks;
  use(2'000, 12'000);
  std::size_t const after = mallinfo2().uordblks;
  check(after < before + 10'000 * 24, "10,000 names took " + std::to_string(after - before) + " bytes");
}

}  // namespace

int main() {
  int const me = amity::rank_me(), n = amity::rank_n();
  name_used_again_elsewhere(me, n);
  more_and_fewer(me, n);
  in_another_order(me, n);
  many_uses_at_once(me, n);
  parts_of_one_name(me, n);
  what_can_not_be(me, n);
  memory(me, n);
  return test::end();
}
