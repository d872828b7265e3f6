// Teams, locks, completions, and distributed objects as arguments.
#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>
#include <vector>

#include "check.hpp"

namespace {

using test::check;
using test::thrown;

void teams(int me, int n) {
  amity::team const all = amity::team_world();
  check(all.rank_me() == me && all.rank_n() == n && all[n - 1] == n - 1, "the team of all");

  // Even and odd, from the last to the first.
  amity::team const half = all.split(me % 2, -me);
  int const size = n / 2 + (me % 2 == 0 ? n % 2 : 0);
  check(half.rank_n() == size && half[half.rank_me()] == me, "split");
  bool descending = true;
  for (int i = 0; i + 1 < size; ++i) descending = descending && half[i] > half[i + 1];
  check(descending, "split orders by key");
  check(half.from_world(me) == half.rank_me() && half.from_world(me + 1, -7) == -7, "from_world");
  check(thrown<std::out_of_range>([&] { static_cast<void>(half.from_world(me + 1)); }).find("none of a team") !=
            std::string::npos,
        "from_world of another");
  check(thrown<std::out_of_range>([&] { static_cast<void>(half[size]); }).find("0 to") != std::string::npos,
        "a process that there is not");
  int sum = 0;
  for (int i = me % 2; i < n; i += 2) sum += i;
  check(amity::reduce_all(me, amity::op_add, half).get() == sum, "reduce_all over a team");
  check(amity::broadcast(me, size - 1, half).get() == me % 2, "broadcast over a team");
  int const most = amity::reduce_one(me, amity::op_fast_max, 0, half).get();
  check(half.rank_me() != 0 || most == me, "reduce_one over a team");
  std::vector<long> values(1000, me);
  amity::reduce_all(values.data(), values.data(), values.size(), amity::op_fast_add, half).get();
  check(values[999] == sum, "reduce_all of elements over a team");
  amity::barrier_all(half);
  amity::barrier_async(half).get();

  // Teams of teams, two at once, in another order.
  amity::team const lone = half.split(half.rank_me(), 0);
  check(lone.rank_n() == 1 && lone[0] == me && amity::reduce_all(me, amity::op_add, lone).get() == me, "a team of one");
  auto a = amity::barrier_async(all);
  auto b = amity::reduce_all(1, amity::op_add, half);
  check(b.get() == size, "beside a barrier of all");
  a.get();
  check(!all.split(me == 0 ? amity::team::color_none : 1, 0).is_valid() == (me == 0), "color_none");
  check(thrown<amity::collectives::collective_error>([&] { static_cast<void>(all.split(-2, 0)); }).find("color -2") !=
            std::string::npos,
        "a color below 0");
  std::vector<int> in_order(static_cast<std::size_t>(n));
  std::iota(in_order.rbegin(), in_order.rend(), 0);
  amity::team const turned = all.create(in_order);
  check(turned.rank_me() == n - 1 - me, "create");

  // As an argument; its maker may be ahead of the process that is called.
  int const next = (half.rank_me() + 1) % size;
  check(amity::rpc(
            half, next, [](const amity::team& its, int x) { return its.rank_me() * 1000 + its.rank_n() + x; }, half, 7)
                .get() == next * 1000 + size + 7,
        "a team as an argument");
  check(amity::rpc(
            half, next, [](amity::team_id id) { return id.here().rank_me(); }, half.id())
                .get() == next,
        "a team by its name");
  amity::team const node = amity::local_team();
  check(node.rank_n() >= 1 && amity::local_team_contains(me) && node.from_world(me) == node.rank_me(), "local_team");
  amity::barrier_all();
}

void locks(int me, int n) {
  amity::shared_lock const lock(n - 1);
  amity::shared_var<long> total;
  for (int i = 0; i < 50; ++i) {
    std::lock_guard const held(lock);
    total = total + 1;
  }
  // Several fibers of each process.
  amity::finish([&] {
    for (int t = 0; t < 4; ++t)
      amity::async([&] {
        for (int i = 0; i < 10; ++i) {
          lock.async_lock().get();
          total = total + 1;
          lock.unlock();
        }
      });
  });
  amity::barrier_all();
  check(total == 90L * n, "a lock of all processes");
  if (me == 0) {
    check(lock.try_lock(), "try_lock of a free one");
    check(!lock.try_lock(), "try_lock of a taken one");
    auto const other = amity::rpc(n - 1, [lock] { return lock.try_lock(); });
    check(!const_cast<amity::future<bool>&>(other).get(), "a lock travels");
    lock.unlock();
    check(thrown<std::logic_error>([&] { lock.unlock(); }).find("nobody has locked") != std::string::npos,
          "unlock of a free one");
  }
  amity::barrier_all();
}

std::atomic<int> calls{0};
std::atomic<long> seen{0};

void completions(int me, int n) {
  using amity::operation_cx;
  using amity::remote_cx;
  using amity::source_cx;
  int const next = (me + 1) % n;
  amity::global_ptr<long> const there = amity::allocate<long>(next, 1000);
  std::vector<long> mine(1000, me + 1);
  calls = 0;
  seen = 0;
  amity::barrier_all();
  amity::finish_spmd([&] {
    amity::rput(mine.data(), there, 1000,
                remote_cx::as_rpc(
                    [](amity::global_ptr<long> at, const std::string& text) {
                      seen += at.local()[999] + static_cast<long>(text.size());
                      ++calls;
                    },
                    there, std::string("four")));
  });
  check(calls == 1 && seen == (me + n - 1) % n + 1 + 4, "remote_cx::as_rpc comes after the data, within the finish");
  amity::promise<void> arrived;
  amity::future<void> has_arrived = arrived.get_future();
  amity::future<void> f = amity::rput(
      long{5}, there, operation_cx::as_promise(arrived) | source_cx::as_blocking() | operation_cx::as_future());
  f.get();
  has_arrived.get();
  std::vector<long> back(1000);
  auto [free, done] = amity::rget(there, back.data(), 1000, source_cx::as_future() | operation_cx::as_future());
  free.get();
  done.get();
  check(back[0] == 5 && back[999] == me + 1, "rput and rget with completions");
  bool ran = false;
  amity::finish([&] { amity::rget(there, back.data(), 1, operation_cx::as_task([&] { ran = true; })); });
  check(ran, "as_task within a finish");
  amity::async_copy(there, there + 500, 10, operation_cx::as_future()).get();
  check(amity::rget(there + 500).get() == 5, "async_copy with completions");
  amity::barrier_all();
  amity::deallocate(there);
}

void objects(int me, int n) {
  int const next = (me + 1) % n;
  amity::dist_object<std::vector<int>> own(std::vector<int>{me});
  amity::rpc(
      next, [](amity::dist_object<std::vector<int>>& its, int x) { its->push_back(x); }, own, 100 + me)
      .get();
  check(amity::rpc(
            next, [](amity::dist_id<std::vector<int>> id) { return id.here()->at(0); }, own.id())
                .get() == next,
        "a dist_id");
  amity::barrier_all();
  check(own->size() == 2 && own->at(1) == 100 + (me + n - 1) % n, "a dist_object as an argument");
  check(own.fetch(next).get().at(0) == next, "fetch");
  amity::barrier_all();
  amity::dist_object<std::vector<int>> const moved(std::move(own));
  amity::barrier_all();
  check(moved.fetch(next).get().at(0) == next, "fetch of a moved one");
  amity::barrier_all();
}

}  // namespace

int main() {
  int const me = amity::rank_me(), n = amity::rank_n();
  teams(me, n);
  locks(me, n);
  completions(me, n);
  objects(me, n);
  return test::end();
}
