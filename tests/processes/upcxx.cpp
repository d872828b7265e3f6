// UPC++'s names: a hash table that handlers fill unguarded, a stencil by rput and rpc, completions, personas, teams,
// collectives, views, strided copies.
#include "amity/distributed.hpp"
//
#include <array>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "amity/upcxx.hpp"
#include "check.hpp"

using namespace upcxx;
using test::check;

namespace {

// --- a table whose handlers take no lock: they run one at a time, in the master persona

class table {
 public:
  table() : local_(std::unordered_map<std::string, std::string>()) {}
  future<> insert(const std::string& key, const std::string& value) {
    return rpc(
        owner(key),
        [](dist_object<std::unordered_map<std::string, std::string>>& its, const std::string& k, const std::string& v) {
          (*its)[k] = v;
        },
        local_, key, value);
  }
  future<std::string> find(const std::string& key) {
    return rpc(
        owner(key),
        [](dist_object<std::unordered_map<std::string, std::string>>& its, const std::string& k) {
          auto const at = its->find(k);
          return at == its->end() ? std::string() : at->second;
        },
        local_, key);
  }
  [[nodiscard]] std::size_t size() const { return local_->size(); }

 private:
  static int owner(const std::string& key) {
    return static_cast<int>(std::hash<std::string>()(key) % static_cast<std::size_t>(rank_n()));
  }
  dist_object<std::unordered_map<std::string, std::string>> local_;
};

void hash_table() {
  table t;
  constexpr int count = 2000;
  future<> all = make_future();
  for (int i = 0; i < count; ++i)
    all = when_all(all, t.insert(std::to_string(rank_me()) + "_" + std::to_string(i), std::to_string(i * 2)));
  all.wait();
  barrier();
  auto const total = reduce_all(t.size(), op_fast_add).wait();
  check(total == static_cast<std::size_t>(count) * static_cast<std::size_t>(rank_n()), "all keys are in the table");
  int const next = (rank_me() + 1) % rank_n();
  int right = 0;
  all = make_future();
  for (int i = 0; i < count; ++i)
    all = when_all(all, t.find(std::to_string(next) + "_" + std::to_string(i)).then([&right, i](const std::string& v) {
      right += v == std::to_string(i * 2);
    }));
  all.wait();
  check(right == count, "every key has its value");
  barrier();
}

int depth = 0, deepest = 0, handled = 0;

void one_at_a_time() {
  depth = deepest = handled = 0;
  barrier();
  constexpr int count = 500;
  for (int i = 0; i < count; ++i)
    rpc_ff(i % rank_n(), [] {
      deepest = std::max(deepest, ++depth);
      progress();  // does nothing here
      ++handled;
      --depth;
    });
  barrier();
  while (reduce_all(handled, op_fast_add).wait() < count * rank_n()) progress();
  check(deepest <= 1, "handlers run one at a time");
  barrier();
}

// --- memory

void memory() {
  int const me = rank_me(), n = rank_n(), next = (me + 1) % n;
  dist_object<global_ptr<long>> mine(new_array<long>(64));
  global_ptr<long> const there = mine.fetch(next).wait();
  std::fill_n(mine->local(), 64, -1L);
  barrier();
  long values[8];
  std::iota(values, values + 8, 100L * me);
  static int told = 0;
  told = 0;
  barrier();
  promise<> done;
  auto [source, operation] =
      rput(values, there, 8,
           source_cx::as_future() | operation_cx::as_future() | operation_cx::as_promise(done) |
               remote_cx::as_rpc([](dist_object<global_ptr<long>>& its,
                                    int from) { told += (*its).local()[7] == 100L * from + 7 ? 1 : 100; },
                                 mine, me));
  source.wait();
  operation.wait();
  done.finalize().wait();
  while (told == 0) progress();
  check(told == 1, "remote_cx runs when the values are there");
  barrier();
  check(mine->local()[3] == 100L * ((me + n - 1) % n) + 3, "rput");
  check(rget(there + 5).wait() == 100L * me + 5, "rget of a value");
  long back[8] = {};
  rget(there, back, 8).wait();
  check(back[7] == 100L * me + 7, "rget of several");
  rput(42L, there + 20).wait();
  check(rget(there + 20).wait() == 42, "rput of a value");
  bool called = false;
  rget(there + 20, operation_cx::as_lpc(current_persona(), [&](long x) { called = x == 42; }));
  while (!called) progress();

  // A column of 4 from here into every second element there, and back.
  std::array<long, 16> box{};
  std::iota(box.begin(), box.end(), 0L);
  constexpr std::ptrdiff_t l = sizeof(long);
  rput_strided<2>(box.data() + 1, {{4 * l, l}}, there + 32, {{l, 8 * l}}, {{4, 2}}).wait();
  check(rget(there + 34).wait() == 9 && rget(there + 40 + 3).wait() == 14, "rput_strided");
  std::vector<std::pair<global_ptr<long>, std::size_t>> const from{{there + 32, 2}, {there + 42, 2}};
  std::vector<std::pair<long*, std::size_t>> const to{{back, 1}, {back + 2, 3}};
  rget_irregular(from.begin(), from.end(), to.begin(), to.end()).wait();
  check(back[0] == 1 && back[2] == 5 && back[3] == 10 && back[4] == 14, "rget_irregular");
  upcxx::copy(there, *mine + 56, 8).wait();
  check(mine->local()[63] == 100L * me + 7, "copy");

  check(to_global_ptr(mine->local() + 2) == *mine + 2, "to_global_ptr of the own memory");
  if (long* const near = there.local())
    check(try_global_ptr(near + 3) == there + 3, "try_global_ptr of a neighbour's memory");
  long on_stack = 0;
  check(try_global_ptr(&on_stack).is_null(), "try_global_ptr of a stack");
  barrier();
  delete_array(*mine);
}

void atomics() {
  dist_object<global_ptr<long>> counter(new_<long>(0));
  global_ptr<long> const first = counter.fetch(0).wait();
  atomic_domain<long> ad({atomic_op::fetch_add, atomic_op::load, atomic_op::add});
  long sum = 0;
  for (int i = 0; i < 100; ++i) sum += ad.fetch_add(first, 1, std::memory_order_relaxed).wait() >= 0;
  promise<> p;
  ad.add(first, 5, std::memory_order_relaxed, operation_cx::as_promise(p));
  p.finalize().wait();
  barrier();
  check(sum == 100 && ad.load(first, std::memory_order_relaxed).wait() == 105L * rank_n(), "atomic_domain");
  ad.destroy();
  delete_(*counter);
}

// --- calls

struct particle {
  int id = 0;
  std::vector<double> x;
  UPCXX_SERIALIZED_FIELDS(id, x)
};

int twice(int x) { return 2 * x; }

void calls() {
  int const me = rank_me(), n = rank_n(), next = (me + 1) % n;
  particle p;
  p.id = me;
  p.x = {1.5, 2.5};
  std::vector<int> const numbers{1, 2, 3, 4};
  auto f = rpc(
      next,
      [](particle&& its, view<int> v, int (*apply)(int)) {
        its.id += 1000;
        return make_future(its, std::accumulate(v.begin(), v.end(), 0), apply(21));
      },
      p, make_view(numbers), twice);
  auto const [q, sum, answer] = f.wait();
  check(q.id == me + 1000 && q.x == p.x && sum == 10 && answer == 42, "values of a call");
  check(p.id == me, "arguments to the own rank are copies, too");

  // The message stays until the future that the function gives is ready.
  auto late = rpc(
      next,
      [](view<std::string> v) {
        return master_persona().lpc([] {}).then([v] {
          std::string all;
          for (std::string const& s : v) all += s;
          return all;
        });
      },
      make_view(std::vector<std::string>{"a", "bc", "def"}));
  check(late.wait() == "abcdef", "a view lives as long as the call");

  // An object that is made later than the call to it comes. Rank 0 sends before others make theirs.
  if (me == 0) {
    dist_object<int> late_one(7);
    std::vector<future<int>> all;
    for (int r = 0; r < n; ++r)
      all.push_back(rpc(
          r, [](dist_object<int>& its) { return *its; }, late_one));
    int total = 0;
    for (auto& each : all) total += each.wait();
    check(total == 7 + 5 * (n - 1), "calls wait for the object");
    barrier();
  } else {
    for (int i = 0; i < 20; ++i) progress();
    dist_object<int> late_one(5);
    barrier();
  }
}

void personas() {
  int const next = (rank_me() + 1) % rank_n();
  persona helper;
  int got = 0;
  std::thread t([&] {
    // This thread calls; the answer comes to it, though it does not hold the master persona.
    persona_scope const scope(helper);
    got = rpc(next, [] { return 10 + (&current_persona() == &master_persona()); }).wait();
  });
  bool joined = false;
  std::thread joiner([&] {
    t.join();
    master_persona().lpc_ff([&] { joined = true; });
  });
  while (!joined) progress();
  joiner.join();
  check(got == 11, "calls run in the master persona, and answers come to the caller's");
  barrier();

  // Another thread takes the master persona.
  liberate_master_persona();
  std::thread([&] {
    persona_scope const scope(master_persona());
    barrier();
    got = rpc(next, [] { return 5; }).wait();
    barrier();
  }).join();
  {
    persona_scope const scope(master_persona());
    check(got == 5, "the master persona in another thread");
    barrier();
  }
  static persona_scope* const again = new persona_scope(master_persona());
  static_cast<void>(again);
}

void collectives() {
  int const me = rank_me(), n = rank_n();
  check(broadcast(me + 3, n - 1).wait() == n + 2, "broadcast");
  check(broadcast_nontrivial(std::string("from ") + std::to_string(me), 0).wait() == "from 0", "broadcast of strings");
  std::vector<int> v(10, me);
  broadcast(v.data(), v.size(), n - 1).wait();
  check(v[9] == n - 1, "broadcast of several");
  check(reduce_all(std::uint16_t(me), [](std::uint16_t a, std::uint16_t b) { return a > b ? a : b; }).wait() == n - 1,
        "reduce_all by a function");
  check(reduce_all(true, op_fast_mul).wait(), "reduce_all of bool");
  int const last = reduce_one(me, op_fast_add, n - 1).wait();
  if (me == n - 1) check(last == n * (n - 1) / 2, "reduce_one");
  using words = std::map<std::string, int>;
  words const all = reduce_all_nontrivial(words{{std::to_string(me), 1}}, [](words a, const words& b) {
                      a.insert(b.begin(), b.end());
                      return a;
                    }).wait();
  check(all.size() == static_cast<std::size_t>(n), "reduce_all of maps");

  team odd = world().split(me % 2, -me);
  check(odd.rank_n() == (me % 2 == 0 ? (n + 1) / 2 : n / 2), "team::split");
  check(odd[odd.rank_me()] == me && odd.from_world(me) == odd.rank_me(), "team: numbers");
  int const ranks = rpc(
                        odd, 0, [](team& its) { return its.rank_n(); }, odd)
                        .wait();
  check(ranks == odd.rank_n(), "a team as an argument");
  dist_object<int> of_team(odd, me * 10);
  check(of_team.fetch(0).wait() == odd[0] * 10, "a dist_object of a team");
  barrier(odd);
  team none = world().split(me == 0 ? 0 : team::color_none, 0);
  check(none.is_active() == (me == 0), "a team of no processes");
  barrier();
  odd.destroy();
  check(local_team_contains(me), "local_team");
}

// What ends within a call that progress() runs, and what was never of any processes.
void ends() {
  auto ad = std::make_shared<atomic_domain<int>>(std::vector<atomic_op>{atomic_op::load}, world());
  auto part = std::make_shared<team>(world().split(0, rank_me()));
  barrier_async()
      .then([ad, part] {
        ad->destroy(entry_barrier::internal);
        part->destroy(entry_barrier::internal);
      })
      .wait();
  check(!ad->is_active() && !part->is_active(), "destroy within a call");
  team none = world().split(team::color_none, 0);
  check(none.rank_n() == 0, "a team of no processes has none");
  none.destroy();
  cuda_device dev;
  device_allocator<cuda_device> seg(dev, 1024);
  check(!dev.is_active() && !seg.is_active(), "a device that is not there");
  dev.destroy(entry_barrier::none);
}

// The thread that calls has ended when the answer comes: it was asked for in another persona.
void a_caller_that_is_gone(int next) {
  persona mine;
  int got = -1;
  std::thread([&] {
    rpc(next, operation_cx::as_lpc(mine, [&got](int x) { got = x; }), [] { return rank_me(); });
    discharge();
  }).join();
  {
    persona_scope const scope(mine);
    while (got < 0) progress();
  }
  check(got == next, "an answer to a persona");
  barrier();
}

struct moved_only {
  int x = 0;
  moved_only() = default;
  explicit moved_only(int its) : x(its) {}
  moved_only(moved_only&&) = default;
  UPCXX_SERIALIZED_FIELDS(x)
};

// A copy to private memory is written here: so here is its remote side. What can't be copied may be an argument.
void remote_sides(int next) {
  static int told = 0;
  global_ptr<int> const mine = new_<int>(rank_me());
  dist_object<global_ptr<int>> const all(mine);
  global_ptr<int> const its = all.fetch(next).wait();
  int got = -1;
  moved_only const a(41);
  auto const here = [](int rank, const moved_only& m) { told += rank == rank_me() && m.x == 41 ? 1 : 100; };
  copy(its, &got, 1, remote_cx::as_rpc(here, rank_me(), a) | operation_cx::as_future()).wait();
  check(got == next, "copy to private memory");
  copy(&got, its, 1, remote_cx::as_rpc(here, next, a) | operation_cx::as_future()).wait();
  while (told % 100 < 2) progress();
  check(told == 2, "the remote side of a copy");
  barrier();
  global_ptr<const int> const fixed = new_<const int>(7);
  check(*fixed.local() == 7, "new_ of a constant");
  delete_(fixed);
  delete_(mine);
}

}  // namespace

int main() {
  upcxx::init();
  check(initialized() && master_persona().active_with_caller(), "init");
  hash_table();
  one_at_a_time();
  memory();
  atomics();
  calls();
  collectives();
  personas();
  ends();
  int const next = (rank_me() + 1) % rank_n();
  a_caller_that_is_gone(next);
  remote_sides(next);
  upcxx::finalize();
  check(!initialized(), "finalize");
  return test::end();
}
