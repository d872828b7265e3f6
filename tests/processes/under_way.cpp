// What is under way as the program ends: calls, copies, collective operations, tasks that may run anywhere, of which
// nobody waits for any. The job ends well. What the end waits for has been done then: each process
// says so as it leaves. The argument: how the program ends.
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

std::atomic<int> called{0};
bool ends_in_call = false;  // some processes have begun nothing then
amity::promise<int> left_open;
amity::global_ptr<int> memory;
std::vector<int> numbers(300'000);

// A call that leads to others, some of them late.
void call(int depth) {
  ++called;
  if (depth == 0) return;
  amity::this_task::sleep_for(std::chrono::milliseconds(2));
  amity::rpc_ff((amity::rank_me() + 1) % amity::rank_n(), call, depth - 1);
}

void look() {
  int const n = amity::rank_n();
  if (n == 1 || ends_in_call) return;  // a process without a job does not wait for its calls
  bool const copied = std::equal(numbers.begin(), numbers.end(), memory.local());
  if (called == 10 && copied) return;
  std::printf("rank %d: wrong: %d of 10 calls, %s\n", amity::rank_me(), called.load(),
              copied ? "all copied" : "not all");
  std::fflush(stdout);
  std::_Exit(1);
}

}  // namespace

int main(int, char** argv) {
  int const me = amity::rank_me(), n = amity::rank_n(), next = (me + 1) % n;
  std::iota(numbers.begin(), numbers.end(), 0);
  std::string const how = argv[1];
  ends_in_call = how == "in_call";
  memory = amity::new_array<int>(numbers.size());
  amity::barrier_all();  // each has its memory before another asks for it
  auto const of_next = amity::rpc(next, [] { return memory; }).get();
  amity::barrier_all();
  std::atexit(look);
  if (me == 0) std::puts("ok"), std::fflush(stdout);
  amity::rpc_ff(next, call, 9);
  static_cast<void>(amity::rput(numbers.data(), of_next, numbers.size()));
  static_cast<void>(amity::rpc(next, [] { amity::this_task::sleep_for(std::chrono::milliseconds(5)); }));
  static_cast<void>(amity::collectives::all_reduce(amity::collectives::world(), me, std::plus<>()));
  static auto const sums = numbers;
  static auto all = sums;
  if (!ends_in_call)  // there another thread calls exit, and `all` is destroyed before the job is left
    static_cast<void>(amity::collectives::all_reduce(amity::collectives::world(), std::span<int>(all), std::plus<>()));
  amity::set_stealing(amity::stealing::random);
  for (int i = 0; i < 100; ++i) amity::async_any([] { amity::this_task::yield(); });
  if (ends_in_call && n > 1) {  // the caller is told
    if (me == n - 1) left_open.get_future().wait();
    if (me != 0) return 0;
    std::string const words = test::thrown<std::runtime_error>([n] { amity::rpc(n - 1, [] { std::exit(0); }).get(); });
    return words.find("has ended in the call") == std::string::npos;
  }
  if (how == "exit") std::exit(0);
  if (how == "quick_exit") std::quick_exit(0);
  return 0;
}
