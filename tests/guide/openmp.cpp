// OpenMP's side of docs/guide.md. The Amity side:
// openmp_amity.cpp.
#include <omp.h>

#include <algorithm>
#include <string>
#include <vector>

#include "guide.hpp"

namespace {

using guide::f;
using guide::n;
using guide::rare;

std::vector<long> y(n);

long loop() {
  // [loop]
#pragma omp parallel for
  for (int i = 0; i < n; ++i) y[i] = f(i);
  // [end]
  return guide::sum_of(y);
}

long private_variable() {
  // [private]
  long x;
#pragma omp parallel for private(x)
  for (int i = 0; i < n; ++i) {
    x = f(i);
    y[i] = x * x;
  }
  // [end]
  return guide::sum_of(y);
}

long shared_variable() {
  // [shared]
  long hits = 0;
#pragma omp parallel for shared(hits)
  for (int i = 0; i < n; ++i)
    if (f(i) == 0) {
#pragma omp atomic
      ++hits;
    }
  // [end]
  return hits;
}

long reduction() {
  // [reduction]
  long sum = 0, most = 0;
#pragma omp parallel for reduction(+ : sum) reduction(max : most)
  for (int i = 0; i < n; ++i) {
    sum += f(i);
    most = std::max(most, f(i));
  }
  // [end]
  return sum * 10 + most;
}

long linear() {
  // [linear]
  long j = 1;
#pragma omp parallel for linear(j : 3)
  for (int i = 0; i < n; ++i) {
    y[i] = j;
    j += 3;
  }
  // [end]
  return guide::sum_of(y);
}

long schedule() {
  // [schedule]
#pragma omp parallel for schedule(dynamic, 16) num_threads(2)
  for (int i = 0; i < n; ++i) y[i] = f(i);
  // [end]
  return guide::sum_of(y);
}

long collapse() {
  std::vector<long> a(30 * 40);
  // [collapse]
#pragma omp parallel for collapse(2)
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 40; ++j) a[i * 40 + j] = i + j;
  // [end]
  return guide::sum_of(a);
}

long scan() {
  std::vector<long> x(n, 3);
  // [scan]
  long sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < n; ++i) {
    sum += x[i];
#pragma omp scan inclusive(sum)
    y[i] = sum;
  }
  // [end]
  return y[n - 1];
}

long nowait() {
  std::vector<long> a(n), b(n);
  // [nowait]
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < n; ++i) a[i] = f(i);
#pragma omp for
    for (int i = 0; i < n; ++i) b[i] = i;
  }
  // [end]
  return guide::sum_of(a) + guide::sum_of(b);
}

long ordered() {
  // [ordered]
  std::string text;
#pragma omp parallel for ordered
  for (int i = 0; i < 100; ++i) {
    long const made = f(i);
#pragma omp ordered
    text += std::to_string(made);
  }
  // [end]
  return text.substr(0, 9) == "012345601" ? std::ssize(text)
                                          : -1;
}

long cancel() {
  // [cancel]
  int found = -1;
#pragma omp parallel shared(found)
#pragma omp for
  for (int i = 0; i < n; ++i)
    if (rare(i)) {
      found = i;
#pragma omp cancel for
    }
  // [end]
  return found;
}

long sections() {
  long a = 0, b = 0, c = 0;
  // [sections]
#pragma omp parallel sections
  {
#pragma omp section
    a = f(1);
#pragma omp section
    b = f(2);
#pragma omp section
    c = f(3);
  }
  // [end]
  return a * 100 + b * 10 + c;
}

long region() {
  long a[4], b[4];
  // [region]
#pragma omp parallel num_threads(4)
  {
    int const t = omp_get_thread_num();
    a[t] = f(t);
#pragma omp barrier
    b[t] = a[(t + 1) % 4];
  }
  // [end]
  return b[0] * 1000 + b[1] * 100 + b[2] * 10 + b[3];
}

long critical() {
  std::vector<int> zeros;
  // [critical]
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (f(i) == 0) {
#pragma omp critical(list)
      zeros.push_back(i);
    }
  // [end]
  return std::ssize(zeros);
}

// [threadprivate]
long mine = 0;
#pragma omp threadprivate(mine)

long count_all() {
  long all = 0;
#pragma omp parallel reduction(+ : all)
  {
    mine = 0;
#pragma omp for
    for (int i = 0; i < n; ++i) mine += f(i);
    all += mine;
  }
  return all;
}
// [end]

// [task]
long fib(int k) {
  if (k < 10) return guide::fib_serial(k);
  long a, b;
#pragma omp task shared(a)
  a = fib(k - 1);
  b = fib(k - 2);
#pragma omp taskwait
  return a + b;
}

long begin_fib() {
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = fib(20);
  return result;
}
// [end]

// [taskgroup]
void visit(int depth, long& leaves) {
  if (depth == 0) {
#pragma omp atomic
    ++leaves;
    return;
  }
  for (int i = 0; i < 2; ++i)
#pragma omp task shared(leaves)
    visit(depth - 1, leaves);
}

long count_leaves() {
  long leaves = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  visit(6, leaves);
  return leaves;
}
// [end]

long taskloop() {
#pragma omp parallel
#pragma omp single
  {
    // [taskloop]
#pragma omp taskloop grainsize(50)
    for (int i = 0; i < n; ++i) y[i] = f(i);
    // [end]
  }
  return guide::sum_of(y);
}

long depend() {
  long a = 0, b = 0, c = 0;
#pragma omp parallel
#pragma omp single
  {
    // [depend]
#pragma omp task depend(out : a)
    a = f(3);
#pragma omp task depend(out : b)
    b = f(4);
#pragma omp task depend(in : a, b) depend(out : c)
    c = a * b;
#pragma omp taskwait
    // [end]
  }
  return c;
}

}  // namespace

int main() {
  return guide::check({{"loop", loop, 2997},
                       {"private", private_variable, 12977},
                       {"shared", shared_variable, 143},
                       {"reduction", reduction, 29976},
                       {"linear", linear, 1499500},
                       {"schedule", schedule, 2997},
                       {"collapse", collapse, 40800},
                       {"scan", scan, 3000},
                       {"nowait", nowait, 502497},
                       {"ordered", ordered, 100},
                       {"cancel", cancel, 777},
                       {"sections", sections, 123},
                       {"region", region, 1230},
                       {"critical", critical, 143},
                       {"threadprivate", count_all, 2997},
                       {"task", begin_fib, 6765},
                       {"taskgroup", count_leaves, 64},
                       {"taskloop", taskloop, 2997},
                       {"depend", depend, 12}});
}
