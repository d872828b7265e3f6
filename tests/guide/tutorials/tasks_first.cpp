// [all]
#include <amity/amity.hpp>
#include <cstdio>
#include <string>

int square(int x) { return x * x; }

int main() {
  amity::future<int> a = amity::async(square, 3);
  amity::future<int> b =
      amity::async([] { return square(4); });
  int const sum = a.get() + b.get();

  amity::future<std::string> text =
      amity::async(square, 5).then(
          [](amity::future<int> ready) {
            return std::to_string(ready.get());
          });
  std::printf("%d and %s, by %d workers\n", sum,
              text.get().c_str(), amity::worker_count());
}
// [end]
