// A member that owns memory and does not say how it travels would be copied as its bytes.
// error: this class can't be serialized: it is more than its bytes, and does not say how it travels
// lines: 60
#include <string>

#include "amity/upcxx/runtime.hpp"

struct part {
  std::string name;
};
struct whole {
  part p;
  UPCXX_SERIALIZED_FIELDS(p)
};

int main() { upcxx::serialization_traits<whole>::deserialized_value(whole()); }
