#include "amity/sched/loop/park.hpp"

#include <errno.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <thread>
#include <vector>

#include "amity/base/processor.hpp"
#include "amity/sched/cores/contention.hpp"
#include "amity/sched/loop/internal/claim.hpp"
#include "amity/sched/loop/monitor_state.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/loop/timer.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::sched {
namespace {

/// A barrier made of nothing but park and unpark.
class park_barrier {
 public:
  explicit park_barrier(int n) : n_(n) {}
  void wait() {
    lock_.lock();
    std::uint32_t const round = round_.load();
    waiting_.push_back(self());
    if (static_cast<int>(waiting_.size()) < n_) {
      lock_.unlock();
      while (round_.load() == round) park();
      return;
    }
    std::vector<fiber*> const all = std::move(waiting_);
    waiting_.clear();
    round_.store(round + 1);
    lock_.unlock();
    for (fiber* f : all)
      if (f != self()) unpark(f);
  }

 private:
  int n_;
  sys::spin_lock lock_;
  std::atomic<std::uint32_t> round_{0};
  std::vector<fiber*> waiting_;
};

struct team_of_shells {
  team_of_shells(
      int n, void (*work)(int), void (*meanwhile)() = [] {})
      : work_(work), left_(n), master_(self()) {
    int const carriers = identity_mode() == sys::thread_pointer_mode::fixed ? n + 1 : concurrency();
    arm_monitor();
    for (int i = 0; i < n; ++i) {
      fiber* f = acquire_shell(-1);
      EXPECT_NE(f, nullptr);
      ready_group* g;
      int bit = 0;
      if (identity_mode() == sys::thread_pointer_mode::fixed) {
        g = &f->native->solo;
      } else {
        carrier* home = i % carriers == 0 ? self()->on : helper(i % carriers);
        g = acquire_group(*home);
        bit = i % 64;
      }
      members_.push_back({this, i, f, g});
      bits_.push_back(bit);
    }
    for (int i = 0; i < n; ++i)
      if (assign(*members_[i].f, *members_[i].g, bits_[i], main, &members_[i])) await_landings();
    for (int i = 0; i < n; ++i) unpark(*members_[i].g, std::uint64_t{1} << bits_[i], wake::now);
    meanwhile();
    while (left_.load() != 0) park();
    for (auto& m : members_)
      if (!m.g->exclusive) release_group(m.g);
  }
  struct member {
    team_of_shells* team;
    int number;
    fiber* f;
    ready_group* g;
  };
  static void main(void* p) {
    auto* m = static_cast<member*>(p);
    m->team->work_(m->number);
    team_of_shells* t = m->team;
    fiber* f = m->f;
    withdraw(*f);
    release_shell(f);
    fiber* master = t->master_;
    if (t->left_.fetch_sub(1) == 1) unpark(master);
  }
  void (*work_)(int);
  std::atomic<int> left_;
  fiber* master_;
  std::vector<member> members_;
  std::vector<int> bits_;
};

__thread int native_tls = -1;
std::atomic<int> wrong{0};

TEST(Park, PermitBeforeParkReturnsAtOnce) {
  unpark(self());
  park();
}

TEST(Park, AnotherThreadWakesAGuest) {
  fiber* me = self();
  std::atomic<bool> go{false};
  std::thread t([&] {
    go.store(true);
    unpark(me);
  });
  while (!go.load()) park();
  t.join();
}

TEST(Park, IdentityFollowsTheFiber) {
  wrong = 0;
  static park_barrier b(24);
  team_of_shells team(24, [](int i) {
    pthread_t const me = pthread_self();
    int* const error = &errno;
    native_tls = i;
    for (int r = 0; r < 300; ++r) {
      errno = 1000 + i;
      if ((r + i) % 3 == 0) yield();
      b.wait();
      wrong += native_tls != i || errno != 1000 + i || error != &errno || !pthread_equal(me, pthread_self());
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(Park, SpinningUserCodeIsRescued) {
  static std::atomic<int> turn;
  turn = 0;
  team_of_shells team(12, [](int i) {
    while (turn.load() != 11 - i) {
    }
    turn.store(12 - i);
  });
  EXPECT_EQ(turn, 12);
}

/// Two fibers at home on one helper: one keeps it, so the other comes to stand on the waiting guest. There it gives the
/// guest a permit. Says whether the guest went on before it.
struct visit {
  std::atomic<bool> helper_taken{false}, guest_released{false}, guest_went_on{false}, over{false};
  std::atomic<int> left{2};
  bool guest_was_first = false, on_guest = false;
  fiber* guest = self();

  void keep_the_helper() {
    helper_taken = true;
    while (!over) base::cpu_relax();
  }
  void stand_on_the_guest() {
    on_guest = self()->on == guest->on;
    guest_released = true;
    unpark(guest);
    give_way_if_home_is_free();
    guest_was_first = guest_went_on;
    over = true;
  }
  void leave() {
    fiber* const me = self();
    withdraw(*me);
    release_shell(me);
    if (left.fetch_sub(1) == 1) unpark(guest);
  }

  void run() {
    arm_monitor();
    ready_group* const g = acquire_group(*helper(1));
    fiber* const keeper = acquire_shell(-1);
    fiber* const visitor = acquire_shell(-1);
    auto const keep = [](void* v) { static_cast<visit*>(v)->keep_the_helper(), static_cast<visit*>(v)->leave(); };
    auto const stand = [](void* v) { static_cast<visit*>(v)->stand_on_the_guest(), static_cast<visit*>(v)->leave(); };
    bool const keeper_leaves = assign(*keeper, *g, 0, keep, this);
    if (assign(*visitor, *g, 1, stand, this) || keeper_leaves) await_landings();
    unpark(*g, 1, wake::now);
    while (!helper_taken) base::cpu_relax();  // not a wait: the guest would take that one, too
    unpark(*g, 2, wake::now);
    while (!guest_released) park();
    guest_went_on = true;
    over = true;  // the helper takes the visitor
    while (left != 0) park();
    release_group(g);
  }
};

bool can_visit() { return concurrency() > 1 && identity_mode() != sys::thread_pointer_mode::fixed; }

TEST(Park, WhoReleasesTheGuestThatItStandsOnGivesWayToIt) {
  if (!can_visit()) GTEST_SKIP() << "no fiber visits a guest here";
  visit v;
  v.run();
  if (!v.on_guest || is_shared(*helper(1), sys::ticks())) GTEST_SKIP() << "others use the machine";
  EXPECT_TRUE(v.guest_was_first);
}

TEST(Park, UnlessItCouldOnlyGoOnThereItself) {
  if (!can_visit()) GTEST_SKIP() << "no fiber visits a guest here";
  helper(1)->core.is_spare = true;  // for as long as we say
  visit v;
  v.run();
  helper(1)->core.is_spare = false;
  if (!v.on_guest) GTEST_SKIP() << "others use the machine";
  EXPECT_FALSE(v.guest_was_first);
}

/// The regression: a fiber that ran while a guest yielded left its timer with the guest's carrier, and nobody looked.
TEST(Park, AGuestThatYieldedLeavesTimersToOthers) {
  static std::atomic<bool> begun, over;
  for (int round = 0; round < 50; ++round) {
    begun = over = false;
    team_of_shells team(
        1,
        [](int) {
          begun = true;
          instant const deadline = instant_after(std::chrono::microseconds(300));
          while (now() < deadline) park_until(deadline);
          over = true;
        },
        [] {
          while (!begun) yield();
          while (!over) base::cpu_relax();
        });
  }
}

/// The regression: a member of a team that was on its way to sleep while its seat was given to another took the permit
/// of that one, which then slept for ever.
TEST(Park, APlaceThatWasGivenToAnotherIsLeftAlone) {
  constexpr int rounds = 3'000'000, turns = 10'000'000;
  static fiber leaves, comes;
  carrier& home = *self()->on;
  ready_group* const g = acquire_group(home);
  std::atomic<bool> begun{false}, over{false};
  leaves.on = comes.on = &home;
  std::thread t([&] {
    leaves.on = self()->on;
    begun = true;
    while (!over) static_cast<void>(consume_permit(leaves));
  });
  while (!begun) base::cpu_relax();
  int lost = 0;
  for (int round = 0; round < rounds && lost == 0; ++round) {
    static_cast<void>(assign(leaves, *g, 0, nullptr, nullptr));
    withdraw(leaves);
    static_cast<void>(assign(comes, *g, 0, nullptr, nullptr));
    g->ready.fetch_or(1);
    int turn = 0;
    while (!consume_permit(comes) && turn < turns) ++turn;  // for a moment it may be in the other's hands
    lost += turn == turns;
    withdraw(comes);
  }
  over = true;
  t.join();
  EXPECT_EQ(lost, 0);
  release_group(g);
}

TEST(Park, ManyGuestsAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([] {
      for (int r = 0; r < 20; ++r) {
        static std::atomic<int> sum;
        team_of_shells team(4, [](int i) { sum += i; });
      }
    });
  for (auto& t : threads) t.join();
}

}  // namespace
}  // namespace amity::sched
