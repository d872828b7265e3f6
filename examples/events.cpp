// A program's own events beside its computing, without a thread that waits for them: a child process sends numbers
// through a pipe, and each one is a task when it comes. Meanwhile all workers compute; amity::attend sees to it that
// the numbers are not kept waiting for that.
//
//   child  --(pipe)-->  attend: reads a number, adds it up      ||      for_loop: as much computing as there is time
//
// The same works for a socket, a timerfd, the descriptor of an MPI library or of a message queue.
//
// Usage: events [numbers]
#include <sys/wait.h>
#include <unistd.h>

#include <amity/amity.hpp>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "usage.hpp"

namespace {

// What the child does: it knows nothing of Amity.
[[noreturn]] void send_numbers(int to, int numbers) {
  for (int i = 1; i <= numbers; ++i) {
    if (write(to, &i, sizeof i) != sizeof i) _exit(1);
    if (i % 10 == 0) usleep(500);
  }
  _exit(0);
}

// Some work for all workers.
double compute() {
  double sum = 0;
  amity::for_loop(amity::execution::par, 0, 200'000, amity::reduction_plus(sum),
                  [](int i, double& s) { s += 1.0 / (1.0 + i); });
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  answer_help(argc, argv, "[numbers = 200]");
  int const numbers = argc > 1 ? std::atoi(argv[1]) : 200;
  int ends[2];
  if (numbers < 1 || pipe(ends) != 0) return std::fprintf(stderr, "usage: events [numbers, from 1 on]\n"), 2;
  pid_t const child = fork();
  if (child < 0) return std::perror("events: fork"), 1;
  if (child == 0) send_numbers(ends[1], numbers);
  close(ends[1]);

  std::atomic<int> come{0};
  long sum = 0;
  amity::event over;
  int rounds = 0;
  {
    amity::attendance const events = amity::attend(ends[0], [&] {
      int number = 0;
      if (read(ends[0], &number, sizeof number) != sizeof number) return;
      sum += number;
      if (++come == numbers) over.set();
    });
    for (; come.load() < numbers; ++rounds) compute();
    over.wait();
  }  // from here on nobody reads
  waitpid(child, nullptr, 0);
  close(ends[0]);
  std::printf("%d numbers came beside %s of computing, their sum is %ld\n", numbers,
              rounds == 1 ? "one round" : "many rounds", sum);
  return sum == static_cast<long>(numbers) * (numbers + 1) / 2 ? 0 : 1;
}
