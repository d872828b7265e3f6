#pragma once

/// How the simulated driver runs a compiled kernel: one work item after the other.

#include <dlfcn.h>
#include <ucontext.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "amity/accel/cuda/simulator/kernel.hpp"

namespace amity::accel::cuda {
namespace simulator {

/// One block's work items where they wait for one another: each has a stack of its own, and they take turns.
class block_of_items {
 public:
  block_of_items(const kernel& k, void** arguments, place& place, unsigned n)
      : kernel_(k), arguments_(arguments), place_(place), items_(n) {
    // Stacks are not initialized: ThreadSanitizer would look at each byte.
    while (stacks.size() < n) stacks.emplace_back(new std::byte[stack_bytes]);
    for (unsigned m = 0; m < n; ++m) prepare(items_[m], stacks[m].get());
  }

  void run() {
    block_of_items* const before = std::exchange(current, this);
    for (bool some = true; some;) {
      some = false;
      for (unsigned n = 0; n < items_.size(); ++n) {
        if (items_[n].is_over) continue;
        at_ = n;
        set_thread(n);
        swapcontext(&back_, &items_[n].context);
        some = some || !items_[n].is_over;
      }
    }
    current = before;
  }
  static void barrier() {
    block_of_items& b = *current;
    swapcontext(&b.items_[b.at_].context, &b.back_);
  }

 private:
  static constexpr std::size_t stack_bytes = 64 << 10;
  struct item {
    ucontext_t context{};
    bool is_over = false;
  };
  void prepare(item& i, std::byte* stack) {
    getcontext(&i.context);
    i.context.uc_stack.ss_sp = stack;
    i.context.uc_stack.ss_size = stack_bytes;
    i.context.uc_link = &back_;
    makecontext(&i.context, start, 0);
  }
  static void start() {
    block_of_items& b = *current;
    unsigned const me = b.at_;
    b.kernel_.run(b.arguments_);
    b.items_[me].is_over = true;
  }
  void set_thread(unsigned n) {
    const three& size = place_.block_size;
    place_.thread = {n % size.x, n / size.x % size.y, n / size.x / size.y};
  }

  static inline thread_local block_of_items* current = nullptr;
  /// Of the stream's thread, for one block after the other.
  static inline thread_local std::vector<std::unique_ptr<std::byte[]>> stacks;
  const kernel& kernel_;
  void** arguments_;
  place& place_;
  std::vector<item> items_;
  ucontext_t back_{};
  unsigned at_ = 0;
};

}  // namespace simulator

struct function_record {
  const simulator::kernel* kernel = nullptr;
  void* library = nullptr;
  std::mutex* lock = nullptr;  ///< of the library, whose kernels are told through one place where they are
  int device = 0;
  std::size_t own_shared = 0;                ///< bytes
  std::atomic<std::size_t> most_dynamic{0};  ///< MAX_DYNAMIC_SHARED_SIZE_BYTES, for all that have the function
  unsigned most_threads = 1024;

  void run(simulator::three grid, simulator::three block, void** arguments) const {
    const auto place_of = reinterpret_cast<simulator::place_of_item>(dlsym(library, "amity_place"));
    std::lock_guard const one_at_a_time(*lock);
    simulator::place& here = *place_of();
    here.grid = grid;
    here.block_size = block;
    for (unsigned z = 0; z < grid.z; ++z)
      for (unsigned y = 0; y < grid.y; ++y)
        for (unsigned x = 0; x < grid.x; ++x) {
          here.block = {x, y, z};
          if (kernel->has_barriers) {
            simulator::block_of_items(*kernel, arguments, here, block.x * block.y * block.z).run();
            continue;
          }
          for (unsigned k = 0; k < block.z; ++k)
            for (unsigned j = 0; j < block.y; ++j)
              for (unsigned i = 0; i < block.x; ++i) {
                here.thread = {i, j, k};
                kernel->run(arguments);
              }
        }
  }
};

}  // namespace amity::accel::cuda
