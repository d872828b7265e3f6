// Small collective operations of a program whose ranks are on several nodes, or take themselves for that: random ones,
// many under way at once, on communicators of several kinds. Values tell operation and site, and what combines them
// keeps an order. Operators that throw fail at all sites; then the communicator is as good as before.
#include <cstdlib>
#include <deque>
#include <functional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

namespace co = amity::collectives;
using test::check;

// x -> a x + b, modulo 2^32.
struct map {
  unsigned a, b;
  friend bool operator==(const map&, const map&) = default;
};
map then(const map& f, const map& g) { return {g.a * f.a, g.a * f.b + g.b}; }
map given(int operation, int site, std::size_t i = 0) {
  return {static_cast<unsigned>(2 * site + 3), static_cast<unsigned>(operation) * 1000 + static_cast<unsigned>(i)};
}
std::vector<map> given_by(int operation, int site, std::size_t count) {
  std::vector<map> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(given(operation, site, i));
  return all;
}
map combined(int operation, int end, std::size_t i = 0) {
  map all = given(operation, 0, i);
  for (int s = 1; s < end; ++s) all = then(all, given(operation, s, i));
  return all;
}

// Operations of one communicator that are under way: each is looked at when it is over.
class under_way {
 public:
  explicit under_way(std::size_t most) : most_(most) {}
  /// `spans` stay so long.
  template <class Future, class Check, class... Spans>
  void add(Future f, const std::string& what, Check right, Spans... spans) {
    while (all_.size() >= most_) finish_first();
    all_.push_back([f = std::make_shared<Future>(std::move(f)), what, right, spans...] { check(right(*f), what); });
  }
  void finish_first() {
    all_.front()();
    all_.pop_front();
  }
  void finish() {
    while (!all_.empty()) finish_first();
  }

 private:
  std::size_t most_;
  std::deque<std::function<void()>> all_;
};

void one(const co::communicator& c, int k, std::mt19937& random, under_way& all) {
  int const me = c.this_site(), n = c.num_sites(), root = static_cast<int>(random() % static_cast<unsigned>(n));
  auto const sites = static_cast<std::size_t>(n), mine = static_cast<std::size_t>(me);
  co::root_site_arg const at(root);
  unsigned const which = random() % 13;
  std::size_t const count = std::size_t{1} << random() % 7;
  std::string const what = "operation " + std::to_string(k) + ", of kind " + std::to_string(which) + ", with root " +
                           std::to_string(root) + " and " + std::to_string(count) + " elements at site " +
                           std::to_string(me) + " of " + std::to_string(n);
  auto const elements = std::make_shared<std::vector<map>>(given_by(k, me, count));
  auto const whole = std::make_shared<std::vector<map>>(given_by(k, me, count * sites));
  auto const are_given = [k, sites](const std::vector<map>& v) {
    for (std::size_t s = 0; s < sites; ++s)
      if (v.at(s) != given(k, static_cast<int>(s))) return false;
    return v.size() == sites;
  };
  switch (which) {
    case 0:
      return all.add(co::barrier(c), what, [](auto& f) { return f.get(), true; });
    case 1:
      return all.add(co::broadcast(c, given(k, me), at), what, [=](auto& f) { return f.get() == given(k, root); });
    case 2:
      return all.add(co::reduce(c, given(k, me), then, at), what, [=](auto& f) {
        auto const got = f.get();
        return me == root ? got == combined(k, n) : !got.has_value();
      });
    case 3:
      return all.add(co::all_reduce(c, given(k, me), then), what, [=](auto& f) { return f.get() == combined(k, n); });
    case 4:
      return all.add(co::gather(c, given(k, me), at), what, [=](auto& f) {
        auto const got = f.get();
        return me == root ? are_given(got) : got.empty();
      });
    case 5:
      return all.add(co::scatter(c, me == root ? given_by(k, root, sites) : std::vector<map>(), at), what,
                     [=](auto& f) { return f.get() == given(k, root, mine); });
    case 6:
      return all.add(co::all_gather(c, given(k, me)), what, [=](auto& f) { return are_given(f.get()); });
    case 7:
      return all.add(co::all_to_all(c, given_by(k, me, sites)), what, [=](auto& f) {
        auto const got = f.get();
        for (std::size_t s = 0; s < sites; ++s)
          if (got.at(s) != given(k, static_cast<int>(s), mine)) return false;
        return true;
      });
    case 8:
      return all.add(co::inclusive_scan(c, given(k, me), then), what,
                     [=](auto& f) { return f.get() == combined(k, me + 1); });
    case 9:
      return all.add(
          co::all_reduce(c, std::span(*elements), then), what,
          [=](auto& f) {
            f.get();
            for (std::size_t i = 0; i < count; ++i)
              if ((*elements)[i] != combined(k, n, i)) return false;
            return true;
          },
          elements, whole);
    case 10:
      return all.add(
          co::reduce_scatter(c, std::span(*whole), std::span(*elements), then), what,
          [=](auto& f) {
            f.get();
            for (std::size_t i = 0; i < count; ++i)
              if ((*elements)[i] != combined(k, n, mine * count + i)) return false;
            return true;
          },
          elements, whole);
    case 11:
      return all.add(
          co::broadcast(c, std::span(*elements), at), what,
          [=](auto& f) { return f.get(), *elements == given_by(k, root, count); }, elements);
    default:
      return all.add(
          co::all_gather(c, std::span(*elements), std::span(*whole)), what,
          [=](auto& f) {
            f.get();
            for (std::size_t s = 0; s < sites; ++s)
              for (std::size_t i = 0; i < count; ++i)
                if ((*whole)[s * count + i] != given(k, static_cast<int>(s), i)) return false;
            return true;
          },
          elements, whole);
  }
}

void random_ones(const co::communicator& c, unsigned seed, int operations, std::size_t most) {
  std::mt19937 random(seed);
  under_way all(most);
  for (int k = 1; k <= operations; ++k) one(c, k, random, all);
  all.finish();
}

// Two sites of each process, neighbours by number: each goes on by itself.
void two_sites_each(int me, int n) {
  std::vector<amity::future<void>> both;
  for (int i = 0; i < 2; ++i)
    both.push_back(amity::async([=] {
      auto const c = co::create_communicator("two each", co::num_sites_arg(2 * n), co::this_site_arg(2 * me + i));
      random_ones(c, 5, 300, 4);
    }));
  for (auto& f : both) f.get();
}

void operators_that_throw(const co::communicator& c) {
  for (int k = 0; k < 20; ++k) {
    std::string said = "nothing";
    try {
      co::all_reduce(c, 1, [](int, int) -> int { throw std::out_of_range("no sum today"); }).get();
    } catch (const std::exception& e) {
      said = e.what();
    }
    check(c.num_sites() == 1 || said.find("no sum today") != std::string::npos, "an operator that throws: " + said);
    check(co::all_reduce(c, 1, std::plus<>()).get() == c.num_sites(), "the sum after that");
  }
}

}  // namespace

int main() {
  int const me = amity::rank_me(), n = amity::rank_n();
  auto const world = co::world();
  random_ones(world, 1, 3000, 1);
  random_ones(world, 2, 3000, 24);
  random_ones(co::split(world, me % 2, -me).get(), 3 + static_cast<unsigned>(me % 2), 500, 8);
  random_ones(co::create_communicator("turned", co::this_site_arg((me + 1) % n)), 7, 500, 8);
  two_sites_each(me, n);
  operators_that_throw(world);
  // Nothing has gone another way than it is meant to.
  if (std::getenv("AMITY_TEST_NODE") != nullptr && std::getenv("AMITY_COLLECTIVE_LINES") == nullptr) {
    auto const& lines = world.checked().lines;
    check(lines != nullptr && lines->is_ready() && lines->nodes() != nullptr, "there are lines over several nodes");
  }
  return test::end();
}
