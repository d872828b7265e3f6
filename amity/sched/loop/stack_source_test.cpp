// Fibers' stacks come from where the setting says, and go back there; what runs on one lies in it, with the
// thread-local variables of its identity.
#include <gtest/gtest.h>

#include <mutex>
#include <vector>

#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sys/spin_lock.hpp"
#include "amity/sys/stack.hpp"

namespace amity::sched {
namespace {

sys::spin_lock lock;
std::vector<sys::stack> given, taken_back;

sys::stack give(std::size_t bytes) noexcept {
  sys::stack const s = sys::map_stack(bytes);
  std::lock_guard const guard(lock);
  given.push_back(s);
  return s;
}

void take_back(const sys::stack& s) noexcept {
  {
    std::lock_guard const guard(lock);
    taken_back.push_back(s);
  }
  sys::unmap_stack(s);
}

bool lies_in_one(const void* p) noexcept {
  auto const* const at = static_cast<const std::byte*>(p);
  std::lock_guard const guard(lock);
  for (const sys::stack& s : given)
    if (at >= s.base && at < s.top()) return true;
  return false;
}

thread_local int of_the_identity = 1;

TEST(stack_source, is_asked_for_the_stacks_of_fibers) {
  setting.map_stack = give;
  setting.unmap_stack = take_back;
  static bool local_lies_there = false, thread_local_lies_there = false;
  ASSERT_GE(concurrency(), 1);
  fiber* const f = acquire_shell(-1);
  ASSERT_NE(f, nullptr);
  release_shell(f);
  run_on_idle_shells([] {
    int local = of_the_identity;
    local_lies_there = lies_in_one(&local);
    thread_local_lies_there = lies_in_one(&of_the_identity);
  });
  EXPECT_TRUE(local_lies_there);
  EXPECT_TRUE(thread_local_lies_there);
  EXPECT_FALSE(given.empty());
  end_idle_shells();
  std::lock_guard const guard(lock);
  EXPECT_FALSE(taken_back.empty());
  for (const sys::stack& s : taken_back) {
    bool found = false;
    for (const sys::stack& g : given) found = found || g.base == s.base;
    EXPECT_TRUE(found);
  }
}

}  // namespace
}  // namespace amity::sched
