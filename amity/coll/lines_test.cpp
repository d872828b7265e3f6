// Sites are threads here, which do the same operations in the same order: each gives a value, and looks at those that
// it needs. Values tell operation and site. Sites run ahead, fall asleep and are rung for.
#include "amity/coll/lines.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <list>
#include <memory>
#include <random>
#include <semaphore>
#include <string>
#include <thread>

namespace amity::collectives::detail {
namespace {

constexpr int most_sites = 4;

int rounds() {
  const char* const asked = std::getenv("AMITY_TEST_ROUNDS");
  return asked != nullptr ? std::atoi(asked) : 4'000;
}

struct node {
  std::array<std::counting_semaphore<>, most_sites> bells{std::counting_semaphore<>(0), std::counting_semaphore<>(0),
                                                          std::counting_semaphore<>(0), std::counting_semaphore<>(0)};
  std::array<board, most_sites> boards;
};

lines::surroundings around(node& n) {
  return {.of = &n,
          .allocate = [](void*, std::size_t bytes) noexcept { return std::aligned_alloc(64, bytes); },
          .release = [](void*, void* memory) noexcept { std::free(memory); },
          .ring = [](void* of, int site) noexcept { static_cast<node*>(of)->bells[site].release(); }};
}

/// What site `site` gives to an operation: so many numbers.
std::vector<std::uint64_t> given(std::uint64_t operation, int site, std::size_t count) {
  std::vector<std::uint64_t> v(count);
  for (std::size_t i = 0; i < count; ++i) v[i] = operation * 1'000 + static_cast<std::uint64_t>(site) * 100 + i;
  return v;
}

struct plan {
  needed needs;
  int root;
  std::size_t count;
  bool passes;
  bool is_led;  ///< the root looks first, and gives what it has found, as a node's leader does (L7)
};
plan planned(std::uint64_t operation, int sites) {
  std::mt19937 random(static_cast<unsigned>(operation));
  constexpr needed all[] = {needed::none, needed::root, needed::all, needed::before};
  constexpr std::size_t counts[] = {0, 1, 4, 5, 100, 700};
  plan p{all[random() % 4], static_cast<int>(random() % static_cast<unsigned>(sites)), counts[random() % 6],
         random() % 8 == 0, random() % 4 == 0};
  if (p.is_led) p.needs = random() % 3 == 0 ? needed::none : needed::root;  // of those that do not lead
  return p;
}

/// One site's part in all operations.
class participant {
 public:
  participant(node& n, lines& l, int sites, int site)
      : node_(n), lines_(l), sites_(sites), site_(site), random_(7u + site) {}

  void run() {
    for (int i = 0; i < rounds(); ++i) {
      begin();
      while (open_.size() > random_() % 5) wait_for_one();
    }
    while (!open_.empty()) wait_for_one();
  }
  [[nodiscard]] int wrong() const noexcept { return wrong_; }

 private:
  struct pending {
    turn t;
    std::vector<std::uint64_t> value;
  };

  void begin() {
    std::uint64_t const operation = lines_.count();
    plan const p = planned(operation, sites_);
    if (p.passes) return lines_.pass(operation);
    pending& made = open_.emplace_back(turn(), given(operation, site_, p.count));
    made.t.operation = operation;
    made.t.what.what = kind::barrier;
    made.t.what.root = made.t.root = p.root;
    made.t.needs = p.needs;
    made.t.value = std::as_bytes(std::span(made.value));
    if (p.is_led && p.root == site_) {
      made.t.gives_last = true;
      made.t.needs = needed::all;
    }
    static_cast<void>(go_on());
  }
  /// What all have given, by one that leads: now it gives that. False: nobody needs it.
  bool gives_all(pending& p) {
    plan const its = planned(p.t.operation, sites_);
    check(p.t);
    if (its.needs == needed::none) return false;
    p.value = given_by_all(p.t.operation, its.count);
    p.t.value = std::as_bytes(std::span(p.value));
    lines_.give(p.t);
    return true;
  }
  [[nodiscard]] std::vector<std::uint64_t> given_by_all(std::uint64_t operation, std::size_t count) const {
    std::vector<std::uint64_t> all;
    for (int s = 0; s < sites_; ++s) {
      std::vector<std::uint64_t> const its = given(operation, s, count);
      all.insert(all.end(), its.begin(), its.end());
    }
    return all;
  }
  /// All of them, as each would in a task of its own. True: some are over.
  bool go_on() {
    std::size_t const before = open_.size();
    for (auto at = open_.begin(); at != open_.end();) {
      lines_.go_on(at->t);
      if (at->t.is_over() && at->t.gives_last && gives_all(*at)) {
        // As far as it gets.
      } else if (at->t.is_over()) {
        if (!leads(at->t)) check(at->t);
        lines_.end(at->t);
        at = open_.erase(at);
      } else {
        ++at;
      }
    }
    return open_.size() != before;
  }
  void wait_for_one() {
    for (;;) {
      for (unsigned looks = random_() % 40; looks > 0; --looks)
        if (go_on()) return;
      lines_.falls_asleep();
      if (go_on()) return;
      node_.bells[static_cast<std::size_t>(site_)].acquire();
    }
  }
  [[nodiscard]] bool leads(const turn& t) const {
    plan const p = planned(t.operation, sites_);
    return p.is_led && p.root == site_;
  }
  void check(const turn& t) {
    plan const p = planned(t.operation, sites_);
    if (t.at != turn::stage::complete) return void(++wrong_);
    for (int s = 0; s < sites_; ++s) {
      if (p.is_led && !leads(t)) {
        std::vector<std::uint64_t> const due = given_by_all(t.operation, p.count);
        std::size_t const bytes = due.size() * sizeof(std::uint64_t);
        if (t.needs == needed::root && bytes != 0 &&
            std::memcmp(lines_.value_of(p.root, t, bytes), due.data(), bytes) != 0)
          ++wrong_;
        return;
      }
      bool const is_needed = t.needs == needed::all || (t.needs == needed::root && s == p.root) ||
                             (t.needs == needed::before && s < site_);
      if (!is_needed || (leads(t) && s == site_)) continue;  // it has not given yet
      std::vector<std::uint64_t> const due = given(t.operation, s, p.count);
      std::size_t const bytes = due.size() * sizeof(std::uint64_t);
      if (bytes != 0 && std::memcmp(lines_.value_of(s, t, bytes), due.data(), bytes) != 0) ++wrong_;
    }
  }

  node& node_;
  lines& lines_;
  int const sites_, site_;
  std::mt19937 random_;
  std::list<pending> open_;
  int wrong_ = 0;
};

class sites_by_lines : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(sites, sites_by_lines, testing::Values(2, 3, 4));

TEST_P(sites_by_lines, see_what_others_give) {
  int const sites = GetParam();
  node n;
  std::vector<std::unique_ptr<lines>> all;
  for (int s = 0; s < sites; ++s) all.push_back(std::make_unique<lines>(sites, s, around(n)));
  std::vector<std::unique_ptr<participant>> work;
  for (int s = 0; s < sites; ++s)
    work.push_back(std::make_unique<participant>(n, *all[static_cast<std::size_t>(s)], sites, s));
  std::vector<std::thread> threads;
  for (int s = 0; s < sites; ++s)
    threads.emplace_back([&, s] {
      all[static_cast<std::size_t>(s)]->open(n.boards[static_cast<std::size_t>(s)]);
      work[static_cast<std::size_t>(s)]->run();
    });
  // Boards become known while they work.
  for (int of = 0; of < sites; ++of)
    for (int s = 0; s < sites; ++s) {
      if (of == s) continue;
      std::this_thread::yield();
      all[static_cast<std::size_t>(of)]->know(s, n.boards[static_cast<std::size_t>(s)]);
      n.bells[static_cast<std::size_t>(of)].release();  // it may sleep until it knows
    }
  for (std::thread& t : threads) t.join();
  for (int s = 0; s < sites; ++s) EXPECT_EQ(work[static_cast<std::size_t>(s)]->wrong(), 0) << "site " << s;
}

TEST(lines_of_two, say_that_the_other_takes_it_for_something_else) {
  node n;
  lines a(2, 0, around(n)), b(2, 1, around(n));
  a.open(n.boards[0]), b.open(n.boards[1]);
  a.know(1, n.boards[1]), b.know(0, n.boards[0]);
  turn of_a, of_b;
  of_a.operation = a.count(), of_b.operation = b.count();
  of_a.what.what = kind::barrier, of_b.what.what = kind::all_reduce;
  a.go_on(of_a);
  EXPECT_EQ(of_a.at, turn::stage::waits_for_lines);
  EXPECT_EQ(of_a.site, 1);
  b.go_on(of_b);
  EXPECT_EQ(of_b.at, turn::stage::differs);
  EXPECT_EQ(of_b.site, 0);
  a.go_on(of_a);
  EXPECT_EQ(of_a.at, turn::stage::differs);
  a.end(of_a), b.end(of_b);
  // The next one goes well.
  turn next_a, next_b;
  next_a.operation = a.count(), next_b.operation = b.count();
  next_a.what.what = next_b.what.what = kind::barrier;
  a.go_on(next_a), b.go_on(next_b), a.go_on(next_a);
  EXPECT_EQ(next_a.at, turn::stage::complete);
  EXPECT_EQ(next_b.at, turn::stage::complete);
}

TEST(lines_of_two, wait_for_room_where_the_other_lags_behind) {
  node n;
  lines a(2, 0, around(n)), b(2, 1, around(n));
  a.open(n.boards[0]), b.open(n.boards[1]);
  a.know(1, n.boards[1]), b.know(0, n.boards[0]);
  auto const gives = [](lines& l, turn& t) {
    t.operation = l.count();
    t.what.what = kind::reduce;
    t.needs = needed::none;
    l.go_on(t);
  };
  for (std::uint64_t i = 0; i < lines::apart; ++i) {
    turn t;
    gives(a, t);
    EXPECT_EQ(t.at, turn::stage::complete);
    a.end(t);
  }
  turn one_more;
  gives(a, one_more);
  EXPECT_EQ(one_more.at, turn::stage::waits_for_room);
  EXPECT_EQ(one_more.site, 1);
  b.pass(b.count());  // whatever it was there
  a.go_on(one_more);
  EXPECT_EQ(one_more.at, turn::stage::complete);
}

// The later operation of a line begins when the earlier one is over at this site, though that was counted and not
// begun.
TEST(lines_of_two, keep_the_order_of_a_line) {
  node n;
  lines a(2, 0, around(n));
  a.open(n.boards[0]);
  turn early, late;
  early.operation = a.count();
  for (std::uint64_t i = 1; i < lines::apart; ++i) a.pass(a.count());
  late.operation = a.count();
  a.pass(a.count());
  early.needs = late.needs = needed::none;
  a.go_on(late);
  EXPECT_EQ(late.at, turn::stage::begins);
  EXPECT_EQ(n.boards[0].through[1].load(), 0u);
  EXPECT_EQ(n.boards[0].through[2].load(), lines::apart + 2);
  a.go_on(early);
  EXPECT_EQ(early.at, turn::stage::complete);
  a.end(early);
  EXPECT_EQ(n.boards[0].through[1].load(), 1u);
}

}  // namespace
}  // namespace amity::collectives::detail
