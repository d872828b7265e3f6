// A rank is lost in a job that goes on; losses.py starts it and looks. The first argument says what is to happen. Every
// rank that has seen what it should says "rank N: ok".
#include "amity/net/losses.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <numeric>
#include <thread>

#include "amity/accel.hpp"
#include "check.hpp"

namespace accel = amity::accel;
using namespace std::chrono_literals;
using test::check;
using test::thrown;

namespace {

void die() { kill(getpid(), SIGKILL); }

bool soon(const std::function<bool()>& holds) {
  for (int i = 0; i < 2000; ++i) {
    if (holds()) return true;
    amity::this_thread::sleep_for(5ms);
  }
  return false;
}

// `f` fails in an exception of that type, because `rank` was lost.
template <class E, class F>
void fails(F f, int rank, const std::string& what) {
  std::string const words = thrown<E>(f);
  bool const by_loss = words.find("rank " + std::to_string(rank) + " was lost") != std::string::npos;
  check(by_loss && words.rfind("another one", 0) != 0, what + " says: " + words);
}

void await_loss_of(int rank) {
  check(soon([rank] { return amity::net::is_lost(rank); }), "the loss is seen");
}

const char* const kernels = R"(
AMITY_KERNEL void twice(AMITY_GLOBAL int* x) { x[AMITY_GLOBAL_ID(0)] *= 2; }
AMITY_KERNEL void wait_long(AMITY_GLOBAL int* x, int rounds) {
  int y = x[0];
  for (int i = 0; i < rounds; ++i) y = y * 1664525 + 1013904223 + (y >> 3);
  x[0] = y;
})";

// Rank 0 uses the devices of ranks 1 and 2; rank 1 is lost while it computes.
void devices() {
  if (amity::rank_me() != 0) return;
  auto const all = accel::remote_devices().get();
  auto const of_rank = [&](int rank) {
    return *std::find_if(all.begin(), all.end(), [rank](const accel::device& d) { return d.rank() == rank; });
  };
  auto const lost = of_rank(1), other = of_rank(2);
  std::vector<int> const values(1000, 21);
  auto here = lost.upload(values), there = other.upload(values);
  auto program = lost.program(accel::source(kernels)), same = other.program(accel::source(kernels));
  auto twice = program.kernel<void(int*)>("twice");
  twice({.grid = 10, .block = 100}, here);
  check(here.read(0, 1).get().at(0) == 42, "it works before");
  auto endless = program.kernel<void(int*, int)>("wait_long");
  auto running = endless({.grid = 1, .block = 1}, here, 2'000'000'000);
  auto after = here.read();         // waits for it
  auto across = copy(here, there);  // between the two others
  auto behind = there.read();       // waits for the copy
  auto call = amity::rpc(1, [] {
    return amity::async([] {
      amity::this_thread::sleep_for(1000s);
      return 1;
    });
  });
  auto copied = amity::async([after = std::move(after)]() mutable { return after.get().size(); });
  amity::rpc_ff(1, die);
  fails<accel::device_error>([&] { running.get(); }, 1, "a launch");
  fails<accel::device_error>([&] { copied.get(); }, 1, "a read");
  fails<accel::device_error>([&] { across.get(); }, 1, "a copy");
  fails<accel::device_error>([&] { behind.get(); }, 1, "what waits for the copy");
  fails<amity::lost_rank>([&] { call.get(); }, 1, "a call");
  await_loss_of(1);

  // What is asked for later.
  fails<accel::device_error>([&] { here.read().get(); }, 1, "later");
  fails<accel::device_error>([&] { lost.upload(values).read().get(); }, 1, "a new buffer");
  fails<accel::device_error>([&] { lost.program(accel::source("AMITY_KERNEL void x() {}")).build().get(); }, 1,
                             "a new program");
  fails<accel::device_error>([&] { program.binary().get(); }, 1, "its binary");
  fails<amity::lost_rank>([&] { amity::rpc(1, [] {}).get(); }, 1, "a call later");
  for (const accel::device& d : accel::devices().get()) check(d.rank() != 1, "it has no devices any more");

  // The others work.
  auto more = other.upload(values);
  same.kernel<void(int*)>("twice")({.grid = 10, .block = 100}, more);
  check(more.read(999, 1).get().at(0) == 42, "another's device works");
  check(amity::rpc(2, [] { return amity::rank_me(); }).get() == 2, "another answers");
  if (auto const own = accel::local_devices().get(); !own.empty())
    check(own[0].upload(values).read().get() == values, "a device of this process works");
}

// Device operations within a finish: it gets the error, and the process goes on.
void in_finish() {
  if (amity::rank_me() != 0) return;
  auto const all = accel::remote_devices().get();
  auto const lost = *std::find_if(all.begin(), all.end(), [](const accel::device& d) { return d.rank() == 1; });
  auto x = lost.upload(std::vector<int>(10, 1));
  pid_t const its = amity::rpc(1, getpid).get();
  fails<accel::device_error>(
      [&] {
        amity::finish([&] {
          static_cast<void>(x.read());
          kill(its, SIGKILL);
          await_loss_of(1);
          x.fill(3);
        });
      },
      1, "a finish");
}

// The rank that has asked is lost; those that it has asked end together.
void client() {
  if (amity::rank_me() != 0) {
    await_loss_of(0);
    if (amity::rank_me() == 1)
      check(amity::rpc(2, [] { return amity::rank_me(); }).get() == 2, "the others speak to one another");
    return;
  }
  for (const accel::device& d : accel::remote_devices().get()) {
    auto program = d.program(accel::source(kernels));
    auto x = d.upload(std::vector<int>(100'000, 1));
    program.kernel<void(int*)>("twice")({.grid = 1000, .block = 100}, x);
    amity::rpc(
        d.rank(), [](accel::buffer<int> b) { return b.read(0, 1); }, x)
        .get();
    static_cast<void>(x.read());
  }
  die();
}

// Ranks that have come to their ends: `which` is lost there, and the others end.
void at_end(int which) {
  int const killer = which == 0 ? 1 : 0;
  if (amity::rank_me() != killer) return;
  pid_t const its = amity::rpc(which, getpid).get();
  amity::this_thread::sleep_for(500ms);
  kill(its, SIGKILL);
  await_loss_of(which);
}

void memory() {
  if (amity::rank_me() == 1) await_loss_of(2);
  if (amity::rank_me() != 0) return;
  amity::global_ptr<int> const p = amity::rpc(2, [] { return amity::new_array<int>(1 << 20); }).get();
  std::vector<int> values(1 << 20, 1);
  amity::rput(values.data(), p, values.size()).get();
  amity::rpc_ff(2, die);
  await_loss_of(2);
  if (std::getenv("AMITY_TEST_FAR_MEMORY") == nullptr) return;  // it is still mapped here
  fails<amity::lost_rank>([&] { amity::rput(values.data(), p, values.size()).get(); }, 2, "rput");
  fails<amity::lost_rank>([&] { amity::rget(p, values.data(), values.size()).get(); }, 2, "rget");
}

void collective() {
  if (amity::rank_me() == 2) die();
  await_loss_of(2);
  namespace co = amity::collectives;
  fails<co::collective_error>([] { co::all_reduce(co::world(), 1, std::plus<>()).get(); }, 2, "a collective operation");
}

// What a rank had sent before it died counts: the others come out of the barrier that it has come out of.
void after_barrier() {
  if (amity::rank_me() == 2) die();
}

// Rank 1 ends right behind the word that the job goes on; rank 2, which has not said it, looks at both late.
void told_just_before() {
  if (amity::rank_me() == 0) {
    amity::go_on_after_losses();
    fails<amity::lost_rank>([] { amity::rpc(1, die).get(); }, 1, "a call of it");
    check(amity::rpc(2, [] { return amity::rank_me(); }).get() == 2, "rank 2 answers");
  }
  if (amity::rank_me() == 2) {
    auto const end = std::chrono::steady_clock::now() + 50ms;
    while (std::chrono::steady_clock::now() < end) continue;
  }
}

// What can't be done without the lost rank ends the job.
void barrier() {
  if (amity::rank_me() == 2) die();
  amity::barrier_all();
}
void finish() {
  if (amity::rank_me() != 0) return;
  amity::finish([] { amity::rpc_ff(2, [] { die(); }); });
}

}  // namespace

int main(int argc, char** argv) {
  std::string const how = argc > 1 ? argv[1] : "";
  if ((how == "devices" || how == "in_finish" || how == "client") &&
      accel::remote_devices().get().size() < static_cast<std::size_t>(amity::rank_n() - 1))
    return 77;
  if (how == "without_word") {  // a job that has not said that it goes on
    amity::barrier_all();
    if (amity::rank_me() == 2) die();
    amity::this_thread::sleep_for(60s);
    return 0;
  }
  if (how == "told_just_before") {
    told_just_before();
  } else {
    amity::net::go_on_after_losses();
    amity::barrier_all();
  }
  if (how == "devices") devices();
  if (how == "in_finish") in_finish();
  if (how == "client") client();
  if (how == "last_at_end") at_end(amity::rank_n() - 1);
  if (how == "first_at_end") at_end(0);
  if (how == "memory") memory();
  if (how == "collective") collective();
  if (how == "after_barrier") after_barrier();
  if (how == "barrier") barrier();
  if (how == "finish") finish();
  if (test::wrong == 0) std::printf("rank %d: ok\n", amity::rank_me());
  std::fflush(stdout);
  return test::wrong != 0;
}
