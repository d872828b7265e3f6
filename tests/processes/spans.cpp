// Collectives on elements where they lie: every length from none to several pieces, every root, operations that keep
// the order of the sites, and spans that don't fit.
#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "check.hpp"

namespace {

namespace co = amity::collectives;
using test::check;
using test::thrown;

// x -> a x + b, modulo 2^32: composition keeps an order.
struct line {
  unsigned a, b;
  friend bool operator==(const line&, const line&) = default;
};
line then(const line& f, const line& g) { return {g.a * f.a, g.a * f.b + g.b}; }
line line_of(int site, std::size_t i) { return {2u * static_cast<unsigned>(site) + 3, static_cast<unsigned>(i + 1)}; }
// Of sites first to last - 1.
line lines(int first, int last, std::size_t i) {
  line all = line_of(first, i);
  for (int s = first + 1; s < last; ++s) all = then(all, line_of(s, i));
  return all;
}

template <class T>
std::span<const T> view(const std::vector<T>& v) {
  return v;
}

void reductions(const co::communicator& c, std::size_t count, int root) {
  int const me = c.this_site(), n = c.num_sites();
  std::string const what =
      " of " + std::to_string(count) + " at " + std::to_string(n) + " sites, root " + std::to_string(root);
  std::vector<line> v(count);
  auto const fill = [&] {
    for (std::size_t i = 0; i < count; ++i) v[i] = line_of(me, i);
  };
  auto const right = [&](auto expected) {
    for (std::size_t i = 0; i < count; ++i)
      if (!(v[i] == expected(i))) return false;
    return true;
  };
  fill();
  co::all_reduce(c, std::span(v), then).get();
  check(right([&](std::size_t i) { return lines(0, n, i); }), "all_reduce" + what);
  fill();
  co::reduce(c, std::span(v), then, co::root_site_arg(root)).get();
  check(me != root || right([&](std::size_t i) { return lines(0, n, i); }), "reduce" + what);
  if (me == root)
    for (std::size_t i = 0; i < count; ++i) v[i] = line_of(root, i);
  co::broadcast(c, std::span(v), co::root_site_arg(root)).get();
  check(right([&](std::size_t i) { return line_of(root, i); }), "broadcast" + what);
  fill();
  co::inclusive_scan(c, std::span(v), then).get();
  check(right([&](std::size_t i) { return lines(0, me + 1, i); }), "inclusive_scan" + what);
  fill();
  co::exclusive_scan(c, std::span(v), line{7, 5}, then).get();
  check(right([&](std::size_t i) {
          return me == 0 ? line{7, 5} : then(line{7, 5}, lines(0, me, i));
        }),
        "exclusive_scan" + what);
  std::vector<line> all(count * static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = line_of(me, i);
  co::reduce_scatter(c, std::span(all), std::span(v), then).get();
  check(right([&](std::size_t i) { return lines(0, n, static_cast<std::size_t>(me) * count + i); }),
        "reduce_scatter" + what);
}

void moves(const co::communicator& c, std::size_t count, int root) {
  int const me = c.this_site(), n = c.num_sites();
  std::string const what =
      " of " + std::to_string(count) + " at " + std::to_string(n) + " sites, root " + std::to_string(root);
  auto const value = [](int from, int to, std::size_t i) { return from * 1'000'000'000L + to * 10'000'000L + long(i); };
  std::vector<long> mine(count), all(count * static_cast<std::size_t>(n)), got(all.size()), back(count);
  auto const at = [&](std::vector<long>& v, int site, std::size_t i) -> long& {
    return v[static_cast<std::size_t>(site) * count + i];
  };
  for (std::size_t i = 0; i < count; ++i) mine[i] = value(me, 0, i);
  bool right = true;
  co::gather(c, view(mine), std::span(all), co::root_site_arg(root)).get();
  for (int s = 0; s < n && me == root; ++s)
    for (std::size_t i = 0; i < count; ++i) right = right && at(all, s, i) == value(s, 0, i);
  check(right, "gather" + what);
  co::scatter(c, view(all), std::span(back), co::root_site_arg(root)).get();
  check(back == mine, "scatter" + what);
  co::all_gather(c, view(mine), std::span(got)).get();
  for (int s = 0; s < n; ++s)
    for (std::size_t i = 0; i < count; ++i) right = right && at(got, s, i) == value(s, 0, i);
  check(right, "all_gather" + what);
  for (int s = 0; s < n; ++s)
    for (std::size_t i = 0; i < count; ++i) at(all, s, i) = value(me, s, i);
  co::all_to_all(c, view(all), std::span(got)).get();
  for (int s = 0; s < n; ++s)
    for (std::size_t i = 0; i < count; ++i) right = right && at(got, s, i) == value(s, me, i);
  check(right, "all_to_all" + what);
}

// Site s has (s + 1) * count elements for each; to itself none.
void uneven(const co::communicator& c, std::size_t count, int root) {
  int const me = c.this_site(), n = c.num_sites();
  std::vector<std::size_t> counts;
  for (int s = 0; s < n; ++s) counts.push_back(static_cast<std::size_t>(s) * count);
  std::size_t const total = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  std::vector<int> mine(counts[static_cast<std::size_t>(me)], me), all(total), back(mine.size());
  auto const right = [&] {
    std::size_t at = 0;
    for (int s = 0; s < n; ++s)
      for (std::size_t i = 0; i < counts[static_cast<std::size_t>(s)]; ++i)
        if (all[at++] != s) return false;
    return true;
  };
  co::gather_v(c, view(mine), std::span(all), view(counts), co::root_site_arg(root)).get();
  check(me != root || right(), "gather_v");
  co::scatter_v(c, view(all), view(counts), std::span(back), co::root_site_arg(root)).get();
  check(back == mine, "scatter_v");
  std::fill(all.begin(), all.end(), -1);
  co::all_gather_v(c, view(mine), std::span(all), view(counts)).get();
  check(right(), "all_gather_v");
  // To site s go s * count elements of everybody.
  std::vector<std::size_t> const received(static_cast<std::size_t>(n), mine.size());
  std::vector<int> out, in(static_cast<std::size_t>(n) * mine.size());
  for (int s = 0; s < n; ++s) out.insert(out.end(), counts[static_cast<std::size_t>(s)], me * 100 + s);
  co::all_to_all_v(c, view(out), view(counts), std::span(in), view(received)).get();
  bool fits = true;
  for (std::size_t i = 0; i < in.size(); ++i) fits = fits && in[i] == static_cast<int>(i / mine.size()) * 100 + me;
  check(fits, "all_to_all_v");
}

void misfits(int n) {
  co::communicator const c = co::world();
  std::vector<int> const mine(3);
  std::vector<int> all(3 * static_cast<std::size_t>(n) + 1);
  check(thrown<co::collective_error>([&] {
          co::all_gather(c, view(mine), std::span(all)).get();
        }).find("sites with 3 each") != std::string::npos,
        "a span that is too long");
  std::vector<std::size_t> const counts(static_cast<std::size_t>(n) + 1);
  check(thrown<co::collective_error>([&] {
          co::all_gather_v(c, view(mine), std::span(all), view(counts)).get();
        }).find("counts for") != std::string::npos,
        "too many counts");
  if (n == 1) return;
  // MPI's own operations (tables/mpi.txt) have MPI's own errors.
  if (amity::net::engine_has_collectives() && std::getenv("AMITY_COLLECTIVES") != nullptr) return;
  // Of lengths that share their first pieces: nobody waits for ever.
  int const me = amity::rank_me();
  for (std::size_t pieces : {0u, 1u, 2u}) {
    std::vector<char> v((pieces + (me == n - 1 ? 1 : 0)) * 128 * 1024);
    std::string const said =
        thrown<co::collective_error>([&] { co::all_reduce(c, std::span(v), std::plus<>()).get(); });
    // By a table with other algorithms for other lengths, some sites may be through before they are told.
    bool const may_be_through = me != n - 1 && std::getenv("AMITY_COLLECTIVES") != nullptr;
    check(may_be_through || said.find("bytes") != std::string::npos, "all_reduce of different lengths");
    amity::barrier_all();
    // The root is through when it has sent; the site that finds its span too long is told.
    std::string const why = thrown<co::collective_error>([&] { co::broadcast(c, std::span(v)).get(); });
    check(me != n - 1 || why.find("bytes") != std::string::npos, "broadcast of different lengths");
    amity::barrier_all();
  }
  std::vector<std::size_t> uneven_counts(static_cast<std::size_t>(n), 1);
  uneven_counts[0] = 2;
  std::vector<int> one(me == 0 ? 2 : 3), place(static_cast<std::size_t>(n) + 1);
  std::string const why =
      thrown<co::collective_error>([&] { co::gather_v(c, view(one), std::span(place), view(uneven_counts)).get(); });
  check(me != 0 || why.find("different lengths") != std::string::npos, "a site with more than its count");
  amity::barrier_all();
}

}  // namespace

int main() {
  int const n = amity::rank_n();
  co::communicator const flat = co::create_communicator("spans");
  co::communicator const levels = co::create_hierarchical_communicator("levels", co::arity_arg(2));
  for (std::size_t count : {0, 1, 5, 1000, 30'000, 70'000})
    for (int root : {0, n - 1}) {
      reductions(flat, count, root);
      reductions(levels, count, root);
      moves(flat, count, root);
      uneven(flat, count, root);
    }
  misfits(n);

  // Several in flight.
  std::vector<std::vector<long>> many(10, std::vector<long>(50'000, 1));
  std::vector<amity::future<void>> done;
  for (auto& v : many) done.push_back(co::all_reduce(flat, std::span(v), std::plus<>()));
  for (auto& f : done) f.get();
  bool right = true;
  for (auto& v : many) right = right && v.front() == n && v.back() == n;
  check(right, "ten at once");
  // More than is kept for what is lent.
  std::vector<char> large(100 << 20, amity::rank_me() == 0 ? 'x' : ' ');
  co::broadcast(flat, std::span(large)).get();
  check(large.front() == 'x' && large.back() == 'x', "a broadcast of 100 MiB");
  return test::end();
}
