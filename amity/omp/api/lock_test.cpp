// Locks as gcc's programs see them, as clang's do (8 bytes for either kind), and as those of before gcc 4.4 did.
#include <gtest/gtest.h>
#include <omp.h>

#include <cstdint>
#include <thread>
#include <vector>

extern "C" {
void __kmpc_init_nest_lock(void*, int, void** lock);
void __kmpc_set_nest_lock(void*, int, void** lock);
void __kmpc_unset_nest_lock(void*, int, void** lock);
int __kmpc_test_nest_lock(void*, int, void** lock);
void omp_init_nest_lock_at_OMP_1_0(void* lock);
void omp_set_nest_lock_at_OMP_1_0(void* lock);
void omp_unset_nest_lock_at_OMP_1_0(void* lock);
int omp_test_nest_lock_at_OMP_1_0(void* lock);
}

namespace {

template <class Work>
void run_threads(Work work) {
  std::vector<std::thread> all;
  for (int i = 0; i < 8; ++i) all.emplace_back(work);
  for (auto& one : all) one.join();
}

TEST(lock, excludes) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  long sum = 0;
  run_threads([&] {
    for (int i = 0; i < 2000; ++i) {
      omp_set_lock(&lock);
      ++sum;
      omp_unset_lock(&lock);
    }
  });
  EXPECT_EQ(sum, 16000);
  EXPECT_TRUE(omp_test_lock(&lock));
  EXPECT_FALSE(omp_test_lock(&lock));
  omp_unset_lock(&lock);
  omp_destroy_lock(&lock);
}

TEST(nest_lock, belongs_to_the_task) {
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
  omp_set_nest_lock(&lock);
  EXPECT_EQ(omp_test_nest_lock(&lock), 2);
  std::thread([&] { EXPECT_EQ(omp_test_nest_lock(&lock), 0); }).join();
  omp_unset_nest_lock(&lock);
  omp_unset_nest_lock(&lock);
  std::thread([&] {
    EXPECT_EQ(omp_test_nest_lock(&lock), 1);
    omp_unset_nest_lock(&lock);
  }).join();
  omp_destroy_nest_lock(&lock);
}

TEST(nest_lock, fits_clang_s_eight_bytes) {
  void* words[2] = {nullptr, reinterpret_cast<void*>(0x5a5a)};
  __kmpc_init_nest_lock(nullptr, 0, words);
  long sum = 0;
  run_threads([&] {
    for (int i = 0; i < 1000; ++i) {
      __kmpc_set_nest_lock(nullptr, 0, words);
      EXPECT_EQ(__kmpc_test_nest_lock(nullptr, 0, words), 2);
      ++sum;
      __kmpc_unset_nest_lock(nullptr, 0, words);
      __kmpc_unset_nest_lock(nullptr, 0, words);
    }
  });
  EXPECT_EQ(sum, 8000);
  EXPECT_EQ(words[1], reinterpret_cast<void*>(0x5a5a));
}

TEST(nest_lock, of_old_programs_is_two_ints) {
  std::int32_t words[3] = {1, 1, 77};
  omp_init_nest_lock_at_OMP_1_0(words);
  long sum = 0;
  run_threads([&] {
    for (int i = 0; i < 1000; ++i) {
      omp_set_nest_lock_at_OMP_1_0(words);
      EXPECT_EQ(omp_test_nest_lock_at_OMP_1_0(words), 2);
      ++sum;
      omp_unset_nest_lock_at_OMP_1_0(words);
      omp_unset_nest_lock_at_OMP_1_0(words);
    }
  });
  EXPECT_EQ(sum, 8000);
  EXPECT_EQ(words[2], 77);
}

}  // namespace
