#include "amity/pgas/dist_object.hpp"

#include <atomic>
#include <mutex>

#include "amity/sys/spin_lock.hpp"

namespace amity::pgas::detail {
namespace {

struct here {
  void* object = nullptr;
  std::vector<promise<void*>> awaited;
};
struct all_dist {
  sys::spin_lock lock;
  std::map<std::uint64_t, here> objects;
};
all_dist& all() noexcept {
  static auto* const one = new all_dist;
  return *one;
}
std::atomic<std::uint64_t> made{0};

}  // namespace

std::uint64_t next_dist_number() noexcept { return made.fetch_add(1, std::memory_order_relaxed) + 1; }

void announce_dist(std::uint64_t number, void* object) {
  all_dist& a = all();
  std::vector<promise<void*>> awaited;
  {
    std::lock_guard const held(a.lock);
    here& h = a.objects[number];
    h.object = object;
    awaited.swap(h.awaited);
  }
  for (auto& p : awaited) p.set_value(object);
}

void withdraw_dist(std::uint64_t number) noexcept {
  all_dist& a = all();
  std::lock_guard const held(a.lock);
  a.objects.erase(number);
}

future<void*> dist_when_here(std::uint64_t number) {
  all_dist& a = all();
  std::lock_guard const held(a.lock);
  here& h = a.objects[number];
  if (h.object != nullptr) return make_ready_future(h.object);
  return h.awaited.emplace_back().get_future();
}

}  // namespace amity::pgas::detail
