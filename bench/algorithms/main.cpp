// Runs each algorithm by each contender in turns, checks the answers and prints a line of JSON for each.
//
//   build/bench/algorithms [ELEMENTS [SAMPLES]]        10000000 and 11 unless told otherwise
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "algorithms/contender.hpp"

namespace {

const contender* const contenders[] = {&serial, &amitys,
#ifdef WITH_TBB
                                       &tbbs
#endif
};

/// Whole numbers, so that sums are exact in any order.
std::vector<double> numbers(std::size_t n) {
  std::mt19937 random(1);
  std::vector<double> v(n);
  for (double& x : v) x = static_cast<double>(random() % 100000);
  return v;
}

class suite {
 public:
  suite(std::size_t n, int samples)
      : samples_(samples), input_(numbers(n)), work_(n), out_(n), sorted_(input_), sums_(n) {
    std::sort(sorted_.begin(), sorted_.end());
    std::partial_sum(input_.begin(), input_.end(), sums_.begin());
  }

  void run() {
    compare(
        "sort", [](const contender& c) { return c.sort != nullptr; },
        [this](const contender& c) { c.sort(work_.data(), work_.data() + work_.size()); },
        [this] { return work_ == sorted_; });
    compare(
        "stable_sort", [](const contender& c) { return c.stable_sort != nullptr; },
        [this](const contender& c) { c.stable_sort(work_.data(), work_.data() + work_.size()); },
        [this] { return work_ == sorted_; });
    compare(
        "reduce", [](const contender& c) { return c.reduce != nullptr; },
        [this](const contender& c) { sum_ = c.reduce(work_.data(), work_.data() + work_.size()); },
        [this] { return sum_ == (sums_.empty() ? 0.0 : sums_.back()); });
    compare(
        "scan", [](const contender& c) { return c.scan != nullptr; },
        [this](const contender& c) { c.scan(work_.data(), work_.data() + work_.size(), out_.data()); },
        [this] { return out_ == sums_; });
    compare(
        "for_each", [](const contender& c) { return c.for_each != nullptr; },
        [this](const contender& c) { c.for_each(work_.data(), work_.data() + work_.size()); },
        [this] {
          return std::equal(work_.begin(), work_.end(), input_.begin(),
                            [](double a, double b) { return a == 1.5 * b + 1; });
        });
  }

  [[nodiscard]] bool all_right() const noexcept { return all_right_; }

 private:
  /// In turns, so that what disturbs the machine disturbs all.
  void compare(const char* name, const std::function<bool(const contender&)>& has,
               const std::function<void(const contender&)>& f, const std::function<bool()>& right) {
    std::vector<std::vector<double>> us(std::size(contenders));
    std::vector<bool> correct(std::size(contenders), true);
    for (int sample = 0; sample < samples_; ++sample)
      for (std::size_t c = 0; c < std::size(contenders); ++c) {
        if (!has(*contenders[c])) continue;
        work_ = input_;
        auto const start = std::chrono::steady_clock::now();
        f(*contenders[c]);
        us[c].push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
        if (!right()) correct[c] = false;
      }
    for (std::size_t c = 0; c < std::size(contenders); ++c)
      if (!us[c].empty()) report(name, contenders[c]->name, us[c], correct[c]);
  }

  void report(const char* name, const char* by, std::vector<double>& us, bool correct) {
    std::sort(us.begin(), us.end());
    std::printf(R"({"name": "%s/%s", "elements": %zu, "median_us": %.1f, "least_us": %.1f, "correct": %s})"
                "\n",
                name, by, input_.size(), us[us.size() / 2], us.front(), correct ? "true" : "false");
    all_right_ = all_right_ && correct;
  }

  int samples_;
  std::vector<double> input_, work_, out_, sorted_, sums_;
  double sum_ = 0;
  bool all_right_ = true;
};

}  // namespace

int main(int argc, char** argv) {
  long const n = argc > 1 ? std::atol(argv[1]) : 10'000'000, samples = argc > 2 ? std::atol(argv[2]) : 11;
  if (argc > 3 || n < 0 || samples < 1) {
    std::fprintf(stderr, "usage: %s [ELEMENTS [SAMPLES]]\n", argv[0]);
    return 2;
  }
  suite s(static_cast<std::size_t>(n), static_cast<int>(samples));
  s.run();
  return s.all_right() ? 0 : 1;
}
