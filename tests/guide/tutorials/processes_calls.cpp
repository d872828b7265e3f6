// Of docs/tutorials/processes.md.
// clang-format off
// [all]
#include <amity/amity.hpp>
#include <amity/distributed.hpp>
#include <cstdio>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

static amity::mutex guard;
static std::map<std::string, int> stock;

int deliver(const std::string& what, int pieces) {
  std::lock_guard const held(guard);  // calls of several processes may be here at once
  return stock[what] += pieces;
}

int main() {
  int const me = amity::rank_me(), n = amity::rank_n(), right = (me + 1) % n;

  // A function of the program, with arguments. Its result comes back as a future.
  amity::future<int> delivered = amity::rpc(0, deliver, std::string("apples"), me + 1);

  // A closure: what it captures travels as bytes.
  amity::future<int> sum = amity::async_at(right, [me] { return me + amity::rank_me(); });
  int const both = sum.get();

  // What the function throws, get() throws here.
  amity::future<void> failing = amity::rpc(right, [] { throw std::out_of_range("no such row"); });
  try {
    failing.get();
  } catch (const std::out_of_range& error) {
    if (me == 0) std::printf("rank %d threw: %s\n", right, error.what());
  }

  delivered.get();       // rank 0 has what this process delivered
  amity::barrier_all();  // and what all others did
  if (me == 0) std::printf("ranks 0 and %d give %d; %d apples\n", right, both, stock["apples"]);
}
// [end]
// clang-format on
