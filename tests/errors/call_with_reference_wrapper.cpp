// error: a reference means nothing in another process: pass a value
#include <amity/pgas/async_any.hpp>

int main() {
  int n = 0;
  amity::async_any([](int& to) { ++to; }, std::ref(n));
}
