// Strings can't be copied as bytes.
// error: elements of this type can't be copied as bytes
// lines: 40
#include <string>

#include "amity/upcxx/runtime.hpp"

void f(upcxx::global_ptr<std::string> there, std::string* here) {
  upcxx::copy(there, here, 1, upcxx::source_cx::as_buffered());
}
