// Global memory beside what the contract asks for: by loads and stores, and (AMITY_TEST_FAR_MEMORY) by messages alone.
#include <array>
#include <map>
#include <numeric>
#include <sstream>
#include <unordered_set>
#include <vector>

#include "check.hpp"

using test::check, test::thrown;

namespace {

void pointers(int me, int n) {
  amity::global_ptr<int> const p = amity::allocate<int>(me, 10);
  check((p + 3) - p == 3 && *((p + 3).local() - 3) == *p.local(), "arithmetic");
  check(p < p + 1 && p + 1 > p && p == p && p != p + 1 && !p.is_null() && bool(p), "comparison");
  amity::global_ptr<const int> const q = p;
  check(q == p && amity::const_pointer_cast<int>(q) == p, "const");
  check(
      amity::reinterpret_pointer_cast<char>(p + 1).raw_ptr() - amity::reinterpret_pointer_cast<char>(p).raw_ptr() == 4,
      "reinterpret");
  amity::global_ptr<int> const null;
  check(null.is_null() && null == nullptr && null.local() == nullptr, "null");
  std::unordered_set<amity::global_ptr<int>> const set{p, p + 1, p};
  check(set.size() == 2, "hash");
  std::ostringstream text;
  text << p;
  check(text.str().starts_with(std::to_string(me) + ":"), "printed");
  check(thrown<std::invalid_argument>([&] { amity::rput(1, null); }) != "nothing", "a put to null");
  check(thrown<std::invalid_argument>([&] {
          amity::finish([&] {  // which ends all the same
            amity::promise<void> done;
            amity::async_copy(p, null, 1, done);
          });
        }) != "nothing",
        "a copy to null within a finish");
  amity::global_ptr<int> const other_null(n - 1, nullptr);
  check(null == other_null &&
            std::hash<amity::global_ptr<int>>()(null) == std::hash<amity::global_ptr<int>>()(other_null),
        "null pointers are equal, and so are their hashes");
  check(thrown<std::out_of_range>([&] { static_cast<void>(amity::allocate<int>(n, 1)); }) != "nothing",
        "a rank too far");
  std::string const full = thrown<amity::bad_shared_alloc>(
      [&] { static_cast<void>(amity::allocate<char>((me + 1) % n, std::size_t{1} << 45)); });
  check(full.find("AMITY_SEGMENT") != std::string::npos, "no room: " + full);
  std::size_t const used = amity::shared_segment_used();
  std::vector<amity::global_ptr<double>> parts;
  for (int i = 1; i < 200; ++i) parts.push_back(amity::allocate<double>(me, static_cast<std::size_t>(i)));
  for (std::size_t i = 0; i < parts.size(); i += 2) amity::deallocate(parts[i]);
  for (std::size_t i = 1; i < parts.size(); i += 2) amity::deallocate(parts[i]);
  check(amity::shared_segment_used() == used, "all is free again");
  struct fails_late {
    fails_late() {
      static int made = 0;
      if (++made == 5) throw std::runtime_error("planted");
    }
  };
  check(thrown<std::runtime_error>([] { static_cast<void>(amity::new_array<fails_late>(10)); }) == "planted" &&
            amity::shared_segment_used() == used,
        "a constructor that throws in new_array");
  amity::barrier_all();  // before others allocate here, in `transfers`
  amity::deallocate(p);
}

void transfers(int me, int n) {
  int const next = (me + 1) % n;
  constexpr std::size_t large = 5'000'000;  // several messages
  auto const there = amity::allocate<double>(next, large);
  std::vector<double> mine(large), back(large);
  std::iota(mine.begin(), mine.end(), me);
  amity::rput(mine.data(), there, large).get();
  amity::rget(there, back.data(), large).get();
  check(back == mine, "40 MB there and back");
  std::fill(back.begin(), back.end(), 0.0);
  amity::rget(there, back.data(), large, amity::source_cx::as_future()).get();
  check(back == mine, "the source of a get is read when it is free");
  amity::finish([&] {  // which waits for them
    std::fill(back.begin(), back.end(), 0.0);
    amity::rget(there, back.data(), 1000);
  });
  check(std::equal(back.begin(), back.begin() + 1000, mine.begin()), "a finish waits for a get");

  // Between two others, by a third.
  auto const after = amity::allocate<double>((me + 2) % n, large);
  amity::async_copy(there, after, large).get();
  check(amity::rget(after + 4'999'999).get() == mine.back(), "a copy between two others");
  amity::promise<void> done;
  amity::future<void> copied = done.get_future();
  amity::async_copy(after, there, 1000, done);
  copied.get();

  // A block of a matrix of 20 columns.
  auto const matrix = amity::allocate<int>(next, 400);
  std::vector<int> const zeros(400, 0);
  amity::rput(zeros.data(), matrix, 400).get();
  std::array<int, 12> block;
  std::iota(block.begin(), block.end(), 1);
  std::array<std::ptrdiff_t, 2> const here{4 * sizeof(int), sizeof(int)}, in_matrix{20 * sizeof(int), sizeof(int)};
  amity::rput_strided<2>(block.data(), here, matrix + 45, in_matrix, {3, 4}).get();
  check(amity::rget(matrix + 45).get() == 1 && amity::rget(matrix + 45 + 2 * 20 + 3).get() == 12 &&
            amity::rget(matrix + 49).get() == 0,
        "strided put");
  std::array<int, 12> got{};
  amity::rget_strided<2>(matrix + 45, in_matrix, got.data(), here, {3, 4}).get();
  check(got == block, "strided get");
  std::vector<int> const five{1, 2, 3, 4, 5};
  amity::rput_irregular<int>({{five.data(), 2}, {five.data() + 2, 3}}, {{matrix, 3}, {matrix + 100, 2}}).get();
  check(amity::rget(matrix + 2).get() == 3 && amity::rget(matrix + 101).get() == 5, "irregular put");
  std::vector<int> collected(5);
  amity::rget_irregular<int>({{matrix, 3}, {matrix + 100, 2}}, {{collected.data(), 5}}).get();
  check(collected == five, "irregular get");
  amity::barrier_all();
  amity::deallocate(there);
  amity::deallocate(after);
  amity::deallocate(matrix);
}

void shared_things(int me, int n) {
  for (std::size_t block : {1u, 3u, 8u}) {
    amity::shared_array<long> a(static_cast<std::size_t>(n) * 20 + 3, block);
    std::size_t own = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a.where(i) == me) a[i] = static_cast<long>(i) * 7, ++own;
    check(a.local().size() == own, "the part of each");
    amity::barrier_all();
    long sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i];
    check(sum == 7L * static_cast<long>(a.size() * (a.size() - 1) / 2), "what all have written");
    check(thrown<std::out_of_range>([&] { static_cast<void>(a.at(a.size()).get()); }) != "nothing", "at");
    amity::barrier_all();
  }
  amity::shared_var<double> v(2.5);
  check(v == 2.5, "shared_var begins");
  amity::barrier_all();
  if (me == n - 1) v = 7.5;
  amity::barrier_all();
  check(v == 7.5, "shared_var");

  amity::atomic_domain<std::uint64_t> all;
  amity::atomic_domain<double> sums({amity::atomic_op::add, amity::atomic_op::load, amity::atomic_op::max});
  amity::shared_array<std::uint64_t> counters(static_cast<std::size_t>(n));
  amity::shared_array<double> doubles(static_cast<std::size_t>(n));
  amity::finish_spmd([&] {
    for (int i = 0; i < 200; ++i)
      amity::async([&, i] {
        std::size_t const at = static_cast<std::size_t>(i % n);
        all.inc(counters.pointer(at)).get();
        sums.add(doubles.pointer(at), 0.5).get();
      });
  });
  std::uint64_t count = 0;
  double sum = 0;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    count += all.load(counters.pointer(i)).get();
    sum += sums.load(doubles.pointer(i)).get();
  }
  check(count == 200u * static_cast<unsigned>(n) && sum == 100.0 * n, "atomics from everywhere");
  amity::barrier_all();
  check(thrown<std::invalid_argument>([&] { sums.mul(doubles.pointer(0), 2); }) != "nothing",
        "an operation not asked for");
  if (me == 0) {
    all.store(counters.pointer(0), 6).get();
    check(all.fetch_mul(counters.pointer(0), 7).get() == 6 && all.fetch_bit_and(counters.pointer(0), 0xf).get() == 42 &&
              all.compare_exchange(counters.pointer(0), 10, 1).get() == 10 &&
              all.fetch_max(counters.pointer(0), 5).get() == 1 && all.load(counters.pointer(0)).get() == 5,
          "other operations");
    // Memory orders stand where UPC++'s programs have them.
    all.store(counters.pointer(0), 3, std::memory_order_release).get();
    check(all.fetch_add(counters.pointer(0), 2, std::memory_order_relaxed).get() == 3 &&
              all.compare_exchange(counters.pointer(0), 5, 8, std::memory_order_acq_rel).get() == 5 &&
              all.load(counters.pointer(0), std::memory_order_acquire).get() == 8,
          "operations with a memory order");
    all.inc(counters.pointer(0), std::memory_order_relaxed).get();
    check(thrown<std::invalid_argument>(
              [&] { static_cast<void>(all.load(counters.pointer(0), std::memory_order_release)); }) != "nothing",
          "a load that would release");
  }
  amity::barrier_all();
}

struct account {
  static inline std::atomic<int> alive{0};
  std::string owner;
  std::atomic<long> balance{0};
  account(std::string o, long b) : owner(std::move(o)), balance(b) { ++alive; }
  ~account() { --alive; }
  long deposit(long x) { return balance += x; }
  std::string name() const { return owner; }
};

void objects(int me, int n) {
  int const next = (me + 1) % n;
  {
    auto const mine = amity::new_<account>(next, "rank " + std::to_string(me), 100L).get();
    check(mine.where() == next, "where");
    check(mine.call<&account::deposit>(5).get() == 105, "a member");
    check(mine.call<&account::name>().get() == "rank " + std::to_string(me), "a const member");
    check(mine.call([](account& a, long x) { return a.balance - x; }, 5L).get() == 100, "a function");
    // The reference travels on, and outlives this one there.
    long const there = amity::rpc((me + 2) % n,
                                  [](amity::object_ref<account> a) {
                                    auto const copy = a;
                                    return copy.call<&account::deposit>(1);
                                  },
                                  mine)
                           .get();
    check(there == 106, "a reference that travels");
    if (me == 0) amity::register_object("bank", mine);
    amity::barrier_all();
    auto const found = amity::find_object<account>("bank");
    check(found.valid() && found.call<&account::name>().get() == "rank 0", "found by name");
    check(!amity::find_object<account>("nobody").valid(), "a name that nobody has");
    std::string const other =
        thrown<std::invalid_argument>([&] { static_cast<void>(amity::find_object<std::string>("bank")); });
    check(other.find("'bank' is the name of a ") != std::string::npos, "an object of another type: " + other);
    check(thrown<std::invalid_argument>([&] { amity::register_object("nothing", amity::object_ref<account>()); }) !=
              "nothing",
          "a name for nothing");
    if (me == n - 1)
      check(thrown<std::invalid_argument>([&] { amity::register_object("bank", mine); }) != "nothing",
            "a name that is taken");
    amity::barrier_all();
  }
  // All but the one that is registered go.
  for (int i = 0; i < 2000 && account::alive != (me == 1 % n ? 1 : 0); ++i)
    amity::this_task::sleep_for(std::chrono::milliseconds(1));
  check(account::alive == (me == 1 % n ? 1 : 0), "objects go with their last reference");

  amity::dist_object<std::map<std::string, int>> table({{"rank", me}});
  check(table.fetch(next).get().at("rank") == next, "dist_object");
  check(table.call(
                 next, [](std::map<std::string, int>& t, std::string key) { return t.at(key) * 2; }, "rank")
                .get() == next * 2,
        "a call of a dist_object");
  amity::barrier_all();
}

}  // namespace

int main() {
  int const me = amity::rank_me(), n = amity::rank_n();
  pointers(me, n);
  transfers(me, n);
  shared_things(me, n);
  objects(me, n);
  return test::end();
}
