// error: the loop keeps its body, which can't be copied
#include <amity/algo/for_loop.hpp>
#include <memory>

int main() {
  auto body = [p = std::make_unique<int>(1)](int) {};
  amity::for_loop(amity::execution::par, 0, 9, body);
}
