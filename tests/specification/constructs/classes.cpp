// section: 5
//
// Objects with constructors, destructors and a pointer to themselves in data-sharing clauses, reductions and
// threadprivate; exceptions that end inside the construct that they begin in.
#include <omp.h>

#include <atomic>
#include <stdexcept>
#include <string>

#include "check.h"

static std::atomic<int> alive{0}, astray{0};

// Lives where it was made: one that was copied byte by byte, or destroyed twice, is astray.
struct object {
  explicit object(int v = 0) : value(v), self(this) { ++alive; }
  object(const object& other) : value(other.value), self(this) {
    other.look();
    ++alive;
  }
  object& operator=(const object& other) {
    look();
    other.look();
    value = other.value;
    return *this;
  }
  ~object() {
    look();
    self = nullptr;
    --alive;
  }
  void look() const {
    if (self != this) ++astray;
  }
  int value;
  object* self;
};

struct letters {
  std::string text;
  long sum = 0;
};
#pragma omp declare reduction(join:letters : (omp_out.text += omp_in.text, omp_out.sum += omp_in.sum))
#pragma omp declare reduction(larger:object                                                \
                              : omp_out = omp_in.value > omp_out.value ? omp_in : omp_out) \
    initializer(omp_priv = omp_orig)

extern object own;
#pragma omp threadprivate(own)
object own(7);

static void clauses() {
  object a(5), many[3] = {object(1), object(2), object(3)};
  int const before = alive;
  int wrong = 0;
#pragma omp parallel firstprivate(a, many) reduction(+ : wrong)
  {
    wrong += a.value != 5 || a.self != &a || many[2].value != 3 || many[2].self != &many[2];
    a.value = many[2].value = omp_get_thread_num();
  }
  SAME(wrong, 0);
  SAME(a.value, 5);
  SAME(alive.load(), before);
#pragma omp parallel for lastprivate(a) schedule(dynamic, 3)
  for (int i = 0; i < 100; ++i) a.value = i;
  SAME(a.value, 99);
#pragma omp parallel for firstprivate(a) lastprivate(a) schedule(static, 2)
  for (int i = 0; i < 50; ++i) a.value = 2 * i;
  SAME(a.value, 98);
#pragma omp parallel sections firstprivate(many) lastprivate(many)
  {
#pragma omp section
    many[0].value = 10;
#pragma omp section
    many[1].value = 20;
  }
  SAME(many[1].value, 20);
#pragma omp parallel private(a) firstprivate(many) reduction(+ : wrong)
  {
#pragma omp single copyprivate(a)
    a.value = 1234;
    wrong += a.value != 1234 || a.self != &a || many[2].self != &many[2];
  }
  SAME(wrong, 0);
  object t(3);
#pragma omp parallel shared(wrong)
#pragma omp single
  for (int i = 0; i < 30; ++i) {
#pragma omp task firstprivate(t) if (i % 3 != 0) shared(wrong)
    {
      if (t.value != 3 || t.self != &t) {
#pragma omp atomic write
        wrong = 1;
      }
      t.value = i;
#pragma omp task firstprivate(t) final(i % 2 != 0) shared(wrong)
      if (t.value != i || t.self != &t) {
#pragma omp atomic write
        wrong = 1;
      }
    }
  }
  SAME(wrong, 0);
  SAME(t.value, 3);
  SAME(alive.load(), before + 1);
}

static void reductions() {
  letters all;
#pragma omp parallel for reduction(join : all)
  for (int i = 0; i < 1000; ++i) {
    all.sum += i;
    all.text += 'x';
  }
  SAME(all.sum, 499500L);
  SAME(all.text.size(), std::string::size_type(1000));
  letters tasks;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(join : tasks)
  for (int i = 0; i < 100; ++i) {
#pragma omp task in_reduction(join : tasks) firstprivate(i)
    {
      tasks.sum += i;
      tasks.text += "a long word, which is not kept in the string itself";
    }
  }
  SAME(tasks.sum, 4950L);
  SAME(tasks.text.size(), std::string::size_type(5100));
  object most(-5);
  int const before = alive;
#pragma omp parallel for reduction(larger : most)
  for (int i = 0; i < 100; ++i)
    if (i * 37 % 100 > most.value) most.value = i * 37 % 100;
  SAME(most.value, 99);
  SAME(alive.load(), before);
}

static void each_thread_has_its_own() {
  int wrong = 0;
#pragma omp parallel reduction(+ : wrong)  // gcc copies into an object that was not made yet: so each is made here
  wrong += own.value != 7 || own.self != &own;
  own.value = 11;
#pragma omp parallel copyin(own) reduction(+ : wrong)
  {
    wrong += own.value != 11 || own.self != &own;
    own.value = omp_get_thread_num();
  }
#pragma omp parallel reduction(+ : wrong)
  wrong += own.value != omp_get_thread_num() || own.self != &own;
  SAME(wrong, 0);
}

static void exceptions() {
  int regions = 0, iterations = 0, tasks = 0, criticals = 0, threads = 0;
#pragma omp parallel reduction(+ : regions, criticals) shared(iterations, tasks, threads)
  {
#pragma omp single
    threads = omp_get_num_threads();
    try {
      object on_the_way(1);
      throw std::runtime_error("of a region");
    } catch (const std::runtime_error&) {
      ++regions;
    }
#pragma omp for reduction(+ : iterations) schedule(dynamic)
    for (int i = 0; i < 200; ++i) try {
        if (i % 2 != 0) throw i;
      } catch (int thrown) {
        iterations += thrown == i;
      }
    for (int i = 0; i < 20; ++i) {
#pragma omp critical
      try {
        throw std::string("of a critical region");
      } catch (const std::string& thrown) {
        criticals += !thrown.empty();
      }
    }
#pragma omp single
    for (int i = 0; i < 100; ++i) {
#pragma omp task shared(tasks)
      try {
        object local(i);
#pragma omp taskyield
        if (local.value == i) throw local;
      } catch (const object& thrown) {
        thrown.look();
#pragma omp atomic
        ++tasks;
      }
    }
  }
  SAME(regions, threads);
  SAME(iterations, 100);
  SAME(criticals, 20 * threads);
  SAME(tasks, 100);
}

int main() {
  clauses();
  reductions();
  each_thread_has_its_own();
  exceptions();
  SAME(astray.load(), 0);
  return finish();
}
