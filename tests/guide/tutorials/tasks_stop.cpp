// [all]
#include <amity/amity.hpp>
#include <atomic>
#include <cstdio>

std::atomic<int> tried = 0;

void search(int from, std::stop_source& found) {
  for (int i = from; i < from + 1000; ++i) {
    if (amity::stop_requested()) return;
    ++tried;
    if (i == 4711) found.request_stop();
  }
}

int main() {
  std::stop_source found;
  amity::finish(found.get_token(), [&] {
    for (int from = 0; from < 1000000; from += 1000)
      amity::post([&, from] { search(from, found); });
  });
  bool const early = tried < 1000000;

  amity::future<int> urgent = amity::async(
      amity::task_priority::high, [] { return 42; });
  std::printf("%s, %d\n", early ? "ended early" : "tried all",
              urgent.get());
}
// [end]
