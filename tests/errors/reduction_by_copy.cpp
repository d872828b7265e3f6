// What is added to a copy of the part is lost: this compiled, and the sum was 0.
// error: the body has to take the part of a reduction by reference
#include <amity/algo/for_loop.hpp>

int main() {
  int sum = 0;
  amity::for_loop(amity::execution::par, 0, 9, amity::reduction_plus(sum), [&](int i, int part) { part += i; });
}
