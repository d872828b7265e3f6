// The same without a policy.
// error: behind the index the body has a parameter for each reduction and induction before it
#include <amity/algo/for_loop.hpp>

int main() {
  int sum = 0;
  amity::for_loop(0, 9, amity::reduction_plus(sum), [&](int i) { static_cast<void>(i); });
}
