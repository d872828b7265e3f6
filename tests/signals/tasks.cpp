// Tasks make a call while the program's own thread waits for a future that another thread fulfils. The program's thread
// must go on then, so the runtime frees it from the task on top of it. The task's call shall not notice. Argument:
// optionally the number of one call.
#include <unistd.h>

#include <amity/amity.hpp>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "calls.h"

namespace {

int make(int number) {
  std::vector<amity::future<int>> tasks;
  for (int i = 0; i < 4; ++i) tasks.push_back(amity::async([=] { return call_lasts(number); }));
  amity::promise<void> promise;
  std::thread other([&] {
    usleep(20000);
    promise.set_value();
  });
  promise.get_future().get();
  other.join();
  int wrong = 0;
  for (auto& each : tasks) wrong += 1 - each.get();
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  int const only = argc > 1 ? std::atoi(argv[1]) : -1;
  int wrong = 0;
  for (int i = 0; calls[i].name != nullptr; ++i)
    if ((only < 0 || i == only) && calls[i].has_thread_mask == 0) wrong += make(i);
  std::puts(wrong != 0 ? "wrong" : "ok");
  return wrong != 0;
}
