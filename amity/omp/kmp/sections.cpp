/// clang's entries for sections that are dealt out one at a time. (The compiler lowers most sections to a static loop.)

#include "amity/omp/kmp/kmp.hpp"
#include "amity/omp/rt/loop.hpp"
#include "amity/omp/rt/team.hpp"

using namespace amity::omp;
using amity::omp::kmp::ident;

extern "C" {

std::int32_t __kmpc_sections_init(ident*, std::int32_t) {
  thread& t = this_thread();
  t.loop.shared = nullptr;
  t.loop.next = 0;
  if (t.team->size == 1) return 1;
  loop_descriptor* d = nullptr;
  if (enter_loop(t, d)) {
    d->next.store(0, std::memory_order_relaxed);  // published with the descriptor
    publish_loop(t, *d);
  }
  t.loop.shared = d;
  return 1;
}

/// The number of the next section, from 0; one that is not below the number of sections ends the construct for this
/// thread.
std::int32_t __kmpc_next_section(ident*, std::int32_t, std::int32_t) {
  loop_state& l = this_thread().loop;
  // Relaxed: it deals out numbers only.
  std::uint64_t const mine = l.shared != nullptr ? l.shared->next.fetch_add(1, std::memory_order_relaxed) : l.next++;
  return static_cast<std::int32_t>(mine);
}

void __kmpc_end_sections(ident*, std::int32_t) {
  thread& t = this_thread();
  loop_descriptor* const d = t.loop.shared;
  t.loop.shared = nullptr;
  if (d != nullptr) leave_loop(t, *d);
}

}  // extern "C"
