// OpenBLAS, which knows nothing of Amity, in tasks and futures: many products of matrices at the same time, each of
// which is a parallel region of OpenMP's. The results are compared with a plain loop's, and the OS threads that run
// are counted all the while.
//
// The library is opened by its path or name, the first argument, and asks for libgomp.so.1: Amity's, as it is here
// first. Ends with 77 if there is none, which ctest takes for skipped.
#include <dirent.h>
#include <dlfcn.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <amity/amity.hpp>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

enum order { row_major = 101 };
enum transpose { as_is = 111 };
using dgemm = void (*)(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*,
                       int);

dgemm multiply_by = nullptr;
std::atomic<int> wrong{0};

using matrix = std::vector<double>;

matrix numbers(int n, unsigned seed) {
  matrix m(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  for (double& x : m) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<double>(seed >> 8) / (1 << 24) - 0.5;
  }
  return m;
}

/// The largest difference between the library's product and a plain loop's, in some of the rows.
double error_of(int n, unsigned seed) {
  auto const size = static_cast<std::size_t>(n);
  matrix const a = numbers(n, seed), b = numbers(n, seed + 1);
  matrix c(a.size(), -1.0);
  multiply_by(row_major, as_is, as_is, n, n, n, 1.0, a.data(), n, b.data(), n, 0.0, c.data(), n);
  double most = 0;
  for (std::size_t i = 0; i < size; i += 17) {
    std::vector<double> row(size, 0.0);
    for (std::size_t k = 0; k < size; ++k)
      for (std::size_t j = 0; j < size; ++j) row[j] += a[i * size + k] * b[k * size + j];
    for (std::size_t j = 0; j < size; ++j) most = std::max(most, std::fabs(row[j] - c[i * size + j]));
  }
  return most;
}

/// OS threads of this process that run or want to, this one aside.
int running_threads() {
  int running = 0;
  DIR* const tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return 0;
  while (const dirent* entry = readdir(tasks)) {
    if (entry->d_name[0] == '.' || std::atoi(entry->d_name) == gettid()) continue;
    std::FILE* const stat = std::fopen(("/proc/self/task/" + std::string(entry->d_name) + "/stat").c_str(), "r");
    if (stat == nullptr) continue;
    char line[512] = {};
    if (std::fgets(line, sizeof line, stat) != nullptr)
      if (const char* after_name = std::strrchr(line, ')')) running += after_name[2] == 'R' ? 1 : 0;
    std::fclose(stat);
  }
  closedir(tasks);
  return running;
}

/// Looks again and again from a thread of its own. OpenBLAS spins while another call has its only buffer, and for its
/// own threads; where that keeps a carrier from a fiber that is ready, the monitor sends that to an OS thread of its
/// own for a while, and where nobody gets on, it tries one task more. So looks see one more than there are carriers as
/// a rule, and now and then some more; with an OS thread for each member of each region they would see dozens.
class counter {
 public:
  counter()
      : thread_([this] {
          while (!over_.load(std::memory_order_relaxed)) {
            seen_.push_back(running_threads());
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
          }
        }) {}
  void check_against(int carriers) {
    over_.store(true, std::memory_order_relaxed);
    thread_.join();
    if (seen_.empty()) return;
    std::sort(seen_.begin(), seen_.end());
    int const half = seen_[seen_.size() / 2], most = seen_[seen_.size() * 9 / 10];
    std::printf("%d carriers; in %zu looks, %d threads run at most, %d in nine of ten, %d in half of them\n", carriers,
                seen_.size(), seen_.back(), most, half);
    // With more carriers than cores, a carrier that spins for one without a core looks like one that keeps its own.
    if (carriers > static_cast<int>(std::thread::hardware_concurrency())) return;
    constexpr int rescued = 5;
    if (most <= carriers + rescued) return;
    std::puts("wrong: those are too many");
    ++wrong;
  }

 private:
  std::vector<int> seen_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

void check(double error, const char* where) {
  if (error < 1e-9) return;
  std::printf("wrong: a product is off by %g (%s)\n", error, where);
  ++wrong;
}

void in_tasks_and_futures() {
  std::vector<amity::future<double>> all;
  amity::finish([&] {
    for (unsigned i = 0; i < 6; ++i) {
      all.push_back(amity::async([i] { return error_of(160 + 16 * static_cast<int>(i % 4), i); }));
      amity::async([i] { check(error_of(200, 100 + i), "a task in a finish"); });
    }
  });
  for (auto& f : all) check(f.get(), "a future");
  auto chain = amity::make_ready_future(0.0);
  for (unsigned i = 0; i < 3; ++i) {
    chain = amity::dataflow([i](double before) { return std::max(before, error_of(180, 200 + i)); }, std::move(chain),
                            amity::async([i] { check(error_of(190, 300 + i), "beside a dataflow"); }));
  }
  check(chain.get(), "dataflow");
}

void in_regions_and_tasks() {
#pragma omp parallel num_threads(3)
  {
    auto f = amity::async([] { return error_of(210, 7); });
    check(error_of(170, static_cast<unsigned>(omp_get_thread_num())), "a region");
    check(f.get(), "a future in a region");
#pragma omp single
    for (unsigned i = 0; i < 4; ++i) {
#pragma omp task firstprivate(i)
      check(error_of(150, 400 + i), "an OpenMP task");
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* const name = argc > 1 ? argv[1] : "libopenblas.so.0";
  void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::printf("skipped: %s\n", dlerror());
    return 77;
  }
  multiply_by = reinterpret_cast<dgemm>(dlsym(library, "cblas_dgemm"));
  auto* const kind = reinterpret_cast<int (*)()>(dlsym(library, "openblas_get_parallel"));
  if (multiply_by == nullptr || kind == nullptr || kind() != 2) {
    std::puts("skipped: the library is no OpenBLAS that uses OpenMP");
    return 77;
  }
  counter looks;
  in_tasks_and_futures();
  in_regions_and_tasks();
  looks.check_against(amity::worker_count());
  std::puts(wrong != 0 ? "failed" : "ok");
  return wrong != 0;
}
