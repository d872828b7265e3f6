// Random operations, in some of which one site is wrong: in its arguments, in types and lengths, in the root, or in the
// operation. Nobody waits for ever, nobody gets a wrong value, and what needs the wrong site fails with words; then the
// communicator is as good as before.
#include <array>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

namespace co = amity::collectives;
using test::check;

enum class mistake { none, root_out_of_range, site_of_another, null_span, size, type, root, operation };
constexpr int mistakes = 8;
const char* const mistake_names[] = {"none", "root out of range", "site of another", "null span", "size", "type",
                                     "root", "operation"};
enum class what {
  barrier,
  broadcast,
  broadcast_span,
  reduce,
  reduce_span,
  scatter,
  scatter_span,
  scatter_v,
  gather,
  gather_span,
  gather_v,
  all_reduce,
  all_reduce_span,
  reduce_scatter,
  all_gather,
  all_gather_span,
  all_gather_v,
  all_to_all,
  all_to_all_span,
  all_to_all_v,
  scan,
  exclusive_scan_span
};
constexpr int operations = 22;

// One call at one site. True: its result is right.
template <class T>
bool called(const co::communicator& c, what op, int root, mistake m, std::size_t length) {
  int const me = c.this_site(), n = c.num_sites();
  auto const sites = static_cast<std::size_t>(n), mine = static_cast<std::size_t>(me);
  if (m == mistake::size) length += 1;
  if (m == mistake::root) root = (root + 1) % n;
  co::root_site_arg const at(m == mistake::root_out_of_range ? n + root : root);
  co::this_site_arg const as(m == mistake::site_of_another ? me + 1 : me);
  bool const is_root = me == root;
  std::vector<T> one(length, static_cast<T>(me + 1)), all(length * sites);
  std::span<T> const some =
      m == mistake::null_span ? std::span<T>(static_cast<T*>(nullptr), length) : std::span<T>(one);
  T const sum = static_cast<T>(n * (n + 1) / 2);
  std::plus<> const add;
  auto const is_all = [](const std::vector<T>& v, T x) {
    return std::all_of(v.begin(), v.end(), [x](T y) { return y == x; });
  };
  auto const fill = [&](auto value) {
    for (std::size_t s = 0; s < sites; ++s)
      for (std::size_t i = 0; i < length; ++i) all[s * length + i] = static_cast<T>(value(static_cast<int>(s)));
  };
  auto const is_filled = [&](auto value) {
    for (std::size_t s = 0; s < sites; ++s)
      for (std::size_t i = 0; i < length; ++i)
        if (all[s * length + i] != static_cast<T>(value(static_cast<int>(s)))) return false;
    return true;
  };
  auto const of_site = [](int s) { return s + 1; };
  std::vector<std::size_t> const counts(sites, length);
  std::span<const std::size_t> const each(counts);
  std::size_t const values = sites + (m == mistake::size ? 1 : 0);
  switch (op) {
    case what::barrier:
      co::barrier(c, as, at).get();
      return true;
    case what::broadcast:
      return co::broadcast(c, static_cast<T>(is_root ? 77 : 0), as, at).get() == static_cast<T>(77);
    case what::broadcast_span:
      if (is_root) std::fill(one.begin(), one.end(), static_cast<T>(77));
      co::broadcast(c, some, as, at).get();
      return is_all(one, static_cast<T>(77));
    case what::reduce:
      return co::reduce(c, static_cast<T>(me + 1), add, as, at).get().value_or(sum) == sum;
    case what::reduce_span:
      co::reduce(c, some, add, as, at).get();
      return !is_root || is_all(one, sum);
    case what::scatter:
      return co::scatter(c, std::vector<T>(is_root ? values : 0, static_cast<T>(5)), as, at).get() == static_cast<T>(5);
    case what::scatter_span:
      fill(of_site);
      co::scatter(c, std::span(all), some, as, at).get();
      return is_all(one, static_cast<T>(me + 1));
    case what::scatter_v:
      fill(of_site);
      co::scatter_v(c, std::span(all), each, some, as, at).get();
      return is_all(one, static_cast<T>(me + 1));
    case what::gather: {
      auto const got = co::gather(c, static_cast<T>(me + 1), as, at).get();
      return !is_root || (got.size() == sites && got[sites - 1] == static_cast<T>(n));
    }
    case what::gather_span:
      co::gather(c, some, std::span(all), as, at).get();
      return !is_root || is_filled(of_site);
    case what::gather_v:
      co::gather_v(c, some, std::span(all), each, as, at).get();
      return !is_root || is_filled(of_site);
    case what::all_reduce:
      return co::all_reduce(c, static_cast<T>(me + 1), add, as, at).get() == sum;
    case what::all_reduce_span:
      co::all_reduce(c, some, add, as, at).get();
      return is_all(one, sum);
    case what::reduce_scatter:
      fill([&](int) { return me + 1; });
      co::reduce_scatter(c, std::span(all), some, add, as, at).get();
      return is_all(one, sum);
    case what::all_gather: {
      auto const got = co::all_gather(c, static_cast<T>(me + 1), as, at).get();
      return got.size() == sites && got[sites - 1] == static_cast<T>(n);
    }
    case what::all_gather_span:
      co::all_gather(c, some, std::span(all), as, at).get();
      return is_filled(of_site);
    case what::all_gather_v:
      co::all_gather_v(c, some, std::span(all), each, as, at).get();
      return is_filled(of_site);
    case what::all_to_all: {
      auto const got = co::all_to_all(c, std::vector<T>(values, static_cast<T>(me + 1)), as, at).get();
      return got.size() == sites && got[sites - 1] == static_cast<T>(n) && got[mine] == static_cast<T>(me + 1);
    }
    case what::all_to_all_span:
    case what::all_to_all_v: {
      std::vector<T> from(all.size(), static_cast<T>(me + 1));
      std::span<T> const out =
          m == mistake::null_span ? std::span<T>(static_cast<T*>(nullptr), from.size()) : std::span<T>(from);
      if (op == what::all_to_all_v)
        co::all_to_all_v(c, out, each, std::span(all), each, as, at).get();
      else
        co::all_to_all(c, out, std::span(all), as, at).get();
      return is_filled(of_site);
    }
    case what::scan:
      return co::inclusive_scan(c, static_cast<T>(me + 1), add, as, at).get() ==
             static_cast<T>((me + 1) * (me + 2) / 2);
    case what::exclusive_scan_span:
      co::exclusive_scan(c, some, T{}, add, as, at).get();
      return is_all(one, static_cast<T>(me * (me + 1) / 2));
  }
  return false;
}

bool has_spans(what op) {
  switch (op) {
    case what::barrier:
    case what::broadcast:
    case what::reduce:
    case what::scatter:
    case what::gather:
    case what::all_reduce:
    case what::all_gather:
    case what::all_to_all:
    case what::scan:
      return false;
    default:
      return true;
  }
}
bool is_rooted_down(what op) {
  return op == what::broadcast || op == what::broadcast_span || op == what::scatter || op == what::scatter_span ||
         op == what::scatter_v;
}
bool is_rooted_up(what op) {
  return op == what::reduce || op == what::reduce_span || op == what::gather || op == what::gather_span ||
         op == what::gather_v;
}

// Whether `m` of site `wrong` is one in this operation.
bool is_mistake(what op, int root, mistake m, int wrong) {
  if (m == mistake::null_span) return has_spans(op);
  if (m == mistake::size) return has_spans(op) || op == what::all_to_all || (op == what::scatter && wrong == root);
  if (m == mistake::type) return op != what::barrier;
  return m != mistake::none;
}
bool is_seen_alone(what op, int root, mistake m, int wrong) {
  if (m == mistake::size) return op == what::all_to_all || (op == what::scatter && wrong == root);
  return m == mistake::root_out_of_range || m == mistake::site_of_another || m == mistake::null_span;
}
// Whether site `s` can't come to its end: it needs something of the wrong one.
bool must_fail(what op, int root, mistake m, int wrong, int s) {
  if (s == wrong && is_seen_alone(op, root, m, wrong)) return true;
  bool const others = m == mistake::operation || m == mistake::root;  // then the wrong one needs what it needs
  if (is_rooted_down(op)) return wrong == root ? s != wrong : s == wrong && !others;
  if (is_rooted_up(op)) return s == root && (s != wrong || !others);
  if (op == what::scan || op == what::exclusive_scan_span) return s > wrong;
  return !(s == wrong && others);
}

// 0: right, 1: collective_error, 2: anything else.
int outcome(const co::communicator& c, what op, int root, mistake m, std::size_t length, std::string& words) {
  try {
    bool right = false;
    if (m == mistake::operation)
      right = called<long>(c, op == what::barrier ? what::all_gather : what::barrier, root, mistake::none, length);
    else if (m == mistake::type)
      right = called<short>(c, op, root, m, length), right = true;  // of the wrong site's own type
    else
      right = called<long>(c, op, root, m, length);
    words = "a wrong value";
    return right || m != mistake::none ? 0 : 2;
  } catch (const co::collective_error& e) {
    words = e.what();
    return 1;
  } catch (const std::exception& e) {
    words = e.what();
    return 2;
  }
}

// One site of `c`; `other` has the same sites.
void at_site(const co::communicator& c, const co::communicator& other, unsigned seed, int rounds) {
  int const n = c.num_sites(), me = c.this_site();
  std::mt19937 random(seed);
  auto const below = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
  for (int round = 0; round < rounds; ++round) {
    what const op = static_cast<what>(below(operations));
    int const root = below(n), wrong = below(n);
    std::size_t const length = std::array<std::size_t, 4>{1, 3, 5'000, 40'000}[static_cast<std::size_t>(below(4))];
    mistake m = static_cast<mistake>(below(2) * below(mistakes));
    if (n == 1 && !is_seen_alone(op, root, m, wrong)) m = mistake::none;
    if (!is_mistake(op, root, m, wrong)) m = mistake::none;
    std::string words;
    int const mine = outcome(c, op, root, me == wrong ? m : mistake::none, length, words);
    std::string const label = "seed " + std::to_string(seed) + ", round " + std::to_string(round) + ", operation " +
                              std::to_string(static_cast<int>(op)) + ", root " + std::to_string(root) + ", site " +
                              std::to_string(wrong) + " has the mistake '" + mistake_names[static_cast<int>(m)] +
                              "', length " + std::to_string(length) + ", site " + std::to_string(me) + ": ";
    check(mine != 2, label + words);
    check(mine == 0 || m != mistake::none, label + words);
    check(m == mistake::none || mine == 1 || !must_fail(op, root, m, wrong, me), label + "nothing was said");
    if (mine == 1) check(words.find("communicator '") != std::string::npos, label + words);
    auto const all = co::all_gather(other, mine).get();  // all are through
    check(all.size() == static_cast<std::size_t>(n), label + "the other communicator");
    check(co::all_reduce(c, round, std::plus<>()).get() == n * round, label + "the next operation");
  }
}

}  // namespace

int main(int argc, char** argv) {
  int const me = amity::rank_me(), n = amity::rank_n();
  int const rounds = argc > 1 ? std::atoi(argv[1]) : 30;
  at_site(co::world(), co::create_communicator("beside"), 1, rounds);
  at_site(co::create_hierarchical_communicator("levels"), co::create_communicator("beside"), 2, rounds);
  at_site(co::split(co::world(), me % 2, -me).get(), co::split(co::world(), me % 2, -me).get(),
          3 + static_cast<unsigned>(me % 2), rounds);
  // Two sites of each process, and sites of one process, as tasks. Not in a finish, which throws what their operations
  // do.
  std::vector<amity::future<void>> sites;
  for (int k = 0; k < 2; ++k)
    sites.push_back(amity::async([me, n, k, rounds] {
      co::num_sites_arg const all(2 * n);
      co::this_site_arg const site(2 * me + k);
      at_site(co::create_communicator("pairs", all, site), co::create_communicator("other pairs", all, site), 5,
              rounds);
    }));
  for (int k = 0; k < 3; ++k)
    sites.push_back(amity::async([k, rounds] {
      co::num_sites_arg const all(3);
      co::this_site_arg const site(k);
      at_site(co::create_local_communicator("here", all, site), co::create_local_communicator("also here", all, site),
              6, rounds);
    }));
  for (auto& s : sites) s.get();
  return test::end();
}
