/// Worksharing: loops, sections, single, scope, distribute, taskloop, and the pieces that are dealt out.

#include "amity/omp/ompt/emit.hpp"

namespace amity::omp::ompt {

namespace {

void tell(thread& t, work_kind kind, endpoint at, std::uint64_t count, const void* where) noexcept {
  emit<on_work>(event::work, kind, at, data_of(*t.team), data_of(*t.current), count, where);
}

/// Such constructs are an implicit task's.
bool has_open_work(const thread& t) noexcept {
  return t.traced != nullptr && t.traced->has_open && t.current == &t.implicit;
}

}  // namespace

void close_open_work(thread& t, thread_record& self) noexcept {
  if (!has_open_work(t)) return;
  member_record& m = *t.traced;
  m.has_open = false;
  tell(t, m.open, endpoint::end, 1, self.code != nullptr ? self.code : m.open_code);
}

void work_begins(thread& t, work_kind kind, std::uint64_t count) noexcept {
  if (!is_running()) return;
  thread_record& self = self_record();
  if (kind != work_kind::taskloop) close_open_work(t, self);  // a taskloop may stand within a single
  tell(t, kind, endpoint::begin, count, self.code);
}

void work_ends(thread& t, work_kind kind, std::uint64_t count) noexcept {
  if (is_running()) tell(t, kind, endpoint::end, count, self_record().code);
}

void open_work_begins(thread& t, work_kind kind) noexcept {
  if (!is_running()) return;
  work_begins(t, kind, 1);
  member_record& m = member_of(t);
  m.has_open = true;
  m.open = kind;
  m.open_code = self_record().code;
}

void open_work_ends(thread& t) noexcept {
  if (is_running()) close_open_work(t, self_record());
}

void work_is_elsewhere(thread& t) noexcept {
  work_begins(t, work_kind::single_other, 1);
  work_ends(t, work_kind::single_other, 1);
  single_is_left();
}

void single_is_left() noexcept {
  if (is_running()) self_record().left_single = self_record().entries;
}

void barrier_may_close_work(thread& t) noexcept {
  if (!is_running()) return;
  thread_record& self = self_record();
  bool const closes = has_open_work(t) || self.left_single + 1 == self.entries;
  if (closes) self.next_barrier = sync_kind::barrier_implicit_workshare;
}

void chunk_begins(thread& t, dispatch_kind kind, std::uint64_t start, std::uint64_t iterations) noexcept {
  if (!is_running()) return;
  dispatch_chunk chunk{start, iterations};
  data instance;
  instance.ptr = &chunk;
  emit<on_dispatch>(event::dispatch, data_of(*t.team), data_of(*t.current), kind, instance);
}

void section_begins(thread& t) noexcept {
  if (!is_running()) return;
  data instance;
  instance.ptr = const_cast<void*>(self_record().code);
  emit<on_dispatch>(event::dispatch, data_of(*t.team), data_of(*t.current), dispatch_kind::section, instance);
}

namespace {

work_kind kind_of(const loop_state& loop) noexcept {
  if (loop.sections) return work_kind::sections;
  switch (loop.kind) {
    case schedule_kind::static_:
      return work_kind::loop_static;
    case schedule_kind::dynamic:
      return work_kind::loop_dynamic;
    case schedule_kind::guided:
      return work_kind::loop_guided;
    default:
      return work_kind::loop_other;
  }
}

}  // namespace

void loop_begins(thread& t, const loop_state& loop) noexcept {
  if (!is_running()) return;
  work_kind const kind = kind_of(loop);
  member_record& m = member_of(t);
  m.work = kind;
  m.loop_is_open = true;
  work_begins(t, kind, loop.total);
}

void loop_ends(thread& t, const loop_state& loop) noexcept {
  if (!is_running()) return;
  member_record& m = member_of(t);
  m.loop_is_open = false;
  work_ends(t, m.work, loop.total);
}

void loop_is_left(thread& t, const loop_state& loop) noexcept {
  if (is_running() && member_of(t).loop_is_open) loop_ends(t, loop);
}

void chunk_begins(thread& t, const loop_state& loop) noexcept {
  if (!loop.sections) chunk_begins(t, dispatch_kind::loop_chunk, loop.begin, loop.end - loop.begin);
}

void static_work_begins(thread& t, work_kind kind, std::uint64_t total, dispatch_chunk own) noexcept {
  if (!is_running()) return;
  member_record& m = member_of(t);
  m.work = kind;
  m.work_count = total;
  work_begins(t, kind, total);
  if (own.iterations == 0) return;
  switch (kind) {
    case work_kind::sections:
      section_begins(t);
      break;
    case work_kind::distribute:
      chunk_begins(t, dispatch_kind::distribute_chunk, own.start, own.iterations);
      break;
    default:
      chunk_begins(t, dispatch_kind::loop_chunk, own.start, own.iterations);
  }
}

void static_work_ends(thread& t) noexcept {
  if (is_running()) work_ends(t, member_of(t).work, member_of(t).work_count);
}

}  // namespace amity::omp::ompt
