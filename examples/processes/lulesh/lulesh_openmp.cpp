// The same explosion with OpenMP's loops, in one process, to compare with.
//
//   g++ -std=c++20 -O3 -fopenmp lulesh_openmp.cpp -o lulesh_openmp && ./lulesh_openmp -s 30 -i 50
#include <chrono>
#include <cstdio>

#include "report.hpp"
#include "run.hpp"

namespace {

struct openmp_loops {
  template <class Body>
  static void each(int n, Body body) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) body(i);
  }
  template <class T, class Body>
  static T least(int n, T none, Body body) {
    T all = none;
#pragma omp parallel
    {
      T part = none;
#pragma omp for nowait
      for (int i = 0; i < n; ++i) part.lower(body(i));
#pragma omp critical
      all.lower(part);
    }
    return all;
  }
};

}  // namespace

int main(int argc, char** argv) {
  lulesh::options o;
  if (!o.read(argc, argv)) return std::fputs(o.usage, stderr), 1;
  lulesh::domain d(o.edge, {});
  lulesh::clock t = lulesh::explode(d);
  lulesh::no_neighbours nobody;
  auto const start = std::chrono::steady_clock::now();
  lulesh::run<openmp_loops>(d, t, o.steps, nobody);
  double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report(o, d, t, seconds) ? 0 : 1;
}
