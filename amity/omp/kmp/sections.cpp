/// clang's entries for sections that are dealt out one at a time. (The compiler lowers most sections to a static loop.)

#include "amity/omp/hooks/cluster.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/kmp/kmp.hpp"
#include "amity/omp/rt/loop.hpp"
#include "amity/omp/rt/team.hpp"

namespace amity::omp::kmp {
namespace {

/// In a team over several processes, each section is a chunk of a dynamic loop.
[[gnu::cold, gnu::noinline]] std::int32_t next_section_across(thread& t, std::int32_t count) noexcept {
  loop_state& l = t.loop;
  l.total = static_cast<std::uint64_t>(count);
  l.chunk = 1;
  l.dealt_across = schedule_kind::dynamic;
  std::uint64_t begin, end;
  cluster::next_chunks(t, 1, begin, end);
  return begin < end ? static_cast<std::int32_t>(begin) : count;
}

void begin_sections() noexcept {
  thread& t = this_thread();
  if (cold::any()) [[unlikely]] {
    t.loop.number_across = t.loops_met - t.team->first.loop;
    ompt::work_begins(t, ompt::work_kind::sections, 0);  // how many there are comes with the first question
  }
  t.loop.shared = nullptr;
  t.loop.next = 0;
  if (t.team->size == 1) return;
  if (!t.team->cancellable) {
    t.loop.shared = &join_counter(t);
    return;
  }
  if (!enter_loop(t, t.loop.shared)) return;
  t.loop.shared->duty = absent_duty::none;
  publish_loop(t, *t.loop.shared);
}

std::int32_t next_section(std::int32_t count) noexcept {
  thread& t = this_thread();
  loop_state& l = t.loop;
  if (l.shared != nullptr && is_loop_cancelled(t)) [[unlikely]]
    return count;
  if (cold::any() && t.team->outside != 0) [[unlikely]]
    return next_section_across(t, count);
  // Relaxed: it deals out numbers only.
  std::uint64_t const mine = l.shared != nullptr ? l.shared->next.fetch_add(1, std::memory_order_relaxed) : l.next++;
  if (cold::any() && mine < static_cast<std::uint64_t>(count)) [[unlikely]]
    ompt::section_begins(t);
  return static_cast<std::int32_t>(mine);
}

void end_sections() noexcept {
  thread& t = this_thread();
  loop_descriptor* const d = t.loop.shared;
  t.loop.shared = nullptr;
  if (d != nullptr) leave_loop(t, *d);
  if (cold::any()) [[unlikely]]
    ompt::work_ends(t, ompt::work_kind::sections, 0);
}

}  // namespace
}  // namespace amity::omp::kmp

using namespace amity::omp;
using amity::omp::kmp::ident;

extern "C" {

std::int32_t __kmpc_sections_init(ident*, std::int32_t) {
  ompt::entered([] { kmp::begin_sections(); });
  return 1;
}

/// The number of the next section, from 0; one that is not below the number of sections ends the construct for this
/// thread.
std::int32_t __kmpc_next_section(ident*, std::int32_t, std::int32_t count) {
  return ompt::entered([=] { return kmp::next_section(count); });
}

void __kmpc_end_sections(ident*, std::int32_t) {
  ompt::entered([] { kmp::end_sections(); });
}

}  // extern "C"
