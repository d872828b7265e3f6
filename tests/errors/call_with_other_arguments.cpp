// error: this function can't be called with these arguments
#include <amity/pgas/remote_call.hpp>

int main() {
  return amity::rpc(
             1, [](int& n) { return ++n; }, 5)
      .get();
}
