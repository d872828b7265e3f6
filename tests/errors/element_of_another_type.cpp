// error: for_each: the function can't be called with an element of the range
#include <amity/algo/for_each.hpp>
#include <string>

int main() {
  std::vector<int> v;
  amity::for_each(amity::execution::par, v.begin(), v.end(), [](const std::string&) {});
}
