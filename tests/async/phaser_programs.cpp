// Random programs of phasers against a sequential model. A plan says beforehand what each task does: with which phasers
// and in which modes it is registered, where it goes on to the next phase, signals first and waits later, begins other
// tasks with some of its phasers, leaves. From the plan follows who signals each phase. A task that has waited for a
// phase must find exactly those signals, and what the signallers wrote before.
//
// In every round each task goes on in all of its phasers, in the order of their numbers, so the programs can't deadlock
// by themselves.
//
//   phaser_programs [FIRST_SEED [PROGRAMS]]
#include <amity/amity.hpp>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "seeds.hpp"

namespace {

constexpr unsigned most_phasers = 3, most_tasks = 40, most_rounds = 12;

struct numbers {
  unsigned state;
  unsigned next(unsigned below) noexcept {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
  }
};

using mode = amity::phaser_mode;
constexpr unsigned none = 0;
constexpr bool signals(unsigned m) noexcept { return (m & 1u) != 0; }
constexpr bool waits(unsigned m) noexcept { return (m & 2u) != 0; }
using modes = std::array<unsigned, most_phasers>;

struct step {
  enum kind { next, split, leave, begin, put, block } what;
  unsigned which = 0;  ///< the phaser, or the task to begin
  unsigned round = 0;
};

struct party {
  modes registered{};
  std::vector<step> steps;
};

long written_by(unsigned task, unsigned round) noexcept { return 1000L * task + round + 1; }

struct plan {
  numbers random;
  unsigned phasers, rounds;
  std::vector<party> parties;
  long signallers[most_phasers][most_rounds] = {};  ///< the model: how many signal the phase, and what they write
  long sums[most_phasers][most_rounds] = {};
  long puts = 0;

  explicit plan(unsigned seed) : random{seed * 2654435761u + 1} {
    phasers = 1 + random.next(most_phasers);
    rounds = 1 + random.next(most_rounds);
    modes all{};
    for (unsigned p = 0; p < phasers; ++p) all[p] = 3;
    add(all, 0, 0);
  }

 private:
  /// A part of what the parent may; at least one phaser.
  modes part_of(const modes& mine) {
    modes chosen{};
    for (unsigned p = 0; p < phasers; ++p)
      if (random.next(4) != 0) chosen[p] = mine[p] & (1 + random.next(3));
    return chosen;
  }

  unsigned add(modes m, unsigned round, unsigned from) {
    auto const id = static_cast<unsigned>(parties.size());
    parties.emplace_back().registered = m;
    bool const root = id == 0;
    for (; round < rounds; ++round, from = 0) {
      for (unsigned p = from; p < phasers; ++p) {
        if (parties.size() < most_tasks && random.next(root ? 2 : 5) == 0) {
          modes const child = part_of(m);
          if (child != modes{}) {
            unsigned const number = add(child, round, p);
            parties[id].steps.push_back({step::begin, number, round});
          }
        }
        if (m[p] == none) continue;
        if (random.next(15) == 0) {
          parties[id].steps.push_back({step::leave, p, round});
          m[p] = none;
          continue;
        }
        if (random.next(6) == 0) parties[id].steps.push_back({step::block, p, round});
        if (random.next(4) == 0) {
          parties[id].steps.push_back({step::put, p, round});
          puts += written_by(id, round);
        }
        parties[id].steps.push_back({m[p] == 3 && random.next(3) == 0 ? step::split : step::next, p, round});
        if (signals(m[p])) {
          ++signallers[p][round];
          sums[p][round] += written_by(id, round);
        }
      }
      if (!root && random.next(8) == 0) break;
    }
    return id;
  }
};

class run {
 public:
  explicit run(const plan& p) : plan_(p) {}

  bool holds() {
    amity::accumulator<long, std::plus<>> sum(0);
    put_ = &sum;
    amity::finish([&] {
      constexpr unsigned degrees[] = {0, 2, 3, amity::phaser::usual_degree};
      std::vector<amity::phaser> all;
      for (unsigned i = 0; i < plan_.phasers; ++i) all.emplace_back(degrees[(i + plan_.rounds) % 4]);
      for (amity::phaser& p : all) phasers_.push_back(p);  // copies: the same phasers, without the creator's part
      play(0, all);
    });
    return !wrong_ && sum.get() == plan_.puts;
  }

 private:
  /// The creator uses its own objects, everybody else copies.
  void play(unsigned id, std::vector<amity::phaser>& mine) {
    modes m = plan_.parties[id].registered;
    for (const step& s : plan_.parties[id].steps) {
      switch (s.what) {
        case step::begin:
          begin(s.which, mine);
          break;
        case step::leave:
          mine[s.which].drop();
          m[s.which] = none;
          break;
        case step::put:
          put_->put(written_by(id, s.round));
          break;
        case step::block:
          amity::async([] { return amity::async([] { return 1; }).get(); }).get();
          break;
        default:
          advance(id, s, m[s.which], mine[s.which]);
      }
    }
  }

  void advance(unsigned id, const step& s, unsigned m, amity::phaser& p) {
    if (signals(m)) {
      written_[s.which][s.round][id] = written_by(id, s.round);  // plain: the phaser orders it
      arrived_[s.which][s.round].fetch_add(1, std::memory_order_relaxed);
    }
    if (s.what == step::split) {
      p.signal();
      if (id % 2 == 0) amity::async([] {}).get();
    }
    p.next();
    if (!waits(m)) return;
    // If nobody signals the phase, all who could have left: then there is nothing to find.
    long sum = 0;
    for (long w : written_[s.which][s.round]) sum += w;
    bool const right = arrived_[s.which][s.round].load(std::memory_order_relaxed) == plan_.signallers[s.which][s.round];
    if (!right || sum != plan_.sums[s.which][s.round]) wrong_ = true;
    if (plan_.signallers[s.which][s.round] != 0 && p.phase() < s.round + 1) wrong_ = true;
  }

  void begin(unsigned id, std::vector<amity::phaser>& mine) {
    const modes& m = plan_.parties[id].registered;
    std::vector<unsigned> chosen;
    for (unsigned p = 0; p < plan_.phasers; ++p)
      if (m[p] != none) chosen.push_back(p);
    auto call = [this, id] {
      std::vector<amity::phaser> copies(phasers_);
      play(id, copies);
    };
    auto with = [&](std::size_t i) { return amity::phased_with{mine[chosen[i]], static_cast<mode>(m[chosen[i]])}; };
    if (chosen.size() == 1)
      amity::async_phased({with(0)}, call);
    else if (chosen.size() == 2)
      amity::async_phased({with(0), with(1)}, call);
    else
      amity::async_phased({with(0), with(1), with(2)}, call);
  }

  const plan& plan_;
  std::vector<amity::phaser> phasers_;
  amity::accumulator<long, std::plus<>>* put_ = nullptr;
  std::atomic<bool> wrong_{false};
  std::atomic<long> arrived_[most_phasers][most_rounds] = {};
  long written_[most_phasers][most_rounds][most_tasks] = {};
};

}  // namespace

int main(int argc, char** argv) {
  // Wrong: a phase was left early, or something that was written before it is missing.
  return run_seeds(argc, argv, 100, [](unsigned seed) {
    plan const p(seed);
    return run(p).holds();
  });
}
