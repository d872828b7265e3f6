// A finish over processes: it waits for every task everywhere, nested, several at once, and says what was thrown.
#include <vector>

#include "check.hpp"

using test::check, test::thrown;

namespace {

std::atomic<long> arrived{0};

// 1 + 3 + ... + 3^depth tasks, at places that look random.
void spread(int depth, unsigned seed) {
  ++arrived;
  if (depth == 0) return;
  for (unsigned i = 0; i < 3; ++i)
    amity::async_at(
        static_cast<int>((seed * 7 + i * 13 + static_cast<unsigned>(depth)) % static_cast<unsigned>(amity::rank_n())),
        [=] { spread(depth - 1, seed * 31 + i); });
}

long arrived_everywhere() {
  long sum = 0;
  for (int r = 0; r < amity::rank_n(); ++r) sum += amity::rpc(r, [] { return arrived.load(); }).get();
  return sum;
}

void floods(int me, int n) {
  for (int round = 0; round < 10; ++round) {
    arrived = 0;
    amity::barrier_all();
    amity::finish_spmd([&] { spread(6, static_cast<unsigned>(me + round)); });
    check(arrived_everywhere() == n * 1093L, "finish_spmd waits for every task everywhere");
    amity::barrier_all();
  }
}

// Only the opener waits; others do something else.
void by_one(int me, int n) {
  arrived = 0;
  amity::barrier_all();
  if (me == n - 1) {
    amity::finish([] { spread(5, 3); });
    check(arrived_everywhere() == 364, "finish of one process waits for tasks in others");
    // Within, another; and after it still tasks of the outer one.
    amity::finish([&] {
      amity::async_at(0, [] { spread(3, 5); });
      amity::finish([] { amity::async_at(0, [] { spread(3, 7); }); });
      check(arrived_everywhere() >= 364 + 40, "the inner one has waited");
      amity::async_at(0, [] { spread(3, 9); });
    });
    check(arrived_everywhere() == 364 + 3 * 40, "nested");
  }
  amity::barrier_all();
}

// Finishes of tasks that run at the same time in one process.
void several(int me, int n) {
  static std::atomic<int> done{0};
  done = 0;
  amity::finish_spmd([&] {
    for (int i = 0; i < 20; ++i)
      amity::async([=] {
        std::atomic<int> here{0};
        amity::finish([&] {
          for (int k = 0; k < 5; ++k) amity::async_at((me + k) % n, [] {}).then([&here](auto) { ++here; });
        });
        if (here == 5) ++done;
      });
  });
  check(done == 20, "several at once");
}

// A finish that a remote task opens, which sends tasks back.
void opened_there(int me, int n) {
  int const next = (me + 1) % n;
  int const sum = amity::rpc(
                      next,
                      [](int from) {
                        static std::atomic<int> mine{0};
                        mine = 0;
                        int const back = amity::rank_me();
                        amity::finish([&] {
                          for (int i = 0; i < 10; ++i)
                            amity::async_at(from, [back] { amity::async_at(back, [] { ++mine; }); });
                        });
                        return mine.load();
                      },
                      me)
                      .get();
  amity::barrier_all();
  check(sum == 10, "a finish in a remote task");
}

void failures(int me, int n) {
  int const next = (me + 1) % n;
  for (int thrower : {0, n - 1}) {
    std::string const said = thrown<std::runtime_error>([&] {
      amity::finish_spmd([&] {
        if (me == thrower)
          amity::async_at(
              next, [n] { amity::async_at((amity::rank_me() + 1) % n, [] { throw std::runtime_error("deep"); }); });
      });
    });
    check(said == "deep", "finish_spmd throws everywhere: " + said);
  }
  std::string const body = thrown<std::logic_error>([&] {
    amity::finish_spmd([&] {
      if (me == n - 1) throw std::logic_error("body");
    });
  });
  check(body == "body", "what a body throws");
  check(thrown<std::runtime_error>([&] {
          amity::finish([&] { amity::async_at(next, [] { throw std::runtime_error("there"); }); });
        }) == "there",
        "finish throws what was thrown elsewhere");
  auto const all = amity::finish_collect([&] {
    for (int r = 0; r < n; ++r) amity::async_at(r, [] { throw std::runtime_error("each"); });
  });
  check(!all.empty(), "finish_collect");
  amity::barrier_all();
  amity::finish_spmd([] {});  // and all goes on
}

}  // namespace

int main() {
  int const me = amity::rank_me(), n = amity::rank_n();
  floods(me, n);
  by_one(me, n);
  several(me, n);
  opened_there(me, n);
  failures(me, n);
  amity::pgas::finish_counts const left = amity::pgas::count_finishes();
  amity::barrier_all();
  check(left.roots == 0 && left.members == 0, "nothing is left of a finish");
  return test::end();
}
