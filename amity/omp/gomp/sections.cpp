/// gcc's entries for sections: a dynamic loop over the sections' numbers, 1 .. count; 0 says that none is left.

#include "amity/omp/gomp/gomp.hpp"

namespace amity::omp::gomp {
namespace {

loop_request sections(unsigned count) noexcept {
  return {1, 1, count, {schedule_kind::dynamic, true, 1}, false, true, 0};
}

unsigned next_section(thread& t) noexcept {
  loop_state& l = t.loop;
  // A team of one gets all sections in one chunk, and calls for them one by one.
  if (l.shared == nullptr && l.next != 0 && l.begin + 1 < l.end) return static_cast<unsigned>(++l.begin) + 1;
  return next_chunk(t) ? static_cast<unsigned>(l.begin) + 1 : 0;
}

}  // namespace
}  // namespace amity::omp::gomp

using namespace amity::omp;
using namespace amity::omp::gomp;

extern "C" {

unsigned GOMP_sections_start(unsigned count) {
  thread& t = this_thread();
  begin_loop(t, sections(count));
  return next_section(t);
}
unsigned GOMP_sections2_start(unsigned count, std::uintptr_t* reductions, void** memory) {
  thread& t = this_thread();
  if (reductions != nullptr) begin_construct_reductions(t, reductions);
  loop_request loop = sections(count);
  if (memory != nullptr) loop.memory = reinterpret_cast<std::uintptr_t>(*memory);
  begin_loop(t, loop);
  if (memory != nullptr) *memory = loop_memory(t);
  return next_section(t);
}
unsigned GOMP_sections_next() { return next_section(this_thread()); }

void GOMP_sections_end() {
  thread& t = this_thread();
  end_loop(t);
  barrier(t);
}
void GOMP_sections_end_nowait() { end_loop(this_thread()); }

void GOMP_parallel_sections(void (*fn)(void*), void* data, unsigned threads, unsigned count, unsigned flags) {
  run_parallel(fn, data, threads, flags, sections(count));
}
void GOMP_parallel_sections_start(void (*fn)(void*), void* data, unsigned threads, unsigned count) {
  start_parallel(fn, data, threads, sections(count));
}

}  // extern "C"
