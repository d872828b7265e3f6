// A finish waits for its tasks: what async returns need not be kept (docs/decisions/0013).
// fine
#include <amity/finish/finish.hpp>

int main() {
  amity::finish([] {
    amity::async([] { amity::async([] {}); });
    amity::post([] {});
    amity::async([] { return 1; }).then([](amity::future<int>) {});
  });
}
