// An array would arrive as an address of another process.
// error: an array can't be an argument of a call: use a view or std::array
// lines: 24
#include "amity/upcxx/runtime.hpp"

int main() {
  double a[10] = {};
  upcxx::rpc_ff(
      0, [](double*) {}, a);
}
