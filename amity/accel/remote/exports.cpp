#include "amity/accel/remote/exports.hpp"

#include <mutex>
#include <unordered_map>

#include "amity/accel/remote/tables.hpp"
#include "amity/net/job.hpp"

namespace amity::accel::remote {

tables& own_tables() {
  static auto* const one = new tables;
  return *one;
}

name new_name() noexcept {
  static std::atomic<std::uint64_t> next{1};
  return static_cast<std::uint64_t>(rank_me()) << rank_shift | next.fetch_add(1, std::memory_order_relaxed);
}

name export_buffer(detail::buffer_object& b) {
  tables& t = own_tables();
  std::lock_guard const held(t.lock);
  name& its = t.names[&b];
  if (its == 0) {
    its = new_name();
    t.buffers[its].buffer = detail::ref<detail::buffer_object>::to(&b);
  }
  ++t.buffers[its].handles;
  return its;
}

detail::ref<detail::buffer_object> find_export(name n) {
  tables& t = own_tables();
  std::lock_guard const held(t.lock);
  auto const found = t.buffers.find(n);
  if (found == t.buffers.end()) throw device_error("a buffer that another process names is not there");
  if (found->second.failure != nullptr) std::rethrow_exception(found->second.failure);
  return found->second.buffer;
}

void count_export(name n, int by) {
  detail::ref<detail::buffer_object> last;  // given up outside of the lock
  tables& t = own_tables();
  std::lock_guard const held(t.lock);
  auto const found = t.buffers.find(n);
  if (found == t.buffers.end()) return;
  if (by > 0) found->second.was_passed_on = true;
  if ((found->second.handles += by) > 0) return;
  last = std::move(found->second.buffer);
  t.names.erase(last.get());
  t.buffers.erase(found);
}

}  // namespace amity::accel::remote
