// How soon a source of progress is polled after its descriptor became readable, and what it costs to wait for that:
// with all workers asleep, with all of them in tasks of a second, and with nothing to do at all.
//
//   progress_latency [arrivals]
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "amity/amity.hpp"
#include "amity/sched/loop/progress.hpp"

namespace {

using clock_type = std::chrono::steady_clock;
using namespace std::chrono_literals;

double now_us() { return std::chrono::duration<double, std::micro>(clock_type::now().time_since_epoch()).count(); }

struct timed_source : amity::sched::progress_source {
  std::atomic<double> sent{0};
  std::atomic<bool> taken{true};
  std::vector<double> latencies;

  timed_source() {
    fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    poll = [](progress_source& s) noexcept {
      auto& me = static_cast<timed_source&>(s);
      std::uint64_t n;
      if (read(me.fd, &n, sizeof n) != sizeof n) return 0;
      me.latencies.push_back(now_us() - me.sent.load());
      me.taken = true;
      return 1;
    };
    wanted = [](const progress_source&) noexcept { return true; };
  }
  void send() {
    taken = false;
    sent = now_us();
    std::uint64_t const one = 1;
    if (write(fd, &one, sizeof one) != sizeof one) std::abort();
    while (!taken) std::this_thread::sleep_for(20us);
  }
};

void report(const char* what, std::vector<double> l) {
  std::sort(l.begin(), l.end());
  auto const at = [&](double part) { return l[static_cast<std::size_t>(part * static_cast<double>(l.size() - 1))]; };
  std::printf("%-28s %8zu arrivals; us: median %8.1f, 99 %% %8.1f, 99.9 %% %8.1f, most %8.1f\n", what, l.size(),
              at(0.5), at(0.99), at(0.999), l.back());
  std::fflush(stdout);
}

double cpu_seconds() {
  rusage r{};
  getrusage(RUSAGE_SELF, &r);
  return static_cast<double>(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

}  // namespace

int main(int argc, char** argv) {
  int const arrivals = argc > 1 ? std::atoi(argv[1]) : 100'000;
  auto& s = *new timed_source;
  if (arrivals < 100 || amity::sched::attend(s) != 0) return std::fprintf(stderr, "progress_latency [100...]\n"), 2;

  amity::sync::event over;
  std::thread sender([&] {  // a thread that Amity does not know
    std::mt19937 random(1);
    for (int i = 0; i < arrivals; ++i) {
      s.send();
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 64 == 0 ? random() % 20'000 : random() % 400));
    }
  });
  std::thread waiter([&] {
    sender.join();
    over.set();
  });
  over.wait();  // the initial thread sleeps, too
  waiter.join();
  report("all asleep", s.latencies);

  s.latencies.clear();
  int const busy_arrivals = std::max(100, arrivals / 500);
  std::atomic<bool> enough{false};
  auto const compute = [&] {
    while (!enough) {
      auto const end = clock_type::now() + 1s;
      while (clock_type::now() < end && !enough) {
      }
    }
  };
  {
    amity::finish([&] {
      for (int i = 1; i < amity::sched::worker_count(); ++i) amity::post(compute);
      std::thread other([&] {
        std::mt19937 random(2);
        for (int i = 0; i < busy_arrivals; ++i) {
          s.send();
          std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
        }
        enough = true;
      });
      compute();
      other.join();
    });
  }
  report("all workers compute", s.latencies);

  std::this_thread::sleep_for(200ms);
  double const before = cpu_seconds();
  amity::this_task::sleep_for(3s);
  std::printf("nothing to do: %.2f %% of a core\n", 100 * (cpu_seconds() - before) / 3);
  amity::sched::dismiss(s);
  return 0;
}
