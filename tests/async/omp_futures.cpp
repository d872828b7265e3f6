// Futures and OpenMP tasks that wait for one another: random graphs of both against a serial oracle, wherever the tasks
// are made. The seed is fixed; an argument asks for another, a second one for the number of graphs.
#include <omp.h>

#include <amity/amity.hpp>
#include <amity/omp/future.hpp>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <vector>

namespace {

std::atomic<int> wrong{0};

void check(bool holds, const char* what, unsigned seed = 0) {
  if (holds) return;
  std::printf("wrong: %s (seed %u)\n", what, seed);
  ++wrong;
}

struct numbers {
  unsigned state;
  unsigned next(unsigned below) noexcept {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
  }
};

enum class kind : unsigned { task, call, cpp, detached, relay, count };

struct graph {
  unsigned seed;
  std::vector<kind> what;
  std::vector<std::vector<unsigned>> before;  ///< smaller numbers
  std::vector<long> value;                    ///< also the address of the node for OpenMP

  explicit graph(unsigned s) : seed(s) {
    numbers random{s};
    std::size_t const n = 1 + random.next(60);
    value.assign(n, 0);
    for (unsigned i = 0; i < n; ++i) {
      what.push_back(static_cast<kind>(random.next(static_cast<unsigned>(kind::count))));
      before.emplace_back();
      for (unsigned k = i == 0 ? 0 : random.next(4); k > 0; --k) before[i].push_back(random.next(i));
    }
  }

  static long mix(unsigned i, long sum) noexcept { return sum * 31 + i + 1; }

  /// What the node makes of the nodes before it.
  [[nodiscard]] long made_of(unsigned i, const std::vector<long>& v) const {
    long sum = 0;
    for (unsigned p : before[i]) sum = (sum + v[p]) % 1000003;
    return mix(i, sum) % 1000003;
  }
  [[nodiscard]] std::vector<long> expected() const {
    std::vector<long> v(value.size());
    for (unsigned i = 0; i < v.size(); ++i) v[i] = made_of(i, v);
    return v;
  }

  void compute(unsigned i) { value[i] = made_of(i, value); }

  /// A future of the nodes before `i`, by way of OpenMP's dependences.
  amity::future<void> inputs(unsigned i) {
    std::vector<amity::future<void>> all;
    for (unsigned p : before[i]) all.push_back(amity::omp_depend_in(&value[p]));
    return amity::when_all(std::move(all)).then(amity::launch::sync, [](auto) {});
  }

  // Functions of their own, because gcc 12 warns of iterators in a switch.
  void make_task(unsigned i) {
    const unsigned* const in = before[i].data();
    std::size_t const n = before[i].size();
    [[maybe_unused]] long* const v = value.data();
#pragma omp task depend(iterator(std::size_t k = 0 : n), in : v[in[k]]) depend(out : v[i]) firstprivate(i)
    compute(i);
  }

  void make_call(unsigned i) {
    const void* addresses[3] = {};
    std::size_t const n = before[i].size();
    for (std::size_t k = 0; k < 3; ++k) addresses[k] = n == 0 ? nullptr : &value[before[i][k % n]];
    auto compute_it = [this, i] { compute(i); };
    if (n == 0)
      static_cast<void>(amity::omp_task({.inout = {&value[i]}}, compute_it));
    else
      static_cast<void>(
          amity::omp_task({.in = {addresses[0], addresses[1], addresses[2]}, .inout = {&value[i]}}, compute_it));
  }

  void make_detached(unsigned i) {
    const unsigned* const in = before[i].data();
    std::size_t const n = before[i].size();
    [[maybe_unused]] long* const v = value.data();
    omp_event_handle_t done{};
    auto result = std::make_shared<amity::promise<void>>();
    auto ready = result->get_future();
#pragma omp task depend(iterator(std::size_t k = 0 \
                                 : n),             \
                        in                         \
                        : v[in[k]]) depend(out     \
                                           : v[i]) detach(done) firstprivate(i, result)
    amity::post([this, i, result] {
      compute(i);
      result->set_value();
    });
    amity::omp_fulfill_when(ready, done);
  }

  /// A future with an exception goes before, and counts as ready.
  void make_after_failure(unsigned i) {
    [[maybe_unused]] long* const v = value.data();
    auto fails = std::make_shared<amity::promise<int>>();  // of a task it would go to the finish around, too
    auto failed = fails->get_future();
    static_cast<void>(inputs(i).then(
        [fails](auto) { fails->set_exception(std::make_exception_ptr(std::runtime_error("planted"))); }));
    amity::omp_depend_out(failed, v + i);
#pragma omp task depend(inout : v[i]) firstprivate(i)
    compute(i);
  }

  void make(unsigned i) {
    switch (what[i]) {
      case kind::task:
        return make_task(i);
      case kind::call:
        return make_call(i);
      case kind::cpp:
        return amity::omp_depend_out(amity::async_await(inputs(i), [this, i] { compute(i); }), &value[i]);
      case kind::detached:
        return make_detached(i);
      default:
        return make_after_failure(i);
    }
  }

  void check_against(const std::vector<long>& right, const char* where) const { check(value == right, where, seed); }
};

void by_taskwait(unsigned seed) {
  graph g(seed);
  for (unsigned i = 0; i < g.value.size(); ++i) g.make(i);
#pragma omp taskwait
  g.check_against(g.expected(), "taskwait");
}

void by_taskgroup(unsigned seed) {
  graph g(seed);
#pragma omp taskgroup
  for (unsigned i = 0; i < g.value.size(); ++i) g.make(i);
  g.check_against(g.expected(), "taskgroup");
}

/// Waits for the last of each node's writers by futures alone.
void by_futures(unsigned seed) {
  graph g(seed);
  for (unsigned i = 0; i < g.value.size(); ++i) g.make(i);
  for (long& v : g.value) amity::omp_depend_inout(&v).get();
  g.check_against(g.expected(), "futures");
}

void by_barrier(unsigned seed) {
  graph g(seed);
#pragma omp parallel num_threads(3)
  {
#pragma omp single nowait
    for (unsigned i = 0; i < g.value.size(); ++i) g.make(i);
#pragma omp barrier
#pragma omp single
    g.check_against(g.expected(), "barrier");
  }
}

void anywhere(unsigned seed) {
  switch (seed % 4) {
    case 0:
      return by_taskwait(seed);
    case 1:
      return by_taskgroup(seed);
    case 2:
      return by_futures(seed);
    default:
      return by_barrier(seed);
  }
}

void named_by_the_future() {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    amity::promise<int> p;
    auto f = p.get_future().share();
    int seen = 0;
    amity::omp_depend_out(f);
#pragma omp task depend(in : f) shared(f, seen)
    seen = f.is_ready() ? f.get() : -1;
    amity::post([&p] { p.set_value(7); });
#pragma omp taskwait
    check(seen == 7, "depend(in: f)");
  }
}

void results_and_errors() {
#pragma omp parallel num_threads(2)
  {
    check(amity::omp_task([] { return 42; }).get() == 42, "the result of a task");
    auto failed = amity::omp_task([]() -> int { throw std::runtime_error("planted"); });
    bool caught = false;
    try {
      failed.get();
    } catch (const std::runtime_error&) {
      caught = true;
    }
    check(caught, "the exception of a task");
  }
}

/// Every thread of the team waits for what one of its queued tasks does: somebody else has to run them.
void all_members_wait() {
  for (int round = 0; round < 50; ++round) {
#pragma omp parallel num_threads(4)
    {
      amity::promise<int> p;
#pragma omp task shared(p)
      p.set_value(omp_get_thread_num() < omp_get_num_threads() ? 7 : -7);
      check(p.get_future().get() == 7, "a promise that a task keeps");
      int sum = 0;
      amity::finish([&] {
        auto parts = std::make_shared<amity::promise<int>>();
#pragma omp task firstprivate(parts)
        {
          int inner = 0;
#pragma omp taskgroup
          for (int i = 0; i < 5; ++i)
#pragma omp task shared(inner)
#pragma omp atomic
            ++inner;
          parts->set_value(inner);
        }
        amity::async([&sum, parts] { sum = parts->get_future().get(); });
      });
      check(sum == 5, "a finish that waits for a task's tasks");
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  omp_set_max_active_levels(4);
  unsigned const first = argc > 1 ? static_cast<unsigned>(std::atol(argv[1])) : 1;
  unsigned const count = argc > 2 ? static_cast<unsigned>(std::atol(argv[2])) : 40;
  named_by_the_future();
  results_and_errors();
  all_members_wait();
  for (unsigned seed = first; seed < first + count; ++seed) {
    anywhere(seed);  // outside of any region
#pragma omp parallel num_threads(3)
    anywhere(seed + 1000 + static_cast<unsigned>(omp_get_thread_num()));
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
    anywhere(seed + 2000);
    amity::finish([&] {
      for (unsigned i = 0; i < 4; ++i) amity::async([=] { anywhere(seed + 3000 + i); });
    });
  }
  std::puts(wrong != 0 ? "failed" : "ok");
  return wrong != 0;
}
