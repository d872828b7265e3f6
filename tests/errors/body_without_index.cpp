// error: the body can't be called with an index of this loop alone
#include <amity/algo/for_loop.hpp>

int main() {
  amity::for_loop(amity::execution::par, 0, 9, [] {});
}
