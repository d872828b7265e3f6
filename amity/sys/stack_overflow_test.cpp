#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "amity/sys/stack.hpp"

namespace amity::sys {
namespace {

constexpr std::size_t stack_size = 256 * 1024;
constexpr const char* words = "stack overflow";

int volatile depth = 0;
[[gnu::noinline]] int deeper(int n) {
  char volatile frame[2000];
  frame[n & 63] = 1;
  depth = n;
  return n < 0 ? frame[7] : deeper(n + 1) + frame[7];
}

/// Runs `body` on a thread with a stack of ours, in a process that is to die of it.
void run_on(const stack& s, void* (*body)(void*)) {
  rlimit const no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  signal(SIGSEGV, SIG_DFL);  // the test library's own
  install_stack_overflow_handler();
  register_guard(s);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, s.base, s.size & ~std::size_t{63});
  pthread_t thread;
  if (pthread_create(&thread, &attributes, body, const_cast<stack*>(&s)) == 0) pthread_join(thread, nullptr);
  _exit(0);
}

class StackOverflow : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer has a handler of its own";
#endif
  }
};

TEST_F(StackOverflow, IsSaidOfAThreadThatComesToItsGuard) {
  EXPECT_EXIT(run_on(map_stack(stack_size),
                     [](void*) -> void* {
                       arm_stack_overflow_handler();
                       return reinterpret_cast<void*>(static_cast<std::intptr_t>(deeper(0)));
                     }),
              testing::KilledBySignal(SIGABRT), words);
}

/// As a collector does that goes through a stack from its lowest address.
TEST_F(StackOverflow, IsNotSaidOfALookAtAGuard) {
  auto const look = [](void* s) -> void* {
    arm_stack_overflow_handler();
    depth = static_cast<int>(*static_cast<const stack*>(s)->mapping);
    return nullptr;
  };
  EXPECT_EXIT(run_on(map_stack(stack_size), look), testing::KilledBySignal(SIGSEGV), "^$");
}

TEST_F(StackOverflow, IsNotSaidOfALookAtAnothersGuard) {
  auto const look = [](void*) -> void* {
    arm_stack_overflow_handler();
    stack const other = map_stack(stack_size);
    register_guard(other);
    depth = static_cast<int>(*other.mapping);
    return nullptr;
  };
  EXPECT_EXIT(run_on(map_stack(stack_size), look), testing::KilledBySignal(SIGSEGV), "^$");
}

}  // namespace
}  // namespace amity::sys
