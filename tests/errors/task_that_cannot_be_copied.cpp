// error: one of these can't be copied: give it by std::move
#include <amity/future/async.hpp>
#include <memory>

int main() {
  auto f = [p = std::make_unique<int>(1)] { return *p; };
  auto a = amity::async(f);
}
