// Serial calls: one at a time in a process, whoever calls, though they wait, throw or give futures; and all calls,
// where that is asked for.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "amity/pgas/async_any.hpp"
#include "amity/sync/latch.hpp"
#include "check.hpp"

using test::check, test::thrown;

namespace {

// Unguarded, all of it: only serial calls touch it.
std::map<std::string, int> counts;
int within = 0, together = 0, begun = 0;
std::optional<amity::promise<int>> later;

struct call_of_mine {
  call_of_mine() {
    ++begun;
    if (++within > 1) ++together;
  }
  ~call_of_mine() { --within; }
};

void count(const std::string& word) {
  call_of_mine const here;
  ++counts[word];
}
// It waits in the middle, so that its worker has time for others.
int count_and_wait(const std::string& word) {
  call_of_mine const here;
  amity::async([] { amity::this_task::yield(); }).get();
  return ++counts[word];
}
void forget() {
  counts.clear();
  begun = together = 0;
}

constexpr int each = 200;

template <class... Serial>
void all_to_all(int n, Serial... serial) {
  int const others = 2 * n * each;
  amity::barrier_all();
  amity::finish_spmd([&] {
    amity::finish([&] {
      for (int i = 0; i < each; ++i)
        for (int rank = 0; rank < n; ++rank) {
          amity::rpc_ff(rank, serial..., count, std::string("some"));
          static_cast<void>(amity::rpc(rank, serial..., count_and_wait, std::string("words")));
          static_cast<void>(amity::async_at(rank, serial..., [] { count("more"); }));
        }
    });
  });
  check(counts["some"] == n * each && counts["words"] == n * each && counts["more"] == n * each,
        "counts: " + std::to_string(counts["some"]) + ' ' + std::to_string(counts["words"]) + ' ' +
            std::to_string(counts["more"]));
  check(begun == others + n * each, std::to_string(begun) + " calls");
  check(together == 0, std::to_string(together) + " calls found another one at work");
  amity::barrier_all();
  forget();
  amity::barrier_all();
}

void what_is_thrown(int next) {
  std::string const why = thrown<std::out_of_range>(
      [&] { amity::rpc(next, amity::serial, [] { throw std::out_of_range("row 7"); }).get(); });
  check(why.find("row 7") != std::string::npos, why);
  check(amity::rpc(next, amity::serial, [] { return 5; }).get() == 5, "a call after one that threw");
  check(thrown<std::out_of_range>([] { static_cast<void>(amity::rpc(-1, amity::serial, [] {})); }) != "nothing",
        "rank -1");
}

// The first call's future is there when the second one has put it: its turn has ended before.
void a_future(int next) {
  amity::barrier_all();
  auto first = amity::rpc(next, amity::serial, [] { return later.emplace().get_future(); });
  while (!amity::rpc(next, amity::serial, [] { return later.has_value(); }).get()) {  // it may have been overtaken
  }
  amity::rpc(next, amity::serial, [] { later->set_value(amity::rank_me()); }).get();
  check(first.get() == next, "a future of a serial call");
  amity::barrier_all();
}

// While a serial call waits, others that are not serial run, and let it go on.
void others_run_beside(int next) {
  static amity::latch go(1);
  auto waits = amity::rpc(next, amity::serial, [] { go.wait(); });
  amity::rpc(next, [] { go.count_down(); }).get();
  waits.get();
  amity::barrier_all();
}

// The program's own setting; tasks of async_any stay what they are.
void by_call(int me, int n) {
  check(!amity::serial_calls(), "serial by default");
  amity::set_serial_calls(true);
  check(amity::serial_calls(), "set");
  all_to_all(n);
  amity::set_stealing(amity::stealing::random);
  amity::barrier_all();
  static std::atomic<int> tasks{0};
  amity::finish_spmd([&] {
    for (int i = 0; me == 0 && i < 100; ++i) amity::async_any([] { ++tasks; });
  });
  amity::set_stealing(amity::stealing::off);
  int const sum = amity::collectives::all_reduce(amity::collectives::world(), tasks.load(), std::plus<>()).get();
  check(sum == 100, std::to_string(sum) + " tasks of async_any");
  amity::set_serial_calls(false);
  amity::barrier_all();
}

}  // namespace

int main() {
  int const me = amity::rank_me(), n = amity::rank_n(), next = (me + 1) % n;
  amity::barrier_all();
  if (std::getenv("AMITY_SERIAL_CALLS") != nullptr) {
    check(amity::serial_calls(), "AMITY_SERIAL_CALLS");
    all_to_all(n);
    return test::end();
  }
  all_to_all(n, amity::serial);
  what_is_thrown(next);
  a_future(next);
  others_run_beside(next);
  by_call(me, n);
  return test::end();
}
