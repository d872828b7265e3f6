// Heat in a rod, a task for each block of cells, and two ways to keep them in step:
//
//   barrier          one phaser for all: each step, everybody signals and waits for everybody
//   point to point   a phaser for each block: its task only signals it, and the neighbours only wait for it. A block
//   that
//                    is late holds up its neighbours, not the rod
//
// There may be many more blocks than cores: a task that waits in a phaser gives its core to another one.
//
// Usage: heat_phasers [cells [steps [blocks]]]. Both are compared, bit by bit, with a serial computation.
#include <algorithm>
#include <amity/amity.hpp>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "usage.hpp"

namespace {

// The rod at two times: what is read, and what is written.
struct rod {
  std::vector<double> at[2];

  explicit rod(int cells) {
    for (auto& x : at) {
      x.assign(cells, 0.0);
      x.front() = 100.0;
    }
  }
  // Cells [first, last) from time `step` to the next. The two ends keep their temperature.
  void advance(int step, int first, int last) {
    const std::vector<double>& from = at[step % 2];
    std::vector<double>& to = at[(step + 1) % 2];
    first = std::max(first, 1);
    last = std::min(last, static_cast<int>(to.size()) - 1);
    for (int i = first; i < last; ++i) to[i] = from[i] + 0.25 * (from[i - 1] - 2 * from[i] + from[i + 1]);
  }
};

struct problem {
  int cells, steps, blocks;
  [[nodiscard]] int begin(int block) const { return static_cast<int>(static_cast<long>(cells) * block / blocks); }
};

void by_barrier(rod& r, const problem& p) {
  amity::finish([&] {
    amity::phaser all;
    for (int b = 0; b < p.blocks; ++b)
      amity::async_phased({{all, amity::phaser_mode::signal_wait}}, [&r, &p, b, all]() mutable {
        for (int step = 0; step < p.steps; ++step) {
          r.advance(step, p.begin(b), p.begin(b + 1));
          all.next();
        }
      });
    all.drop();  // its maker takes part in it, too, until here
  });
}

void by_neighbours(rod& r, const problem& p) {
  std::vector<amity::phaser> done(p.blocks);  // block b has finished as many steps as done[b] has phases
  amity::finish([&] {
    for (int b = 0; b < p.blocks; ++b) {
      std::vector<amity::phased_with> parts = {{done[b], amity::phaser_mode::signal_only}};
      if (b > 0) parts.push_back({done[b - 1], amity::phaser_mode::wait_only});
      if (b + 1 < p.blocks) parts.push_back({done[b + 1], amity::phaser_mode::wait_only});
      amity::async_phased(parts, [&r, &p, &done, b] {
        for (int step = 0; step < p.steps; ++step) {
          r.advance(step, p.begin(b), p.begin(b + 1));
          // From here on the neighbours may read what was written, and overwrite what was read.
          done[b].signal();
          if (b > 0) done[b - 1].next();
          if (b + 1 < p.blocks) done[b + 1].next();
        }
      });
    }
    for (auto& one : done) one.drop();
  });
}

}  // namespace

int main(int argc, char** argv) {
  answer_help(argc, argv, "[cells = 4000] [steps = 200] [tasks = 16]");
  int const cells = std::max(3, argc > 1 ? std::atoi(argv[1]) : 4000);
  int const steps = std::max(0, argc > 2 ? std::atoi(argv[2]) : 200);
  int const blocks = std::clamp(argc > 3 ? std::atoi(argv[3]) : 16, 1, cells);
  problem const p{cells, steps, blocks};

  rod serial(cells), barrier(cells), neighbours(cells);
  for (int step = 0; step < steps; ++step) serial.advance(step, 0, cells);
  by_barrier(barrier, p);
  by_neighbours(neighbours, p);

  auto const& right = serial.at[steps % 2];
  bool const barrier_right = barrier.at[steps % 2] == right, neighbours_right = neighbours.at[steps % 2] == right;
  std::printf("%d cells, %d steps, %d tasks: barrier %s, point to point %s\n", cells, steps, blocks,
              barrier_right ? "right" : "WRONG", neighbours_right ? "right" : "WRONG");
  return barrier_right && neighbours_right ? 0 : 1;
}
