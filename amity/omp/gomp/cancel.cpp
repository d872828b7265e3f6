/// gcc's entries for cancellation. Its code has cancellable barriers where a region can be cancelled, and the usual
/// ones elsewhere.

#include "amity/omp/rt/cancel.hpp"

#include "amity/omp/gomp/gomp.hpp"
#include "amity/omp/hooks/tool.hpp"

using namespace amity::omp;

namespace {

bool end_loop_with_barrier() noexcept {
  thread& t = this_thread();
  end_loop(t);
  if (cold::any()) [[unlikely]]
    ompt::next_barrier_is(ompt::sync_kind::barrier_implicit_workshare);
  return cancel_barrier(t);
}

}  // namespace

extern "C" {

/// `does`: what the if clause says; without effect it still is a cancellation point.
bool GOMP_cancel(int what, bool does) {
  return ompt::entered([=] {
    auto const kind = static_cast<cancel_kind>(what);
    thread& t = this_thread();
    return does ? cancel(t, kind) : cancellation_point(t, kind);
  });
}
bool GOMP_cancellation_point(int what) {
  return ompt::entered([=] { return cancellation_point(this_thread(), static_cast<cancel_kind>(what)); });
}

bool GOMP_barrier_cancel() {
  return ompt::entered([] { return cancel_barrier(this_thread()); },
                       [] {
                         ompt::barrier_may_close_work(this_thread());
                         return cancel_barrier(this_thread());
                       });
}
bool GOMP_loop_end_cancel() {
  return ompt::entered([] { return end_loop_with_barrier(); });
}
bool GOMP_sections_end_cancel() {
  return ompt::entered([] { return end_loop_with_barrier(); });
}

}  // extern "C"
