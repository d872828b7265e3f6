/// Entries of the runtime: where they were called from, and the frame that the task comes in by.

#include "amity/omp/hooks/cluster.hpp"
#include "amity/omp/ompt/emit.hpp"

namespace amity::omp::ompt {

namespace {

void set_enter_frame(task_record& x, void* frame_address) noexcept {
  x.frame.enter_frame.ptr = frame_address;
  x.frame.enter_frame_flags = frame_address == nullptr ? 0 : frame_runtime | frame_cfa;
}

}  // namespace

entry_scope::entry_scope(const void* code, void* frame_address) noexcept {
  thread& t = this_thread();  // the very first entry starts the runtime, and the tool
  if (cold::spread()) cluster::enters();
  if (!is_running() || known_self() == nullptr) return;
  task_record& x = record_of(*t.current);
  if (x.frame.enter_frame.ptr != nullptr) return;  // called by another entry
  self_ = known_self();
  ++self_->entries;
  code_before_ = self_->code;
  self_->code = code;
  self_->next_barrier = sync_kind::barrier_explicit;
  self_->task_flags = 0;
  set_enter_frame(x, frame_address);
}

entry_scope::~entry_scope() {
  if (self_ == nullptr || !is_running()) return;
  self_->code = code_before_;
  if (self_->part_over) return;  // the task's record is another thread's
  // Another task than before, where the entry began or ended a region or an undeferred task: that one goes on now.
  set_enter_frame(record_of(*current_thread->current), nullptr);
}

const void* code() noexcept {
  thread_record* const self = known_self();
  return self == nullptr ? nullptr : self->code;
}

}  // namespace amity::omp::ompt
