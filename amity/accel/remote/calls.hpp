#pragma once

/// Calls of this module's between processes. They are no tasks of the caller's finish: it waits for operations, which
/// count in it by themselves, and must not wait for a process that is lost.

#include <utility>

#include "amity/accel/error.hpp"
#include "amity/net/losses.hpp"
#include "amity/pgas/remote_call.hpp"

namespace amity::accel::remote {

/// While it lives, what its fiber begins is in no finish.
class outside_finishes {
 public:
  outside_finishes() noexcept : around_(std::exchange(sched::this_worker().current, nullptr)) {}
  outside_finishes(const outside_finishes&) = delete;
  outside_finishes& operator=(const outside_finishes&) = delete;
  ~outside_finishes() { sched::this_worker().current = around_; }

 private:
  sched::scope* around_;
};

/// Does not wait for the other process. Dropped if that is lost, and in the child of a fork, which is none of the job.
template <class F, class... Args>
void tell(int rank, F f, Args&&... args) {
  if (accel::detail::is_child_of_user.load(std::memory_order_relaxed)) return;  // as behind_handle
  outside_finishes const here;
  pgas::detail::own_rpc_ff(rank, f, std::forward<Args>(args)...);
}

/// Waits for the answer. Throws device_error if the other process is lost, or has been before.
template <class F, class... Args>
auto ask_and_wait(int rank, F f, Args&&... args) {
  const auto ask_it = [&] {
    outside_finishes const here;
    return pgas::detail::own_rpc(rank, f, std::forward<Args>(args)...);
  };
  net::go_on_after_losses();
  try {
    return ask_it().get();
  } catch (const lost_rank& e) {
    throw device_error(e.what());
  }
}

}  // namespace amity::accel::remote
