#include "amity/omp/rt/placement.hpp"

#include <new>

#include "amity/base/report.hpp"
#include "amity/omp/settings/settings.hpp"
#include "amity/sched/cores/locality.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/pool.hpp"

namespace amity::omp {
namespace {

const sys::cpu_mask& cpus_of_place(int place) noexcept { return environment().places[static_cast<std::size_t>(place)]; }
int places() noexcept { return static_cast<int>(environment().places.size()); }

/// The carriers of a place: helpers with neighbouring slots. Slot 0 stands for the thread that forks.
struct slot_range {
  int first = 0, count = 0;
};

/// Gives each place a carrier for each of its CPUs that no place before it has. A place without such CPUs, and one for
/// which the scheduler has no carrier left, gets a helper beyond the usual ones: its threads must run there.
slot_range* distribute_slots() noexcept {
  auto* ranges = new (std::nothrow) slot_range[static_cast<std::size_t>(places())];
  if (ranges == nullptr) base::fatal("out of memory for a list of %d places", places());
  int const usual = sched::concurrency();
  int next = 0;
  sys::cpu_mask taken;
  for (int p = 0; p < places(); ++p) {
    slot_range& r = ranges[p];
    r.first = next;
    const sys::cpu_mask& cpus = cpus_of_place(p);
    for (int cpu = cpus.first(); cpu >= 0 && next < usual; cpu = cpus.next(cpu)) {
      if (taken.contains(cpu)) continue;
      taken.add(cpu);
      ++next;
      ++r.count;
    }
    if (r.count == 0) r = {usual + p % (sched::most_helpers - usual), 1};
  }
  return ranges;
}

const slot_range& slots_of(int place) noexcept {
  static const slot_range* const ranges = distribute_slots();
  return ranges[place];
}

void confine(sched::carrier& c, int place) noexcept {
  if (sched::confine(c, place + 1, cpus_of_place(place))) return;
  static std::atomic<bool> said{false};
  if (said.exchange(true, std::memory_order_relaxed)) return;
  char cpus[256];
  base::warn("the system refuses to bind a thread to CPUs %s (place %d); it runs where the system puts it",
             sys::format_cpus(cpus_of_place(place), cpus, sizeof cpus), place);
}

/// The thread that leads the team of `t`, outside of it. Out of a target region and out of a league too, because what
/// matters here is who else is running. Null: `t` is the thread of the program's own.
thread* leader_of(const thread& t) noexcept { return t.team->members[0]->enclosing; }

thread& outermost(thread& t) noexcept {
  thread* out = &t;
  while (thread* up = leader_of(*out)) out = up;
  return *out;
}

/// The carrier for the k-th share of a team led on `own`: the leader's first, then the helpers in order.
sched::carrier& home_for(thread& leader, sched::carrier& own, int share) noexcept {
  if (share == 0) return own;
  int const slot = ((own.slot < 0 ? 0 : own.slot) + share) % sched::concurrency();
  if (slot == 0) {
    sched::carrier& first = *outermost(leader).fiber->native;
    return first.kind == sched::carrier_kind::guest ? first : own;  // a target region's may be a member of another team
  }
  sched::carrier* c = sched::helper(slot);
  return c == nullptr ? own : *c;
}

/// Which of `parts` nearly equal parts of `whole` has the `index`-th; the first parts have one more than the last.
struct part {
  int number, first, count;
};
part part_with(int index, int whole, int parts) noexcept {
  int const least = whole / parts, longer = whole % parts;
  int const in_longer = longer * (least + 1);
  if (index < in_longer) {
    int const n = index / (least + 1);
    return {n, n * (least + 1), least + 1};
  }
  int const n = longer + (index - in_longer) / least;
  return {n, in_longer + (n - longer) * least, least};
}
part nth_part(int n, int whole, int parts) noexcept {
  int const least = whole / parts, longer = whole % parts;
  int const first = n * least + (n < longer ? n : longer);
  return {n, first, least + (n < longer ? 1 : 0)};
}

}  // namespace

int carriers_for(thread& leader, int size) noexcept {
  int around = 1;
  for (thread* t = &leader; t != nullptr; t = leader_of(*t)) {
    around *= t->team->here;
    if (around >= sched::concurrency()) break;
  }
  int const available = sched::concurrency() / around;
  return available < 1 ? 1 : available < size ? available : size;
}

bool threads_are_bound() noexcept {
  static bool const bound = [] {
    const settings& s = environment();
    return s.bind_levels != 0 && s.bind[0] != proc_bind::false_ && s.places.size() != 0;
  }();
  return bound;
}

namespace {

bool is_part_of(const sys::cpu_mask& small, const sys::cpu_mask& large) noexcept {
  for (int cpu = small.first(); cpu >= 0; cpu = small.next(cpu))
    if (!large.contains(cpu)) return false;
  return true;
}

bool may_run_at_all_places(const sys::cpu_mask& mask) noexcept {
  for (int p = 0; p < places(); ++p)
    if (!is_part_of(cpus_of_place(p), mask)) return false;
  return true;
}

}  // namespace

void place_initial(thread& t) noexcept {
  t.place = {0, 0, places()};
  // The first place, unless somebody has confined the thread to another.
  if (sys::cpu_mask const mine = sys::cpu_mask::of_calling_thread(); !may_run_at_all_places(mine))
    for (int p = 0; p < places(); ++p)
      if (is_part_of(mine, cpus_of_place(p))) {
        t.place.number = p;
        break;
      }
  t.bound = binding::due;
}

void settle(thread& t) noexcept {
  if (t.bound != binding::due) return;
  t.bound = binding::done;
  confine(*t.fiber->native, t.place.number);
}

void unsettle(thread& t) noexcept {
  if (t.bound != binding::done) return;
  t.bound = binding::due;
  sched::release(*t.fiber->native);
}

proc_bind policy_for(const thread& t, int clause) noexcept {
  proc_bind const icv = t.current->icv.bind;
  return clause > 0 && icv != proc_bind::false_ ? static_cast<proc_bind>(clause) : icv;
}

placement::placement(thread& leader, int size, proc_bind policy) noexcept
    : leader_(leader),
      // Not the carrier that runs it now: that may be its own OS thread, for a moment.
      own_(*sched::group_of(leader.fiber->seat.load(std::memory_order_relaxed))->home),
      size_(size),
      shares_(0),
      policy_(policy),
      fixed_(sched::identity_mode() == sys::thread_pointer_mode::fixed),
      at_(leader.place) {
  if (!fixed_ && at_.number < 0) shares_ = carriers_for(leader, size);
}

bool placement::operator==(const team_placement& as_before) const noexcept {
  return policy_ == as_before.policy && at_ == as_before.leader;
}

// OpenMP 5.2, section 10.1.3. Places are counted from the first thread's, in its partition, round and round. Where the
// list says `true` or `false`, threads are kept close: bound threads share their process with unbound ones never.
thread_place distribute(thread_place from, int size, proc_bind policy, int number) noexcept {
  if (from.number < 0 || policy == proc_bind::primary) return from;
  int const here = from.number - from.first;
  auto const nth = [from, here](int n) { return from.first + (here + n) % from.count; };
  if (size > from.count) {  // each place has several threads
    int const p = nth(part_with(number, size, from.count).number);
    return policy == proc_bind::spread ? thread_place{p, p, 1} : thread_place{p, from.first, from.count};
  }
  if (policy != proc_bind::spread) return {nth(number), from.first, from.count};
  int const leaders = part_with(here, from.count, size).number;
  part const sub = nth_part((leaders + number) % size, from.count, size);
  return {number == 0 ? from.number : from.first + sub.first, from.first + sub.first, sub.count};
}

run_of_numbers part_of(thread_place from, int whole, int size, proc_bind policy, int number) noexcept {
  int const in_use = policy == proc_bind::primary ? 1 : size < from.count ? size : from.count;
  part const threads = part_with(number, size, in_use);  // at the place that this one has
  part const here = nth_part(threads.number, whole, in_use);
  part const own = nth_part(number - threads.first, here.count, threads.count);
  return {here.first + own.first, own.count};
}

thread_place placement::place(int number) const noexcept { return distribute(at_, size_, policy_, number); }

int placement::carriers_of(int place) const noexcept { return slots_of(place).count; }

/// The n-th carrier of a place. At the leader's place its own one is the first.
sched::carrier& placement::nth_carrier(int place, int n) const noexcept {
  slot_range const slots = slots_of(place);
  if (place == at_.number) {
    if (n == 0) return own_;
    bool const listed = own_.slot >= slots.first && own_.slot < slots.first + slots.count;
    int const own = listed ? own_.slot - slots.first : 0;
    n = n <= own ? n - 1 : n;  // the others in order, without its own
  }
  int slot = slots.first + n;
  if (slot == 0) {  // the thread around all teams, if it is there
    sched::carrier& first = *outermost(leader_).fiber->native;
    if (first.kind == sched::carrier_kind::guest && first.core.locality.load(std::memory_order_relaxed) == place + 1)
      return first;
    slot = sched::concurrency() + place % (sched::most_helpers - sched::concurrency());
  }
  sched::carrier* c = sched::helper(slot);
  return c == nullptr ? own_ : *c;
}

sched::carrier* placement::home(int number) const noexcept {
  if (fixed_) return nullptr;
  if (at_.number < 0) {
    int const share = static_cast<int>(static_cast<long>(number) * shares_ / size_);
    return &home_for(leader_, own_, share);
  }
  // The members at one place are neighbours.
  int const p = place(number).number;
  part const here = policy_ == proc_bind::primary ? part{0, 0, size_}
                    : size_ > at_.count           ? part_with(number, size_, at_.count)
                                                  : part{number, number, 1};
  int const carriers = carriers_of(p);
  long const index = number - here.first;
  return &nth_carrier(p, static_cast<int>(here.count <= carriers ? index : index * carriers / here.count));
}

bool placement::crowded() const noexcept {
  if (fixed_) return size_ > sched::concurrency();
  if (at_.number < 0) return shares_ < size_;
  if (carriers_for(leader_, size_) < size_) return true;
  for (int i = 1; i < size_; ++i)
    if (home(i) == (i == 1 ? &own_ : home(i - 1))) return true;
  return false;
}

void placement::bind(thread& member, sched::carrier* home) const noexcept {
  if (member.place.number < 0) return;
  if (home != nullptr && home->kind == sched::carrier_kind::helper) confine(*home, member.place.number);
  confine(*member.fiber->native, member.place.number);
}

}  // namespace amity::omp
