// Says how many workers its tasks of C++ have.
#include <amity/amity.hpp>
#include <cstdio>

int main() {
  amity::finish([] {
    for (int i = 0; i < 100; ++i) amity::post([] {});
  });
  std::printf("%d workers\n", static_cast<int>(amity::worker_count()));
}
