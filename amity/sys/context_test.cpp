#include "amity/sys/context.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <cfenv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "amity/base/config.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/stack.hpp"
#include "amity/sys/thread_pointer.hpp"

namespace amity::sys {
namespace {

struct ping_pong {
  void* main_sp = nullptr;
  void* other_sp = nullptr;
  int visits = 0;
  int rounding = -1;
};

void echo(void* argument) {
  auto* p = static_cast<ping_pong*>(argument);
  for (;;) {
    ++p->visits;
    p->rounding = std::fegetround();
    amity_switch(&p->other_sp, p->main_sp);
  }
}

TEST(Context, SwitchesBackAndForth) {
  stack s = map_stack(64 * 1024);
  ASSERT_TRUE(s);
  ping_pong p;
  p.other_sp = make_context(s.top(), echo, &p);
  for (int i = 1; i <= 1000; ++i) {
    amity_switch(&p.main_sp, p.other_sp);
    ASSERT_EQ(p.visits, i);
  }
  unmap_stack(s);
}

TEST(Context, KeepsFloatingPointControlPerContext) {
  stack s = map_stack(64 * 1024);
  ping_pong p;
  p.other_sp = make_context(s.top(), echo, &p);
  std::fesetround(FE_UPWARD);
  amity_switch(&p.main_sp, p.other_sp);
  EXPECT_EQ(p.rounding, FE_TONEAREST);
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
  unmap_stack(s);
}

TEST(Context, SwitchWithOwnThreadPointerChangesNothing) {
  if (probe_thread_pointer() != thread_pointer_mode::instruction) GTEST_SKIP();
  stack s = map_stack(64 * 1024);
  ping_pong p;
  p.other_sp = make_context(s.top(), echo, &p);
  amity_switch_tp(&p.main_sp, p.other_sp, thread_pointer());
  EXPECT_EQ(p.visits, 1);
  unmap_stack(s);
}

TEST(ThreadPointer, IsReadAnewAfterAnotherWasInstalled) {
  if (base::thread_sanitizer || base::address_sanitizer) GTEST_SKIP() << "their code may use TLS at any instruction";
  auto const mode = probe_thread_pointer();
  if (mode == thread_pointer_mode::fixed) GTEST_SKIP();
  alignas(64) static unsigned char copy[256];  // of the control block's beginning, for what the compiler may use of it
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  auto const own = thread_pointer(), other = reinterpret_cast<std::uintptr_t>(&copy);
  std::memcpy(copy, reinterpret_cast<const void*>(own), 64);
  std::memcpy(copy, &other, sizeof other);
  install_thread_pointer(mode, other);
  auto const seen = thread_pointer();
  install_thread_pointer(mode, own);
  auto const back = thread_pointer();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(seen, other);
  EXPECT_EQ(back, own);
}

TEST(Stack, TopsAreColoured) {
  stack a = map_stack(64 * 1024), b = map_stack(64 * 1024);
  ASSERT_TRUE(a && b);
  EXPECT_NE(reinterpret_cast<std::uintptr_t>(a.top()) % 4096, reinterpret_cast<std::uintptr_t>(b.top()) % 4096);
  EXPECT_GE(a.size, 64u * 1024);
  unmap_stack(a);
  unmap_stack(b);
}

/// Linux's flags of the mapping that holds `address`; empty: it does not tell.
std::string flags_of_mapping(const void* address) {
  std::ifstream file("/proc/self/smaps");
  auto const wanted = reinterpret_cast<std::uintptr_t>(address);
  bool found = false;
  for (std::string line; std::getline(file, line);) {
    unsigned long from = 0, to = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &from, &to) == 2) found = from <= wanted && wanted < to;
    if (found && line.starts_with("VmFlags:")) return line + ' ';
  }
  return {};
}

// Each touched stack took 2 MiB where the kernel gives huge pages to everybody.
TEST(Stack, TakesNoHugePages) {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) GTEST_SKIP() << "the kernel has none";
  stack s = map_stack(8 << 20);
  ASSERT_TRUE(s);
  std::string const flags = flags_of_mapping(s.base);
  if (!flags.empty()) {
    EXPECT_NE(flags.find(" nh "), std::string::npos) << flags;
  }
  unmap_stack(s);
}

TEST(Clock, CalibratesToSomethingPlausible) {
  calibrate_ticks();
  EXPECT_GE(ticks_per_microsecond, 1u);
  EXPECT_LE(ticks_per_microsecond, 10'000u);
  auto const begin = ticks();
  EXPECT_GE(ticks(), begin);
}

}  // namespace
}  // namespace amity::sys
