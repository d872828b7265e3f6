/// gcc's entries for sections: a dynamic loop over the sections' numbers, 1 .. count; 0 says that none is left.

#include "amity/omp/gomp/gomp.hpp"
#include "amity/omp/hooks/tool.hpp"

namespace amity::omp::gomp {
namespace {

loop_request sections(unsigned count) noexcept {
  loop_request loop{1, 1, count, {schedule_kind::dynamic, true, 1}};
  loop.given = true;
  loop.sections = true;
  return loop;
}

unsigned take_section(thread& t) noexcept {
  loop_state& l = t.loop;
  // A team of one gets all sections in one chunk, and calls for them one by one.
  if (l.shared == nullptr && l.next != 0 && l.begin + 1 < l.end) return static_cast<unsigned>(++l.begin) + 1;
  return next_chunk(t) ? static_cast<unsigned>(l.begin) + 1 : 0;
}

unsigned next_section(thread& t) noexcept {
  unsigned const number = take_section(t);
  if (number != 0 && cold::any()) [[unlikely]]
    ompt::section_begins(t);
  return number;
}

unsigned start_sections(unsigned count, std::uintptr_t* reductions, void** memory) noexcept {
  thread& t = this_thread();
  if (reductions != nullptr) begin_construct_reductions(t, reductions);
  loop_request loop = sections(count);
  if (memory != nullptr) loop.memory = reinterpret_cast<std::uintptr_t>(*memory);
  begin_loop(t, loop);
  if (memory != nullptr) *memory = loop_memory(t);
  return next_section(t);
}

void end_with_barrier() noexcept {
  thread& t = this_thread();
  end_loop(t);
  if (cold::any()) [[unlikely]]
    ompt::next_barrier_is(ompt::sync_kind::barrier_implicit_workshare);
  barrier(t);
}

}  // namespace
}  // namespace amity::omp::gomp

using namespace amity::omp;
using namespace amity::omp::gomp;

extern "C" {

unsigned GOMP_sections_start(unsigned count) {
  return ompt::entered([=] { return start_sections(count, nullptr, nullptr); });
}
unsigned GOMP_sections2_start(unsigned count, std::uintptr_t* reductions, void** memory) {
  return ompt::entered([=] { return start_sections(count, reductions, memory); });
}
unsigned GOMP_sections_next() {
  return ompt::entered([] { return next_section(this_thread()); });
}

void GOMP_sections_end() {
  ompt::entered([] { end_with_barrier(); });
}
void GOMP_sections_end_nowait() {
  ompt::entered([] { end_loop(this_thread()); });
}

void GOMP_parallel_sections(void (*fn)(void*), void* data, unsigned threads, unsigned count, unsigned flags) {
  ompt::entered([=] { run_parallel(fn, data, threads, flags, sections(count)); });
}
void GOMP_parallel_sections_start(void (*fn)(void*), void* data, unsigned threads, unsigned count) {
  ompt::entered([=] { start_parallel(fn, data, threads, sections(count)); });
}

}  // extern "C"
