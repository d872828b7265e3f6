// What the programs of several processes are built on, those of Amity and those of MPI alike: the command line, how
// a figure comes about, and one line of JSON for each, said by rank 0.
//
//   int main(int argc, char** argv) {
//     return ranks::bench_main({.name = "messages", .make = make_items, .join = join}, argc, argv);
//   }
//
// Something is run `reps` times in a row by all ranks; it has taken as long as the slowest of them. `reps` grows until
// one sample lasts a few milliseconds. The median of the samples is reported. All ranks take the same decisions, as
// they know the same times.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ranks {

/// The processes, as a contender has them.
class job {
 public:
  job(int rank, int size) : rank_(rank), size_(size) {}
  job(const job&) = delete;
  job& operator=(const job&) = delete;
  virtual ~job() = default;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  virtual void barrier() = 0;
  /// The greatest of all ranks' values, for all.
  [[nodiscard]] virtual double most(double value) = 0;

 private:
  int rank_;
  int size_;
};

/// As the command line says.
struct settings {
  int samples = 5;
  double sample_us = 5000;
  double budget_us = 5e5;          // of one item: slow ones get fewer samples
  std::vector<std::size_t> sizes;  // in bytes
  std::vector<std::string> only;   // names, or what comes before their '/'; empty: all
};

struct figure {
  double value = 0;
  double cpu_us = 0;  // of rank 0
  long reps = 1;
  int samples = 1;
};

/// What can be measured. All functions are called by every rank.
struct item {
  std::string name;
  /// What is timed, so many times in a row.
  std::function<void(job&, long reps)> run;
  double per_run = 1;  // figures that one repetition gives
  /// Once, before and after the samples: false where a result is wrong. None: nothing to check.
  std::function<bool(job&)> check;
  /// Around all of it: memory.
  std::function<void(job&)> prepare;
  std::function<void(job&)> finish;
  /// Measures by itself, in place of all of the above.
  std::function<figure(job&, const settings&)> measure;
  std::string unit;      // of the value; empty: microseconds
  std::string left_out;  // why this program does not run it; empty: it does
};

/// One that runs `f` over and over.
template <class F>
[[nodiscard]] item repeated(std::string name, F f) {
  item made;
  made.name = std::move(name);
  made.run = [f = std::move(f)](job& j, long reps) mutable {
    for (long i = 0; i < reps; ++i) f(j);
  };
  return made;
}

/// One that this program has no means for.
[[nodiscard]] item left_out(std::string name, std::string why);

/// One that measures by itself.
[[nodiscard]] item measured(std::string name, std::string unit, std::function<figure(job&, const settings&)> measure);

/// From the start of the launcher until all ranks have met, as `amity bench` starts it.
[[nodiscard]] item start_of_job();
/// What the CPU does in ranks that wait for one that sleeps: the most of all, in percent of a core.
[[nodiscard]] item idle_cpu();

/// The median of samples of `of`, between its `prepare` and its `finish`. Collective.
[[nodiscard]] figure time_of(job& j, const item& of, const settings& how);
/// Whether the results of `of` are right on all ranks. Collective.
[[nodiscard]] bool is_right(job& j, const item& of);

struct program {
  const char* name;
  const char* default_sizes = "";  // of --sizes; empty: there is no such option
  int least_ranks = 2;
  /// What --tune does in place of measuring; null: there is no such option. Called by all ranks; false: it has failed.
  bool (*tune)(job&, const settings&) = nullptr;
  std::vector<item> (*make)(const settings&);  // before the job is joined
  std::unique_ptr<job> (*join)();
};

/// Exit status: 0; 1 when a result was wrong; 2 for wrong usage, or too few ranks.
int bench_main(const program& of, int argc, char** argv);

[[nodiscard]] double now_us();  // the same clock in all processes of a machine
[[nodiscard]] double cpu_us();  // of this process
[[nodiscard]] double median(std::vector<double> values);
/// The least value that so many percent do not exceed. Requires: there is one.
[[nodiscard]] double percentile(std::vector<double> values, int percent);

}  // namespace ranks
