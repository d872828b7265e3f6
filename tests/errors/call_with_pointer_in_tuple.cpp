// error: a pointer means nothing in another process: pass a value, or an amity::global_ptr
#include <amity/pgas/remote_call.hpp>

int main() {
  return amity::rpc(1, [](std::tuple<int, const char*> t) { return std::get<0>(t); }, std::tuple(1, "text")).get();
}
