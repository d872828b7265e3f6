// HPX's forms of collective operations: by a name, with launch::sync; its channels, its barrier and latch over
// processes, and trees that are flat below a number of sites.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "amity/coll/distributed_barrier.hpp"
#include "amity/coll/spmd_block.hpp"
#include "check.hpp"

using namespace amity::collectives;
using test::check, test::thrown;

namespace {

constexpr int rounds = 5;
std::atomic<int> seen{0};

void one_shot(int me, int n) {
  num_sites_arg const sites(n);
  this_site_arg const site(me);
  for (int i = 0; i < rounds; ++i) {
    int const sum = all_reduce("/one/all_reduce", me + i, std::plus<>(), sites, site).get();
    check(sum == n * (n - 1) / 2 + n * i, "all_reduce by a name");
  }
  // With generations of the program's own, which names tell apart.
  for (int i = 0; i < rounds; ++i) {
    auto const all = all_gather("/one/all_gather", std::to_string(me + i), sites, site, generation_arg(i + 1)).get();
    check(all.size() == static_cast<std::size_t>(n) && all.back() == std::to_string(n - 1 + i), "all_gather by a name");
  }
  int const root = n - 1;
  root_site_arg const at(root);
  int const got = me == root ? broadcast_to("/one/broadcast", 42, sites, site, generation_arg(), at).get()
                             : broadcast_from<int>("/one/broadcast", site, at).get();
  check(got == 42, "broadcast_to and _from by a name");
  if (me == root) {
    std::vector<int> values;
    for (int i = 0; i < n; ++i) values.push_back(10 * i);
    check(scatter_to("/one/scatter", std::move(values), sites, site, at).get() == 10 * me, "scatter_to by a name");
    check(gather_here("/one/gather", me, sites, site, at).get().size() == static_cast<std::size_t>(n), "gather_here");
    check(reduce_here("/one/reduce", me, std::plus<>(), sites, site, at).get() == n * (n - 1) / 2, "reduce_here");
  } else {
    check(scatter_from<int>("/one/scatter", site, at).get() == 10 * me, "scatter_from by a name");
    gather_there("/one/gather", me, site, at).get();
    reduce_there("/one/reduce", me, site, at).get();
  }
  std::vector<int> mine(static_cast<std::size_t>(n), me);
  check(all_to_all("/one/all_to_all", mine, sites, site).get()[static_cast<std::size_t>(root)] == root, "all_to_all");
  check(inclusive_scan("/one/inclusive", 1, std::plus<>(), sites, site).get() == me + 1, "inclusive_scan");
  check(exclusive_scan("/one/exclusive", 1, 0, std::plus<>(), sites, site).get() == me, "exclusive_scan");
  amity::collectives::barrier("/one/barrier", sites, site).get();
}

void in_sync(int me, int n) {
  using amity::launch;
  communicator const c = world();
  check(all_reduce(launch::sync, c, me, std::plus<>()) == n * (n - 1) / 2, "all_reduce in sync");
  int const last = n - 1;
  int const got = me == last ? broadcast_to(launch::sync, c, 7, root_site_arg(last))
                             : broadcast_from<int>(launch::sync, c, root_site_arg(last));
  check(got == 7, "broadcast in sync");
  check(all_gather(launch::sync, c, me).back() == last, "all_gather in sync");
  check(inclusive_scan(launch::sync, "/sync/scan", 1, std::plus<>()) == me + 1, "inclusive_scan in sync by a name");
  std::vector<int> values(3, me);
  all_reduce(launch::sync, c, std::span(values), std::plus<>());
  check(values[2] == n * (n - 1) / 2, "a span in sync");
  amity::collectives::barrier(launch::sync, c);
  check(thrown<std::invalid_argument>([&] { all_reduce(launch::async, c, me, std::plus<>()); }).find("launch::sync") !=
            std::string::npos,
        "launch::async");
}

// Several sites in each process, all to all, each in a task of its own; set before it is asked for, and the reverse.
void channels(int me, int n) {
  constexpr int here = 3;
  int const sites = here * n;
  for (int round = 0; round < rounds; ++round) {
    std::vector<amity::future<void>> all;
    for (int k = 0; k < here; ++k)
      all.push_back(amity::async([=] {
        int const site = me * here + k;
        auto c = create_channel_communicator("/channels", num_sites_arg(sites), this_site_arg(site)).get();
        auto const send = [&] {
          for (int to = 0; to < sites; ++to)
            for (int i = 0; i < 3; ++i)
              set(c, that_site_arg(to), std::to_string(site) + " to " + std::to_string(to) + ' ' + std::to_string(i),
                  tag_arg(round));
        };
        if (round % 2 == 0) send();
        std::vector<amity::future<std::string>> first;
        for (int from = 0; from < sites; ++from)
          first.push_back(get<std::string>(c, that_site_arg(from), tag_arg(round)));
        if (round % 2 != 0) send();
        for (int from = 0; from < sites; ++from) {
          std::string const one = std::to_string(from) + " to " + std::to_string(site);
          // From one site they come in their order, unless they overtook one another on their way.
          std::vector<std::string> three{first[static_cast<std::size_t>(from)].get()};
          for (int i = 1; i < 3; ++i)
            three.push_back(get<std::string>(amity::launch::sync, c, that_site_arg(from), tag_arg(round)));
          std::sort(three.begin(), three.end());
          check(three == std::vector<std::string>{one + " 0", one + " 1", one + " 2"}, "channel " + one);
        }
      }));
    for (auto& f : all) f.get();
  }
  auto const c = create_channel_communicator(amity::launch::sync, "/channel", num_sites_arg(n), this_site_arg(me));
  check(thrown<std::out_of_range>([&] {
          static_cast<void>(get<int>(c, that_site_arg(n)));
        }).find("site " + std::to_string(n)) != std::string::npos,
        "a site that is not there");
  set(c, that_site_arg((me + 1) % n), 5);
  auto const all = get_world_channel_communicator();
  for (int i = 0; i < n; ++i) set(amity::launch::sync, all, that_site_arg(i), me, tag_arg(3));
  for (int i = 0; i < n; ++i) check(get<int>(all, that_site_arg(i), tag_arg(3)).get() == i, "a channel of all");
  auto const wrong = get<std::string>(c, that_site_arg((me + n - 1) % n));
  wrong.wait();
  check(wrong.has_exception(), "a value of another type");
  amity::collectives::barrier(c.sites()).get();
}

void meeting_points(int me, int n) {
  using amity::distributed::barrier, amity::distributed::latch;
  static std::atomic<int> come{0};
  barrier const all("/all");
  for (int i = 1; i <= rounds; ++i) {
    amity::rpc(0, [] { ++come; }).get();
    all.wait();
    if (me == 0) check(come == n * i, "barrier");
    all.wait(amity::launch::async).get();
  }
  std::vector<std::size_t> even;
  for (int i = 0; i < n; i += 2) even.push_back(static_cast<std::size_t>(i));
  if (me % 2 == 0) barrier("/even", even, static_cast<std::size_t>(me)).wait();
  check(me % 2 == 0 || thrown<std::invalid_argument>([&] {
                         barrier const none("/odd", even, static_cast<std::size_t>(me));
                       }).find("none of them") != std::string::npos,
        "a barrier of others");
  barrier::synchronize();

  for (int i = 0; i < 2; ++i) {
    std::string const name = "/latch " + std::to_string(i);
    latch l;
    if (me == 0) {
      l = latch(n + 1);
      l.register_as(name);
    } else {
      l.connect_to(name);
    }
    l.count_down(1);
    if (me == 0) {
      check(!l.is_ready(), "a latch that waits");
      l.arrive_and_wait();
    } else {
      l.wait();
    }
    check(l.try_wait(), "a latch that all have come to");
    barrier::synchronize();
  }
}

void trees_that_are_flat(int me, int n) {
  for (int const up_to : {0, 1000}) {
    auto const c = create_hierarchical_communicator("/tree", num_sites_arg(n), this_site_arg(me), arity_arg(3),
                                                    root_site_arg(0), flat_fallback_threshold_arg(up_to));
    check((c.arity() == 0) == (up_to != 0), "flat_fallback_threshold_arg");
    check(all_reduce(c, me, std::plus<>()).get() == n * (n - 1) / 2, "all_reduce of either");
  }
}

int rank_plus(int x) { return amity::rank_me() + x; }
void count_up(int by) { seen += by; }

// One call in several processes.
void calls_in_all(int me, int n) {
  namespace lcos = amity::lcos;
  std::vector<int> ranks;
  for (int i = n - 1; i >= 0; --i) ranks.push_back(i);
  ranks.push_back(0);
  auto const all = lcos::broadcast(ranks, rank_plus, 10).get();
  check(all.size() == ranks.size() && all.front() == n + 9 && all.back() == 10, "lcos::broadcast");
  int left = n;
  for (std::size_t i = 1; i < ranks.size(); ++i) left -= ranks[i] + 1;
  check(lcos::reduce(ranks, rank_plus, std::minus<>(), 1).get() == left, "lcos::reduce");
  check(lcos::fold(ranks, rank_plus, std::plus<>(), 100L, 0).get() == 100 + n * (n - 1) / 2, "lcos::fold");
  auto const places = lcos::broadcast_with_index(ranks, [](std::size_t i) { return 2 * i; }).get();
  check(places.back() == 2 * static_cast<std::size_t>(n), "lcos::broadcast_with_index");
  check(thrown<std::invalid_argument>([] {
          lcos::reduce(std::vector<int>(), rank_plus, std::plus<>(), 1).get();
        }).find("no ranks") != std::string::npos,
        "lcos::reduce of none");
  check(thrown<std::out_of_range>([&] {
          lcos::broadcast(ranks, [] {
            if (amity::rank_me() == 0) throw std::out_of_range("row 9");
          }).get();
        }).find("row 9") != std::string::npos,
        "a call of several that throws");
  amity::finish_spmd([&] { lcos::broadcast_post(ranks, count_up, 1); });
  check(seen == n + (me == 0 ? n : 0), "lcos::broadcast_post");
}

constexpr std::size_t images = 3;
std::atomic<std::size_t> come_all{0}, come_two{0};
void image(amity::lcos::spmd_block block, std::size_t argument) {
  std::size_t const in_all = images * static_cast<std::size_t>(amity::rank_n());
  check(block.get_num_images() == in_all && block.this_image() < in_all && argument == 7, "an image");
  for (std::size_t i = 1; i <= rounds; ++i) {
    ++come_all;
    block.sync_all();
    check(come_all == images * i, "sync_all");
    block.sync_all();
  }
  std::size_t const first = block.this_image() / images * images;
  for (std::size_t i = 1; i <= rounds; ++i) {
    bool const is_one = block.this_image() <= first + 1;
    if (is_one) ++come_two;
    block.sync_images(first + 1, first);
    if (is_one) check(come_two == 2 * i, "sync_images");
    block.sync_images(std::vector<std::size_t>{first, first + 1});
  }
  check(thrown<std::out_of_range>([&] { block.sync_images(in_all); }) != "nothing", "an image that is not there");
}
void blocks(int me) {
  if (me == 0) amity::lcos::define_spmd_block("/block", images, image, std::size_t{7}).get();
  amity::barrier_all();
}

}  // namespace

int main() {
  int const me = amity::rank_me(), n = amity::rank_n();
  one_shot(me, n);
  in_sync(me, n);
  channels(me, n);
  meeting_points(me, n);
  trees_that_are_flat(me, n);
  calls_in_all(me, n);
  blocks(me);
  return test::end();
}
