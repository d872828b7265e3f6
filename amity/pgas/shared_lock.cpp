#include "amity/pgas/shared_lock.hpp"

#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "amity/sys/spin_lock.hpp"

namespace amity::pgas::detail {
namespace {

/// Locks of which this process is the home, and that somebody has.
struct taken_locks {
  sys::spin_lock lock;
  std::map<std::uint64_t, std::deque<promise<void>>> waiting;  ///< those who come next
};
taken_locks& taken() noexcept {
  static auto* const all = new taken_locks;
  return *all;
}

}  // namespace

future<void> take_lock(std::uint64_t number) {
  taken_locks& t = taken();
  std::lock_guard const held(t.lock);
  auto const [found, is_free] = t.waiting.try_emplace(number);
  return is_free ? make_ready_future() : found->second.emplace_back().get_future();
}

bool try_take_lock(std::uint64_t number) {
  taken_locks& t = taken();
  std::lock_guard const held(t.lock);
  return t.waiting.try_emplace(number).second;
}

bool give_lock(std::uint64_t number) {
  taken_locks& t = taken();
  promise<void> next;
  {
    std::lock_guard const held(t.lock);
    auto const found = t.waiting.find(number);
    if (found == t.waiting.end()) return false;
    if (found->second.empty()) {
      t.waiting.erase(found);
      return true;
    }
    next = std::move(found->second.front());
    found->second.pop_front();
  }
  next.set_value();
  return true;
}

}  // namespace amity::pgas::detail
