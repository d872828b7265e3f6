#include "amity/sys/call_note.hpp"

namespace amity::sys {

/// A thread that makes short calls only is never seen in one.
constexpr int most_vain_looks = 3;

void call_note::write(const content& now) noexcept {
  last_ = now;
  std::uint32_t const before = sequence_.load(std::memory_order_relaxed);
  sequence_.store(before + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);  // the odd number before the words; pairs with read's fence
  int at = 0;
  auto const put = [&](std::uint64_t word) {
    word_[static_cast<std::size_t>(at++)].store(word, std::memory_order_relaxed);
  };
  put(static_cast<std::uint64_t>(now.call.number));
  for (long argument : now.call.arguments) put(static_cast<std::uint64_t>(argument));
  put(now.call.stack);
  put(now.call.next);
  put(now.since_ns);
  sequence_.store(before + 2, std::memory_order_release);  // pairs with read
}

bool call_note::look(int thread_id) noexcept {
  content now;
  if (!reads_call(thread_id, now.call)) now.call = {};
  std::uint64_t const cpu_ns = cpu_time_ns(thread_id);
  // A thread that has not been on a core since the last look is still in the call that it was in then.
  bool const still = now.call == last_.call && cpu_ns == cpu_ns_ && cpu_ns != unknown_time;
  now.since_ns = still ? last_.since_ns : monotonic_ns();
  cpu_ns_ = cpu_ns;
  write(now);
  vain_looks_ = now.call.number >= 0 ? 0 : vain_looks_ + 1;
  return vain_looks_ % most_vain_looks == 0;
}

call_note::content call_note::read() const noexcept {
  content seen;
  std::uint32_t const before = sequence_.load(std::memory_order_acquire);  // pairs with write
  if (before % 2 != 0) return seen;
  int at = 0;
  auto const take = [&] { return word_[static_cast<std::size_t>(at++)].load(std::memory_order_relaxed); };
  content whole;
  whole.call.number = static_cast<long>(take());
  for (long& argument : whole.call.arguments) argument = static_cast<long>(take());
  whole.call.stack = take();
  whole.call.next = take();
  whole.since_ns = take();
  std::atomic_thread_fence(std::memory_order_acquire);  // the words before the number; pairs with write's fence
  return before != 0 && sequence_.load(std::memory_order_relaxed) == before ? whole : seen;
}

}  // namespace amity::sys
