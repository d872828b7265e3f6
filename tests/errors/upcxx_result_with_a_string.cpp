// The result of a call travels back.
// error: this class can't be serialized: it is more than its bytes, and does not say how it travels
// lines: 60
#include <string>

#include "amity/upcxx/runtime.hpp"

struct answer {
  std::string text;
};

void f() {
  upcxx::rpc(0, [] { return answer(); }).wait();
}
