#include "amity/accel/cuda/later.hpp"

#include <mutex>
#include <utility>
#include <vector>

#include "amity/future/plain_task.hpp"
#include "amity/sync/mutex.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::accel::cuda {
namespace {

struct put_off {
  context_handle context;
  void (*call)(void*) noexcept;
  void* what;
};

struct all_put_off {
  sync::mutex doing;  ///< who waits for it finds the calls done
  sys::spin_lock lock;
  std::vector<put_off> calls;
};
all_put_off& all() {
  static auto* const one = new all_put_off;
  return *one;
}

}  // namespace

void later(context_handle context, void (*call)(void*) noexcept, void* what) noexcept {
  bool is_first = false;
  {
    std::lock_guard const held(all().lock);
    is_first = all().calls.empty();
    all().calls.push_back({context, call, what});
  }
  if (!is_first) return;  // the task of the first does all
  sched::worker& w = sched::this_worker();
  auto go = []() noexcept { do_what_was_put_off(); };
  sched::enqueue_arrived(amity::detail::new_plain_task(w, nullptr, amity::detail::as_glue{std::move(go)}));
}

void do_what_was_put_off() noexcept {
  std::lock_guard const one_at_a_time(all().doing);
  std::vector<put_off> calls;
  {
    std::lock_guard const held(all().lock);
    calls.swap(all().calls);
  }
  for (const put_off& one : calls) {
    within_context const its(one.context);
    one.call(one.what);
  }
}

}  // namespace amity::accel::cuda
