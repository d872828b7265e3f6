// The order is another one.
// error: the body comes last
#include <amity/algo/for_loop.hpp>

int main() {
  int sum = 0;
  amity::for_loop(
      amity::execution::par, 0, 9, [&](int i, int& part) { part += i; }, amity::reduction_plus(sum));
}
