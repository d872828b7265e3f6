// The body has no parameter for the part of the sum.
// error: behind the index the body has a parameter for each reduction and induction before it
#include <amity/algo/for_loop.hpp>

int main() {
  int sum = 0;
  amity::for_loop(amity::execution::par, 0, 9, amity::reduction(sum, 0, std::plus<>()),
                  [&](int i) { static_cast<void>(i); });
}
