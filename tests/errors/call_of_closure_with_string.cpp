// error: this closure captures what can't travel as bytes to another process (a string, a container, a future ...)
#include <amity/pgas/remote_call.hpp>

int main() {
  std::string name = "text";
  return int(amity::rpc(1, [name] { return name.size(); }).get());
}
