// error: a pointer means nothing in another process: pass a value, or an amity::global_ptr
#include <amity/pgas/remote_call.hpp>

int main() {
  return *amity::rpc(1, [] { return new int(1); }).get();
}
