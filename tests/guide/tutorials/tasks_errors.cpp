// [all]
#include <amity/amity.hpp>
#include <cstdio>
#include <stdexcept>

int half(int x) {
  if (x % 2 != 0) throw std::invalid_argument("odd");
  return x / 2;
}

template <class F>
void attempt(const char* where, F f) {
  try {
    f();
  } catch (const std::exception& e) {
    std::printf("%s: %s\n", where, e.what());
  }
}

int main() {
  attempt("a future", [] { amity::async(half, 3).get(); });
  attempt("a finish", [] {
    amity::finish([] {
      amity::post([] { half(8); });
      amity::post([] { half(5); });
    });
  });
  attempt("a loop", [] {
    amity::for_loop(amity::execution::par, 0, 100,
                    [](int i) { half(2 * i + i / 99); });
  });
}
// [end]
