// error: sort: two elements of the range can't be compared by this order
#include <amity/algo/sort.hpp>

int main() {
  std::vector<int> v;
  amity::sort(amity::execution::par, v.begin(), v.end(), [](int a) { return a; });
}
