// error: who shares an object can't be said in another process: pass the object itself, or an amity::object_ref
#include <amity/pgas/remote_call.hpp>

int main() {
  amity::rpc(
      1, [](std::shared_ptr<int> p) { return *p; }, std::make_shared<int>(1))
      .get();
}
