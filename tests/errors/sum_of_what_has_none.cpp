// error: reduce: the operation can't be called with the first value and an element
#include <amity/algo/reduce.hpp>
#include <memory>

int main() {
  std::vector<std::unique_ptr<int>> v;
  amity::reduce(amity::execution::par, v.begin(), v.end());
}
