// Objects with constructors and destructors in tasks, and memory that goes from one thread to another.
#include <cstdio>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace {

struct counted {
  std::shared_ptr<int> value = std::make_shared<int>(1);
  std::vector<int> numbers = std::vector<int>(10, 1);
};

int tasks() {
  counted original;
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 40; ++i) {
      counted copy = original;
#pragma omp task firstprivate(copy) shared(sum)
      {
        copy.numbers.push_back(i);
        int const mine = std::accumulate(copy.numbers.begin(), copy.numbers.end(), *copy.value);
#pragma omp critical
        sum += mine;
      }
    }
#pragma omp taskloop firstprivate(original) grainsize(1)
    for (int i = 0; i < 20; ++i) original.numbers[0] += i;
  }
  return sum - 40 * 11 - 780;
}

#pragma omp declare reduction(join : std::vector <int> : omp_out.insert(omp_out.end(), omp_in.begin(), omp_in.end()))

int reduction() {
  std::vector<int> all;
#pragma omp parallel for reduction(join : all) schedule(dynamic)
  for (int i = 0; i < 100; ++i) all.push_back(i);
  return std::accumulate(all.begin(), all.end(), 0) - 4950;
}

int handed_over() {
  std::vector<std::unique_ptr<std::string>> strings(50);
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 50; ++i) strings[static_cast<std::size_t>(i)] = std::make_unique<std::string>(100, 'x');
#pragma omp for schedule(dynamic)
    for (int i = 49; i >= 0; --i) strings[static_cast<std::size_t>(i)].reset();
  }
  return 0;
}

/// Two threads of the program, each with regions of its own.
int two_masters() {
  int sums[2] = {0, 0};
  auto const lead = [&sums](int number) {
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 100; ++i) sum += i;
    sums[number] = sum;
  };
  std::thread first(lead, 0), second(lead, 1);
  first.join();
  second.join();
  return sums[0] + sums[1] - 2 * 4950;
}

int exceptions() {
  int caught = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; ++i) {
#pragma omp task shared(caught)
    try {
      throw std::string("thrown");
    } catch (const std::string& s) {
#pragma omp atomic
      caught += static_cast<int>(s.size());
    }
  }
  return caught - 120;
}

}  // namespace

int main() {
  int wrong = 0;
  for (int round = 0; round < 3; ++round) wrong |= tasks() | reduction() | handed_over() | two_masters() | exceptions();
  if (wrong == 0) std::puts("ok");
  return wrong != 0;
}
