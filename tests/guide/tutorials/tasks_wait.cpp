// [all]
#include <amity/amity.hpp>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>

using namespace std::chrono_literals;

int main() {
  auto const begin = std::chrono::steady_clock::now();
  amity::finish([] {
    for (int i = 0; i < 200; ++i)
      amity::post([] { amity::this_task::sleep_for(100ms); });
  });
  std::chrono::duration<double> const slept =
      std::chrono::steady_clock::now() - begin;

  amity::channel<int> numbers(16);  // room for 16
  amity::mutex lock;
  std::map<int, int> last_digits;  // guarded by `lock`
  amity::finish([&] {
    amity::post([&] {
      for (int i = 0; i < 1000; ++i) numbers.send(i * i);
      numbers.close();
    });
    for (int consumer = 0; consumer < 3; ++consumer)
      amity::post([&] {
        for (int const x : numbers) {
          std::lock_guard const held(lock);
          ++last_digits[x % 10];
        }
      });
  });
  std::printf("%s; %d squares end in 6\n",
              slept < 10s ? "slept together" : "in turns",
              last_digits[6]);
}
// [end]
