// error: the result of this call is a view of elements that are gone when it is over: return a container of them
#include <amity/pgas/remote_call.hpp>

int main() {
  return int(amity::rpc(
                 1, [](std::string s) { return std::string_view(s); }, "text")
                 .get()
                 .size());
}
