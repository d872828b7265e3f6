#include "amity/sched/tasks/frame_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace amity::sched {
namespace {

TEST(FramePool, ClassesHaveRoom) {
  for (std::size_t bytes = 1; bytes <= 4096; ++bytes) {
    unsigned const c = frame_pool::class_of(bytes);
    ASSERT_LT(c, frame_pool::classes);
    EXPECT_GE(frame_pool::size_of_class[c], bytes);
    EXPECT_NE(c, 0u);
  }
  EXPECT_EQ(frame_pool::class_of(16385), frame_pool::class_none);
}

TEST(FramePool, AFrameComesBackToItsPool) {
  auto pool = std::make_unique<frame_pool>();
  frame* const f = pool->take(1);
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(f->home, pool.get());
  pool->give(f, 1);
  EXPECT_EQ(pool->take(1), f);
}

TEST(FramePool, FramesDoNotOverlap) {
  auto pool = std::make_unique<frame_pool>();
  std::vector<frame*> all;
  for (int i = 0; i < 500; ++i)
    for (unsigned c = 0; c < frame_pool::classes; ++c) {
      frame* const f = pool->take(c);
      ASSERT_NE(f, nullptr);
      std::memset(static_cast<void*>(f + 1), static_cast<int>(c), frame_pool::size_of_class[c] - sizeof(frame));
      all.push_back(f);
    }
  std::size_t i = 0;
  for (frame* f : all) {
    auto const c = static_cast<unsigned>(i++ % frame_pool::classes);
    const auto* bytes = reinterpret_cast<const unsigned char*>(f + 1);
    for (std::size_t b = 0; b < frame_pool::size_of_class[c] - sizeof(frame); b += 16) ASSERT_EQ(bytes[b], c);
  }
}

TEST(FramePool, RemoteFreesComeHomeInBatches) {
  auto home = std::make_unique<frame_pool>();
  auto other = std::make_unique<frame_pool>();
  std::set<frame*> taken;
  for (int i = 0; i < 10; ++i) taken.insert(home->take(2));
  for (frame* f : taken) other->give(f, 2);
  other->flush();
  std::set<frame*> again;
  for (int i = 0; i < 1000 && again.size() < taken.size(); ++i)
    if (frame* f = home->take(2); taken.count(f) != 0) again.insert(f);
  EXPECT_EQ(again, taken);
}

TEST(FramePoolStress, OneTakesAndTwoGive) {
  auto home = std::make_unique<frame_pool>();
  constexpr int rounds = 20000;
  // So many, because on a busy machine each turn of two threads may take a time slice.
  constexpr int slots = 64;
  std::atomic<frame*> mailbox[2][slots] = {};
  std::atomic<bool> over{false};
  std::vector<std::thread> givers;
  for (int g = 0; g < 2; ++g)
    givers.emplace_back([&, g] {
      auto own = std::make_unique<frame_pool>();
      for (int next = 0;;) {  // in the order in which they are filled
        bool const last = over.load(std::memory_order_acquire);
        frame* const f = mailbox[g][next].exchange(nullptr, std::memory_order_acquire);
        if (f != nullptr) {
          next = (next + 1) % slots;
          if (g == 0)
            own->give(f, 3);
          else
            frame_pool::give_home(f, 3);
        } else if (last) {
          break;
        } else {
          std::this_thread::yield();
        }
      }
      own->flush();
    });
  std::set<frame*> seen;
  for (int i = 0; i < rounds; ++i) {
    frame* const f = home->take(3);
    ASSERT_NE(f, nullptr);
    ASSERT_EQ(f->home, home.get());
    seen.insert(f);
    auto& slot = mailbox[i % 2][i / 2 % slots];
    for (frame* none = nullptr; !slot.compare_exchange_weak(none, f, std::memory_order_release); none = nullptr)
      std::this_thread::yield();
  }
  over.store(true, std::memory_order_release);
  for (auto& t : givers) t.join();
  EXPECT_LT(seen.size(), static_cast<std::size_t>(rounds) / 4);  // memory is used again
}

}  // namespace
}  // namespace amity::sched
