// A library that the ranks load at different times: calls of its functions wait where it is not there yet. The argument
// is its path.
#include <dlfcn.h>

#include <atomic>
#include <string>

#include "check.hpp"

namespace {

using asking_function = amity::future<int> (*)(int rank);
std::atomic<bool> others_may_load{false};

asking_function load(const char* path) {
  void* const library = dlopen(path, RTLD_NOW);
  void* const found = library != nullptr ? dlsym(library, "ask_in_library") : nullptr;
  if (found == nullptr) std::printf("%s\n", dlerror());
  return reinterpret_cast<asking_function>(found);
}

}  // namespace

int main(int, char** argv) {
  int const me = amity::rank_me(), n = amity::rank_n();
  amity::barrier_all();
  if (me == 0) {
    asking_function const ask = load(argv[1]);
    if (ask == nullptr) return 1;
    std::vector<amity::future<int>> answers;
    for (int r = 0; r < n; ++r) answers.push_back(ask(r));
    for (int r = 1; r < n; ++r) amity::rpc_ff(r, [] { others_may_load = true; });
    for (int r = 0; r < n; ++r) test::check(answers[static_cast<std::size_t>(r)].get() == r + 1, "what a library says");
  } else {
    while (!others_may_load) amity::this_task::yield();
    if (load(argv[1]) == nullptr) return 1;
  }
  return test::end();
}
