// std::future, std::promise and std::async. Nothing of std waits for a future but a thread; so there are no chains of
// tasks, and a chain of deferred calls is a recursion.
#include <future>
#include <thread>
#include <vector>

#include "futures/futures.hpp"

namespace {

using futures::step;

long chain_sync(int n) {
  std::promise<long> first;
  std::future<long> f = first.get_future();
  for (int i = 0; i < n; ++i)
    f = std::async(std::launch::deferred, [before = std::move(f)]() mutable { return step(before.get()); });
  first.set_value(0);
  return f.get();
}

long fan(int n) {
  std::vector<std::future<long>> parts;
  for (int i = 0; i < n; ++i) parts.push_back(std::async(std::launch::async, [i] { return step(i); }));
  long sum = 0;
  for (auto& f : parts) sum += f.get();
  return sum;
}

long ping_pong(int n) {
  std::vector<std::promise<long>> there(static_cast<unsigned>(n)), back(static_cast<unsigned>(n));
  std::thread other([&] {
    for (int i = 0; i < n; ++i)
      back[static_cast<unsigned>(i)].set_value(step(there[static_cast<unsigned>(i)].get_future().get()));
  });
  long x = 0;
  for (int i = 0; i < n; ++i) {
    there[static_cast<unsigned>(i)].set_value(x);
    x = back[static_cast<unsigned>(i)].get_future().get();
  }
  other.join();
  return x;
}

long await(int n) {
  long sum = 0;
  for (int i = 0; i < n; ++i) sum += std::async(std::launch::async, [i] { return step(i); }).get();
  return sum;
}

}  // namespace

const futures::idiom futures::this_idiom = {.begin = [](int) {},
                                            .chain = nullptr,
                                            .chain_sync = chain_sync,
                                            .fan = fan,
                                            .tree = nullptr,
                                            .ping_pong = ping_pong,
                                            .await = await,
                                            .nested = nullptr,
                                            .generate = nullptr};
