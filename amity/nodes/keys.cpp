#include "amity/nodes/keys.hpp"

#include <errno.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <utility>

#include "amity/nodes/job.hpp"
#include "amity/omp/cluster/processes.hpp"

namespace amity::nodes::keys {
namespace {

constexpr int count = 256;

// In memory that all have.
struct table {
  std::atomic<int> made;  // of `count`. Relaxed: each key is one thread's to hand on
  void (*destroy[count])(void*);
};
table* all = nullptr;
pthread_key_t first = 0;  // the others follow

template <int K>
void destroy(void* value) {
  if (void (*const own)(void*) = all->destroy[K]; own != nullptr) own(value);
}
template <int... K>
constexpr std::array<void (*)(void*), sizeof...(K)> destructors(std::integer_sequence<int, K...>) noexcept {
  return {destroy<K>...};
}

}  // namespace

int make(unsigned* key, void (*destroy)(void*)) noexcept {
  int const k = all->made.fetch_add(1, std::memory_order_relaxed);
  if (k >= count) {
    all->made.store(count, std::memory_order_relaxed);
    return EAGAIN;
  }
  all->destroy[k] = destroy;  // told to other threads as the key itself is
  *key = first + static_cast<unsigned>(k);
  // What a thread keeps under it lasts from one region to the next.
  amity_omp_over_processes()->threads_have_data();
  return 0;
}

bool forget(unsigned key) noexcept {
  if (all == nullptr || key - first >= static_cast<unsigned>(count)) return false;
  all->destroy[key - first] = nullptr;
  return true;
}

std::size_t table_size() noexcept { return sizeof(table); }

void begin(void* memory) noexcept {
  static constexpr auto each = destructors(std::make_integer_sequence<int, count>());
  for (int k = 0; k < count; ++k) {
    pthread_key_t key;
    if (int const error = pthread_key_create(&key, each[static_cast<std::size_t>(k)]); error != 0)
      refuse("%d keys for data of threads can't be had (error %d)", count, error);
    if (k == 0) first = key;
    if (key != first + static_cast<unsigned>(k)) refuse("keys for data of threads don't follow one another");
  }
  all = static_cast<table*>(memory);
}

unsigned first_key() noexcept { return first; }

}  // namespace amity::nodes::keys
