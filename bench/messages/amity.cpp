// What a message between processes costs with Amity. mpi.cpp does the same with MPI.
//
//   amity run -n 2 build/bench/messages_amity
//
// Rank 0 calls rank 1. Ranks beyond the second wait in a barrier meanwhile.
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "amity/distributed.hpp"
#include "messages/amity_job.hpp"
#include "messages/items.hpp"

namespace {

using ranks::figure;
using ranks::item;
using ranks::job;
using ranks::settings;

/// What rank 0 does alone.
template <class F>
item at_rank_0(std::string name, F f) {
  return ranks::repeated(std::move(name), [f = std::move(f)](job& j) {
    if (j.rank() == 0) f();
  });
}

// --- calls

void call_small() {
  amity::rpc(
      1, [](int x) { return x; }, 1)
      .get();
}

std::vector<char> give_back(const std::vector<char>& bytes) {
  return amity::rpc(
             1, [](std::vector<char> v) { return v; }, bytes)
      .get();
}

item call_with(std::size_t bytes) {
  std::vector<char> const some(bytes, 'x');
  item made = at_rank_0(messages::sized("round_trip", bytes), [some] { give_back(some); });
  made.check = [some](job& j) { return j.rank() != 0 || give_back(some) == some; };
  return made;
}

void call_window() {
  std::vector<amity::future<void>> all;
  for (int i = 0; i < messages::window; ++i)
    all.push_back(amity::rpc(
        1, [](int) {}, i));
  for (auto& f : all) f.get();
}

bool calls_come_back(job& j) {
  if (j.rank() != 0) return true;
  return amity::rpc(
             1, [](std::vector<int> v) { return v.size() == 3 ? v[2] + amity::rank_me() : 0; }, std::vector{5, 6, 7})
             .get() == 8;
}

// --- put and get

amity::global_ptr<char> there;
std::vector<char> here;

void prepare_memory(job& j) {
  if (j.rank() != 0) return;
  here.assign(messages::most_bytes, 'x');
  there = amity::allocate<char>(1, messages::most_bytes);
}
void free_memory(job& j) {
  if (j.rank() != 0) return;
  amity::deallocate(there);
  here = {};
}

/// What was put is what is got.
bool memory_is_kept(job& j) {
  if (j.rank() != 0) return true;
  for (std::size_t i = 0; i < here.size(); ++i) here[i] = static_cast<char>(i * 7);
  std::vector<char> back(here.size());
  amity::rput(here.data(), there, here.size()).get();
  amity::rget(there, back.data(), back.size()).get();
  return back == here;
}

item transfer(item of) {
  of.prepare = prepare_memory;
  of.finish = free_memory;
  of.check = memory_is_kept;
  return of;
}
item put(std::size_t bytes) {
  return transfer(at_rank_0(messages::sized("put", bytes), [bytes] { amity::rput(here.data(), there, bytes).get(); }));
}
item get(std::size_t bytes) {
  return transfer(at_rank_0(messages::sized("get", bytes), [bytes] { amity::rget(there, here.data(), bytes).get(); }));
}

// --- a rank that sleeps

std::vector<double> late;  // at rank 1

/// Rank 0's, of rank 1: microseconds from a call until it runs, where nothing has gone on for a while.
std::vector<double> wakes(job& j, const settings& how) {
  std::vector<double> seen;
  j.barrier();
  if (j.rank() == 0) {
    for (int i = 0; i < messages::wakes_for_a_sample * how.samples; ++i) {
      std::this_thread::sleep_for(messages::idle_time);
      double const sent = ranks::now_us();
      amity::rpc(1, [sent] { late.push_back(ranks::now_us() - sent); }).get();
    }
    seen = amity::rpc(1, [] { return std::exchange(late, {}); }).get();
  }
  j.barrier();
  return seen;
}

// --- finish

struct finish_cost {
  double us = 0;
  double messages = 0;
};

std::uint64_t all_messages(int n) {
  std::uint64_t all = 0;
  for (int r = 0; r < n; ++r) all += amity::rpc(r, amity::net::messages_sent).get();
  return all;
}

/// Of a task of those that rank 0 makes on all others. Counting takes messages itself: those are taken off.
finish_cost tasks_in_finish(job& j) {
  constexpr int tasks = 2000;
  int const n = j.size();
  finish_cost cost;
  j.barrier();
  if (j.rank() == 0) {
    std::uint64_t const first = all_messages(n);
    std::uint64_t const before = all_messages(n);
    double const begun = ranks::now_us();
    amity::finish([n] {
      for (int i = 0; i < tasks; ++i) amity::rpc_ff(1 + i % (n - 1), [] {});
    });
    cost.us = (ranks::now_us() - begun) / tasks;
    std::uint64_t const after = all_messages(n);
    cost.messages = static_cast<double>((after - before) - (before - first)) / tasks;
  }
  j.barrier();
  return cost;
}

item in_finish(std::string name, std::string unit, double finish_cost::*of) {
  return ranks::measured(std::move(name), std::move(unit), [of](job& j, const settings& how) {
    std::vector<double> each;
    for (int i = 0; i <= how.samples; ++i) {
      double const one = tasks_in_finish(j).*of;
      if (i > 0) each.push_back(one);  // the first makes connections
    }
    return figure{ranks::median(each), 0, 1, how.samples};
  });
}

std::vector<item> make(const settings&) {
  std::vector<item> all{ranks::start_of_job(), at_rank_0("round_trip", call_small)};
  all.back().check = calls_come_back;
  for (std::size_t bytes : messages::round_trip_sizes) all.push_back(call_with(bytes));
  all.push_back(at_rank_0("in_window", call_window));
  all.back().per_run = messages::window;
  for (std::size_t bytes : messages::transfer_sizes) all.push_back(put(bytes));
  for (std::size_t bytes : messages::transfer_sizes) all.push_back(get(bytes));
  messages::add_wakes(all, wakes);
  all.push_back(ranks::idle_cpu());
  all.push_back(in_finish("task_in_finish", "", &finish_cost::us));
  all.push_back(in_finish("messages_in_finish", "messages", &finish_cost::messages));
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  return ranks::bench_main({.name = "messages", .make = make, .join = ranks::join_amity}, argc, argv);
}
