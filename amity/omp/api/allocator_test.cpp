#include <gtest/gtest.h>
#include <omp.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <string>
#include <vector>

namespace {

omp_allocator_handle_t make(std::vector<omp_alloctrait_t> traits, std::uintptr_t space = 0) {
  return omp_init_allocator(static_cast<omp_memspace_handle_t>(space), static_cast<int>(traits.size()), traits.data());
}
constexpr auto value = [](auto v) { return static_cast<omp_uintptr_t>(v); };

TEST(allocator, aligns) {
  const auto a = make({{omp_atk_alignment, 4096}});
  ASSERT_NE(a, omp_null_allocator);
  void* p = omp_alloc(100, a);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 4096, 0u);
  omp_free(p, a);
  p = omp_aligned_alloc(64, 100, omp_default_mem_alloc);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 64, 0u);
  omp_free(p, omp_null_allocator);
  EXPECT_EQ(omp_aligned_alloc(48, 100, omp_default_mem_alloc), nullptr);
  omp_destroy_allocator(a);
}

TEST(allocator, both_headers_numbers_of_the_default_space_are_known) {
  for (const std::uintptr_t space : {0, 99, 1, 4, 100}) {
    const auto a = make({}, space);
    EXPECT_NE(a, omp_null_allocator) << space;
    omp_destroy_allocator(a);
  }
  EXPECT_EQ(make({}, 77), omp_null_allocator);
}

TEST(allocator, gives_out_no_more_than_its_pool) {
  const auto a = make({{omp_atk_pool_size, 10'000}, {omp_atk_fallback, value(omp_atv_null_fb)}});
  void* p = omp_alloc(6000, a);
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(omp_alloc(6000, a), nullptr);
  omp_free(p, a);
  p = omp_alloc(6000, a);
  EXPECT_NE(p, nullptr);
  omp_free(p, a);
  omp_destroy_allocator(a);
}

TEST(allocator, falls_back_on_another) {
  const auto second = make({{omp_atk_alignment, 8192}});
  const auto first =
      make({{omp_atk_pool_size, 1}, {omp_atk_fallback, value(omp_atv_allocator_fb)}, {omp_atk_fb_data, value(second)}});
  void* p = omp_alloc(100, first);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 8192, 0u);
  omp_free(p, first);
  omp_destroy_allocator(first);
  omp_destroy_allocator(second);
}

TEST(allocator, clang_22s_numbers_are_known) {
  struct {
    int key;
    omp_uintptr_t value;
    bool is_known;
  } const traits[] = {{omp_atk_access, 7, true},
                      {omp_atk_access, 19, true},
                      {omp_atk_access, 20, false},
                      {11, 20, true},
                      {12, 21, true},
                      {12, 7, false},
                      {13, 7, true},
                      {13, 19, true},
                      {13, 8, false}};
  for (auto const& t : traits) {
    const auto a = make({{static_cast<omp_alloctrait_key_t>(t.key), t.value}});
    EXPECT_EQ(a != omp_null_allocator, t.is_known) << t.key << ": " << t.value;
    omp_destroy_allocator(a);
  }
}

// Of clang 22's header; gcc 12's has none of them.
extern "C" {
std::uintptr_t omp_get_devices_memspace(int devices, const int* device, std::uintptr_t space);
std::uintptr_t omp_get_device_and_host_memspace(int device, std::uintptr_t space);
std::uintptr_t omp_get_devices_all_memspace(std::uintptr_t space);
std::uintptr_t omp_get_device_allocator(int device, std::uintptr_t space);
std::uintptr_t omp_get_devices_all_allocator_(const std::uintptr_t* space);
int omp_get_memspace_num_resources(std::uintptr_t space);
std::uintptr_t omp_get_submemspace(std::uintptr_t space, int resources, const int* resource);
}

TEST(allocator, spaces_of_devices_are_the_hosts_or_null) {
  constexpr std::uintptr_t none = 0, usual = 99, high_bandwidth = 3, no_space = 50;
  constexpr std::uintptr_t usual_allocator = 1, high_bandwidth_allocator = 4;
  int const hosts[] = {omp_get_initial_device(), -1}, others[] = {omp_get_initial_device(), 5};
  EXPECT_EQ(omp_get_devices_memspace(2, hosts, usual), usual);
  EXPECT_EQ(omp_get_devices_memspace(2, others, usual), none);
  EXPECT_EQ(omp_get_devices_memspace(0, nullptr, usual), none);
  EXPECT_EQ(omp_get_devices_memspace(-1, hosts, usual), none);
  EXPECT_EQ(omp_get_devices_memspace(1, nullptr, usual), none);
  EXPECT_EQ(omp_get_devices_memspace(1, hosts, no_space), none);
  EXPECT_EQ(omp_get_device_and_host_memspace(hosts[0], high_bandwidth), high_bandwidth);
  EXPECT_EQ(omp_get_device_and_host_memspace(5, high_bandwidth), none);
  EXPECT_EQ(omp_get_devices_all_memspace(high_bandwidth), high_bandwidth);
  EXPECT_EQ(omp_get_devices_all_allocator_(&high_bandwidth), high_bandwidth_allocator);
  EXPECT_EQ(omp_get_device_allocator(hosts[0], usual), usual_allocator);
  EXPECT_EQ(omp_get_device_allocator(5, usual), none);
  EXPECT_EQ(omp_get_memspace_num_resources(usual), 1);
  EXPECT_EQ(omp_get_memspace_num_resources(none), 0);
  EXPECT_EQ(omp_get_submemspace(usual, 1, hosts), usual);
  EXPECT_EQ(omp_get_submemspace(no_space, 1, hosts), none);
}

TEST(allocator, traits_of_openmp_6) {
  auto const key = [](int k) { return static_cast<omp_alloctrait_key_t>(k); };
  constexpr int pin_device = 9, preferred_device = 10, part_size = 14;
  const auto a =
      make({{key(pin_device), value(omp_get_initial_device())}, {key(preferred_device), 3}, {key(part_size), 8}});
  EXPECT_NE(a, omp_null_allocator);
  omp_destroy_allocator(a);
  EXPECT_EQ(make({{key(pin_device), 5}}), omp_null_allocator) << "which is not there";
}

TEST(allocator, refuses_traits_that_mean_nothing) {
  EXPECT_EQ(make({{omp_atk_alignment, 3}}), omp_null_allocator);
  EXPECT_EQ(make({{omp_atk_fallback, 99}}), omp_null_allocator);
  EXPECT_EQ(make({{static_cast<omp_alloctrait_key_t>(42), 0}}), omp_null_allocator);
}

long locked_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmLck:", 0) == 0) return std::stol(line.substr(6));
  return -1;
}

TEST(allocator, pinned_memory_is_locked) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizers make mlock do nothing";
#endif
  const auto a = make(
      {{omp_atk_pinned, value(omp_atv_true)}, {omp_atk_alignment, 64}, {omp_atk_fallback, value(omp_atv_null_fb)}});
  ASSERT_NE(a, omp_null_allocator);
  const long before = locked_kilobytes();
  auto* p = static_cast<unsigned char*>(omp_alloc(20'000, a));
  if (p == nullptr) GTEST_SKIP() << "the system locks no memory";
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 64, 0u);
  EXPECT_GE(locked_kilobytes(), before + 20);
  std::memset(p, 7, 20'000);
  p = static_cast<unsigned char*>(omp_realloc(p, 40'000, a, a));
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(p[19'999], 7);
  EXPECT_GE(locked_kilobytes(), before + 40);
  omp_free(p, a);
  EXPECT_EQ(locked_kilobytes(), before);
  omp_destroy_allocator(a);
}

TEST(allocator, memory_that_cannot_be_pinned_falls_back) {
  const auto a = make({{omp_atk_pinned, value(omp_atv_true)}, {omp_atk_fallback, value(omp_atv_default_mem_fb)}});
  rlimit before{};
  getrlimit(RLIMIT_MEMLOCK, &before);
  const rlimit none{0, before.rlim_max};
  setrlimit(RLIMIT_MEMLOCK, &none);
  void* const p = omp_alloc(20'000, a);  // root locks what it wants
  EXPECT_NE(p, nullptr);
  omp_free(p, a);
  setrlimit(RLIMIT_MEMLOCK, &before);
  omp_destroy_allocator(a);
}

TEST(allocator, realloc_keeps_what_was_there) {
  auto* p = static_cast<char*>(omp_calloc(3, 5, omp_null_allocator));
  for (int i = 0; i < 15; ++i) ASSERT_EQ(p[i], 0);
  std::strcpy(p, "unchanged");
  p = static_cast<char*>(omp_realloc(p, 100'000, omp_null_allocator, omp_null_allocator));
  EXPECT_STREQ(p, "unchanged");
  EXPECT_EQ(omp_realloc(p, 0, omp_null_allocator, omp_null_allocator), nullptr);
}

TEST(allocator, realloc_needs_room_in_the_pool_for_the_difference_only) {
  const auto a = make({{omp_atk_pool_size, 10'000}, {omp_atk_fallback, value(omp_atv_null_fb)}});
  auto* p = static_cast<char*>(omp_alloc(6000, a));
  p[5999] = 'x';
  p = static_cast<char*>(omp_realloc(p, 9000, a, a));
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(p[5999], 'x');
  EXPECT_EQ(omp_realloc(p, 11'000, a, a), nullptr);
  p = static_cast<char*>(omp_realloc(p, 100, a, a));
  void* q = omp_alloc(9000, a);  // what it gave up is there for others
  EXPECT_NE(q, nullptr);
  EXPECT_EQ(omp_alloc(9000, a), nullptr);
  omp_free(p, a);
  omp_free(q, a);
  omp_destroy_allocator(a);
}

TEST(allocator, sizes_that_overflow_are_refused) {
  const volatile std::size_t most = SIZE_MAX;  // volatile: the compiler warns of what it can see
  EXPECT_EQ(omp_calloc(most / 2, 3, omp_default_mem_alloc), nullptr);
  EXPECT_EQ(omp_alloc(most, omp_default_mem_alloc), nullptr);
  EXPECT_EQ(omp_alloc(0, omp_default_mem_alloc), nullptr);
}

TEST(allocator, default_is_the_task_s) {
  EXPECT_EQ(omp_get_default_allocator(), omp_default_mem_alloc);
  omp_set_default_allocator(omp_high_bw_mem_alloc);
  EXPECT_EQ(omp_get_default_allocator(), omp_high_bw_mem_alloc);
  omp_set_default_allocator(omp_default_mem_alloc);
}

}  // namespace
