#include "amity/future/thread.hpp"

#include <atomic>
#include <utility>

namespace amity::detail {
namespace {

/// Of the amity::thread that runs on this fiber, and the fiber's own; 0: it has none yet. A fiber keeps its TLS.
thread_local std::uint64_t running = 0, own = 0;

}  // namespace

std::uint64_t new_thread_number() noexcept {
  static constinit std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;  // relaxed: only that it is another one
}

std::uint64_t this_thread_number() noexcept {
  if (running != 0) return running;
  if (own == 0) own = new_thread_number();
  return own;
}

std::uint64_t exchange_thread_number(std::uint64_t number) noexcept { return std::exchange(running, number); }

}  // namespace amity::detail
