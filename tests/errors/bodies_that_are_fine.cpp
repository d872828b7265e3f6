// A body may be generic, take the index as another type, be a function, be moved in, and take the part as auto&&.
// fine
#include <amity/algo/for_loop.hpp>
#include <functional>
#include <list>
#include <memory>

void function(int) {}

int main() {
  using amity::execution::par;
  long sum = 0;
  std::list<int> list;
  amity::for_loop(par, 0, 9, function);
  amity::for_loop(par, 0, 9L, [](auto) {});
  amity::for_loop(par, 0, 9, [p = std::make_unique<int>(1)](int) {});
  amity::for_loop(par, 0, 9, std::function<void(long)>([](long) {}));
  amity::for_loop(par, 0, 9, amity::reduction_plus(sum), [](int i, auto&& part) { part += i; });
  amity::for_loop(par, 0, 9, amity::reduction_plus(sum), amity::induction(1L),
                  [](int, long& part, long j) noexcept { part += j; });
  amity::for_loop(par, list.begin(), list.end(), [](std::list<int>::iterator i) { ++*i; });
  amity::for_loop_n_strided(0, 9, 2, amity::reduction_plus(sum), [](int i, long& part) mutable { part += i; });
}
