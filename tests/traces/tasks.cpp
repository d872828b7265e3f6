// Tasks that read from a pipe, twice as many as there are cores at either end of the queue, and those between them
// that fill it.
#include <unistd.h>

#include <cstdio>
#include <thread>
#include <vector>

#include "amity/amity.hpp"

int main() {
  int const blocked = 2 * static_cast<int>(std::thread::hardware_concurrency());
  for (int round = 0; round < 10; ++round) {
    int pipe_ends[2];
    if (pipe(pipe_ends) != 0) return 1;
    auto const reader = [&] {
      char c;
      if (read(pipe_ends[0], &c, 1) != 1) std::puts("no byte");
    };
    amity::finish([&] {
      for (int i = 0; i < blocked; ++i) amity::async(reader);  // a thief begins with these
      for (int i = 0; i < 2 * blocked; ++i)
        amity::async([&] {
          usleep(1000);
          if (write(pipe_ends[1], "x", 1) != 1) std::puts("not written");
        });
      for (int i = 0; i < blocked; ++i) amity::async(reader);  // and their maker with these
    });
    close(pipe_ends[0]), close(pipe_ends[1]);
  }
  std::puts("ok");
}
