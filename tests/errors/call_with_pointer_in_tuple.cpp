// error: a pointer means nothing in another process: pass a value, or an amity::global_ptr
#include <amity/pgas/remote_call.hpp>

int main() {
  int n = 0;
  return amity::rpc(
             1, [](std::tuple<int, const int*> t) { return std::get<0>(t); }, std::tuple(1, &n))
      .get();
}
