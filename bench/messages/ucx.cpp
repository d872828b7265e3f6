// The same as amity.cpp by UCX alone, as its engine has it: active messages and polls, and nothing around them. It
// makes its processes by itself, on this machine.
//
//   build/bench/messages_ucx --ranks 2
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "messages/items.hpp"
#include "messages/ucx_link.hpp"

namespace {

using ranks::item;
using ranks::job;
using ranks::settings;
using ranks::ucx_link;

constexpr int most_ranks = 1024;
int wanted_ranks = 2;

/// Memory of all processes.
struct board {
  std::atomic<int> arrived{0};
  std::atomic<int> generation{0};
  double values[most_ranks];
  char addresses[2][4096];
  char key[4096];
  char* start;
};
board& all_see() {
  static auto* const one =
      new (mmap(nullptr, sizeof(board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) board;
  return *one;
}

template <class To>
void copy_to(To& to, const std::vector<char>& bytes) {
  if (bytes.size() > sizeof to) std::exit(1);
  std::memcpy(to, bytes.data(), bytes.size());
}

/// Ranks 0 and 1 have links to one another; the others are there to be waited for.
class ucx_job final : public job {
 public:
  ucx_job(int rank, std::vector<pid_t> children) : job(rank, wanted_ranks), children_(std::move(children)) {
    if (rank < 2) copy_to(all_see().addresses[rank], link.emplace().address());
    barrier();
    if (rank < 2) link->connect(all_see().addresses[1 - rank]);
  }
  ~ucx_job() override {
    barrier();
    link.reset();
    for (pid_t child : children_) waitpid(child, nullptr, 0);
  }

  void barrier() override {
    board& b = all_see();
    int const now = b.generation.load(std::memory_order_acquire);
    // Its release makes what this rank has written seen by those that go on after the last one's.
    if (b.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == size()) {
      b.arrived.store(0, std::memory_order_relaxed);
      b.generation.store(now + 1, std::memory_order_release);
      return;
    }
    while (b.generation.load(std::memory_order_acquire) == now) {
      if (link) link->progress();
      sched_yield();
    }
  }
  double most(double value) override {
    all_see().values[rank()] = value;
    barrier();
    double const greatest = *std::max_element(all_see().values, all_see().values + size());
    barrier();
    return greatest;
  }

  std::optional<ucx_link> link;

 private:
  std::vector<pid_t> children_;
};

std::unique_ptr<job> join() {
  all_see();
  std::vector<pid_t> children;
  for (int rank = 1; rank < wanted_ranks; ++rank) {
    pid_t const child = fork();
    if (child < 0) std::exit(1);
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      return std::make_unique<ucx_job>(rank, std::vector<pid_t>());
    }
    children.push_back(child);
  }
  return std::make_unique<ucx_job>(0, std::move(children));
}

ucx_link& link_of(job& j) { return *static_cast<ucx_job&>(j).link; }

// --- there and back

void ping_pong(job& j, const std::vector<char>& bytes) {
  if (j.rank() > 1) return;
  ucx_link& link = link_of(j);
  if (j.rank() == 1) link.await(1);
  link.send(bytes.data(), bytes.size());
  if (j.rank() == 0) link.await(1);
  link.flush();
}

item round_trip(std::string name, std::size_t bytes) {
  item made =
      ranks::repeated(std::move(name), [buffer = std::vector<char>(bytes, 'x')](job& j) { ping_pong(j, buffer); });
  made.check = [bytes](job& j) {
    std::vector<char> const buffer(bytes, static_cast<char>('a' + j.rank()));
    ping_pong(j, buffer);
    if (j.rank() > 1) return true;
    auto const came = link_of(j).received().first(bytes);
    return std::all_of(came.begin(), came.end(), [&](char c) { return c == 'b' - j.rank(); });
  };
  return made;
}

void send_window(job& j) {
  static const std::vector<char> bytes(messages::small_bytes);
  if (j.rank() > 1) return;
  ucx_link& link = link_of(j);
  if (j.rank() == 0)
    for (int i = 0; i < messages::window; ++i) link.send(bytes.data(), bytes.size());
  else
    link.await(messages::window);
  if (j.rank() == 1) link.send(bytes.data(), 1);
  if (j.rank() == 0) link.await(1);
  link.flush();
}

// --- put and get

std::vector<char> here(messages::most_bytes);

void prepare_memory(job& j) {
  if (j.rank() == 1) {
    all_see().start = link_of(j).share(messages::most_bytes);
    copy_to(all_see().key, link_of(j).key());
  }
  j.barrier();
  if (j.rank() == 0) link_of(j).map(all_see().start, all_see().key);
}
void free_memory(job& j) {
  if (j.rank() == 0) link_of(j).unmap();
  j.barrier();
  if (j.rank() == 1) link_of(j).unshare();
}
bool memory_is_kept(job& j) {
  if (j.rank() != 0) return true;
  for (std::size_t i = 0; i < here.size(); ++i) here[i] = static_cast<char>(i * 7);
  std::vector<char> back(here.size());
  link_of(j).put(here.data(), here.size());
  link_of(j).get(back.data(), back.size());
  return back == here;
}

template <class F>
item transfer(const char* name, std::size_t bytes, F f) {
  item made = ranks::repeated(messages::sized(name, bytes), [f](job& j) {
    if (j.rank() == 0) f(link_of(j));
  });
  made.prepare = prepare_memory;
  made.finish = free_memory;
  made.check = memory_is_kept;
  return made;
}
item put(std::size_t bytes) {
  return transfer("put", bytes, [bytes](ucx_link& link) { link.put(here.data(), bytes); });
}
item get(std::size_t bytes) {
  return transfer("get", bytes, [bytes](ucx_link& link) { link.get(here.data(), bytes); });
}

std::vector<item> make(const settings&) {
  std::vector<item> all{ranks::left_out("start", "no launcher starts it")};
  all.push_back(round_trip("round_trip", messages::small_bytes));
  for (std::size_t bytes : messages::round_trip_sizes)
    all.push_back(round_trip(messages::sized("round_trip", bytes), bytes));
  all.push_back(ranks::repeated("in_window", send_window));
  all.back().per_run = messages::window;
  for (std::size_t bytes : messages::transfer_sizes) all.push_back(put(bytes));
  for (std::size_t bytes : messages::transfer_sizes) all.push_back(get(bytes));
  for (const char* name : {"wake_p50", "wake_p99", "idle_cpu", "task_in_finish", "messages_in_finish"})
    all.push_back(ranks::left_out(name, "it only polls"));
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<char*> words;
  for (int i = 0; i < argc; ++i)
    if (std::string_view(argv[i]) == "--ranks" && i + 1 < argc)
      wanted_ranks = std::clamp(std::atoi(argv[++i]), 1, most_ranks);
    else
      words.push_back(argv[i]);
  return ranks::bench_main({.name = "messages", .make = make, .join = join}, static_cast<int>(words.size()),
                           words.data());
}
