// error: a pointer means nothing in another process: pass a value, or an amity::global_ptr
#include <amity/pgas/remote_call.hpp>
#include <map>

int main() {
  std::map<int, std::vector<std::optional<int*>>> const table;
  amity::rpc_ff(
      1, [](auto) {}, table);
}
