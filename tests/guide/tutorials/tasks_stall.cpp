// [all]
#include <amity/amity.hpp>
#include <mutex>

amity::mutex left, right;
amity::latch both(2);

void take_both(amity::mutex& first, amity::mutex& second) {
  std::lock_guard const one(first);
  both.arrive_and_wait();
  std::lock_guard const two(second);
}

int main() {
  amity::finish([] {
    amity::post([] { take_both(left, right); });
    amity::post([] { take_both(right, left); });
  });
}
// [end]
