// error: an iterator means nothing in another process: pass the elements, or how many lie before
#include <amity/pgas/remote_call.hpp>

int main() {
  std::vector<int> v(3);
  return amity::rpc(
             1, [](auto range) { return *range.first; }, std::pair(v.begin(), v.end()))
      .get();
}
