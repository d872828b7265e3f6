// error: the elements of a span travel as bytes, and these can't: pass a container of them
#include <amity/pgas/remote_call.hpp>

int main() {
  std::vector<std::string> v(3);
  amity::async_at(
      1, [](std::span<const std::string> s) { return s.size(); }, std::span<const std::string>(v))
      .get();
}
