// What a message between processes costs with Amity: beside mpi.cpp, which does the same with MPI. Run by measure.py.
//
//   amity run -n 2 build/bench/messages_amity
//
// Each line: a name, and microseconds: the median over rounds. Ranks beyond the second wait in a barrier meanwhile.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "amity/distributed.hpp"
#include "amity/sync/this_task.hpp"

namespace {

constexpr int rounds = 15;

double now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double cpu_us() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
}
double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

void report(const std::string& name, double us) { std::printf("%s %.4f\n", name.c_str(), us), std::fflush(stdout); }

/// Microseconds of one of `times` calls, at rank 0.
template <class F>
void measure(const std::string& name, int times, F f) {
  amity::barrier_all();
  if (amity::rank_me() == 0) {
    std::vector<double> each;
    for (int r = 0; r <= rounds; ++r) {
      double const begun = now_us();
      for (int i = 0; i < times; ++i) f();
      if (r > 0) each.push_back((now_us() - begun) / times);
    }
    report(name, median(each));
  }
  amity::barrier_all();
}

void round_trips() {
  measure("round_trip", 2000, [] {
    amity::rpc(
        1, [](int x) { return x; }, 1)
        .get();
  });
  std::vector<char> const some(1000);
  measure("round_trip_1000_bytes", 1000, [&] {
    amity::rpc(
        1, [](std::vector<char> v) { return v.size(); }, some)
        .get();
  });
  measure("rate_of_64", 100, [] {  // microseconds for 64 calls at once
    std::vector<amity::future<void>> all;
    for (int i = 0; i < 64; ++i)
      all.push_back(amity::rpc(
          1, [](int) {}, i));
    for (auto& f : all) f.get();
  });
}

void transfers() {
  constexpr std::size_t large = 1 << 20;
  auto const there = amity::rank_me() == 0 ? amity::allocate<char>(1, large) : nullptr;
  std::vector<char> mine(large);
  measure("put_8_bytes", 10'000, [&] { amity::rput(mine.data(), there, 8).get(); });
  measure("put_1_MiB", 50, [&] { amity::rput(mine.data(), there, large).get(); });
  measure("get_1_MiB", 50, [&] { amity::rget(there, mine.data(), large).get(); });
}

void wakes() {
  amity::barrier_all();
  static std::vector<double> late;
  if (amity::rank_me() == 0) {
    for (int i = 0; i < 200; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      double const sent = now_us();
      amity::rpc(1, [sent] { late.push_back(now_us() - sent); }).get();
    }
    auto const both = amity::rpc(1, [] {
                        std::sort(late.begin(), late.end());
                        return std::pair(late[late.size() / 2], late[late.size() * 99 / 100]);
                      }).get();
    report("wake_after_2_ms", both.first);
    report("wake_after_2_ms_99_percent", both.second);
    double const cpu = amity::rpc(1, cpu_us).get();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    report("idle_percent_of_a_core", (amity::rpc(1, cpu_us).get() - cpu) / 1e4);
  }
  amity::barrier_all();
}

void collectives() {
  namespace co = amity::collectives;
  auto const all = co::world();
  auto const time = [](const std::string& name, int times, auto f) {
    std::vector<double> each;
    for (int r = 0; r <= rounds; ++r) {
      amity::barrier_all();
      double const begun = now_us();
      for (int i = 0; i < times; ++i) f();
      if (r > 0) each.push_back((now_us() - begun) / times);
    }
    if (amity::rank_me() == 0) report(name, median(each));
  };
  time("barrier_all", 200, [] { amity::barrier_all(); });
  time("barrier", 200, [&] { co::barrier(all).get(); });
  for (std::size_t bytes : {8u, 1024u, 65536u, 1048576u}) {
    std::vector<double> values(bytes / 8, 1.0);
    int const times = bytes < 65536 ? 200 : 10;
    std::string const size = "_" + std::to_string(bytes);
    time("broadcast" + size, times, [&] { co::broadcast(all, std::span(values)).get(); });
    time("reduce" + size, times, [&] { co::reduce(all, std::span(values), std::plus<>()).get(); });
    time("all_reduce" + size, times, [&] { co::all_reduce(all, std::span(values), std::plus<>()).get(); });
    std::fill(values.begin(), values.end(), 1.0);
  }
}

void finishes() {
  int const n = amity::rank_n();
  amity::barrier_all();
  if (amity::rank_me() == 0) {
    std::uint64_t before = 0;
    for (int r = 0; r < n; ++r) before += amity::rpc(r, amity::net::messages_sent).get();
    constexpr int tasks = 2000;
    double const begun = now_us();
    amity::finish([n] {
      for (int i = 0; i < tasks; ++i) amity::rpc_ff(1 + i % (n - 1), [] {});
    });
    report("task_in_finish", (now_us() - begun) / tasks);
    std::uint64_t after = 0;
    for (int r = 0; r < n; ++r) after += amity::rpc(r, amity::net::messages_sent).get();
    report("messages_for_a_task", static_cast<double>(after - before) / tasks);
  }
  amity::barrier_all();
}

}  // namespace

int main() {
  if (amity::rank_n() < 2) return std::puts("two processes are needed"), 1;
  round_trips();
  transfers();
  wakes();
  collectives();
  finishes();
}
