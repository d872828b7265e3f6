// What must go on although user code does not come back to the runtime, and teams that change their size between
// regions. Each case hung once.
#include <omp.h>
#include <sched.h>
#include <stdio.h>

static int wrong;

// Behind a barrier the initial thread's core may be running another member, which spins for a flag that only thread 0
// sets.
static void spin_behind_a_barrier(int threads) {
  int flag = 0;
  for (int round = 1; round <= 3; ++round)
#pragma omp parallel num_threads(threads) shared(flag)
  {
#pragma omp barrier
    if (omp_get_thread_num() == 0)
      __atomic_store_n(&flag, round, __ATOMIC_SEQ_CST);
    else
      while (__atomic_load_n(&flag, __ATOMIC_SEQ_CST) != round) {
      }
  }
}

// The members wait for each other in a chain, from the last to the first.
static void spin_in_reverse_order(int threads) {
  int turn = threads;
#pragma omp parallel num_threads(threads) shared(turn)
  {
#pragma omp barrier
    while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) != omp_get_thread_num() + 1) sched_yield();
    __atomic_store_n(&turn, omp_get_thread_num(), __ATOMIC_SEQ_CST);
  }
  wrong += turn != 0;
}

// All yield to one another until the thread that is to end it has had its turns, the initial one too.
static void yield_to_all(int threads) {
  for (int last = 0; last < threads; last += 5) {
    int over = 0;
#pragma omp parallel num_threads(threads) shared(over)
    for (int turns = 0; !__atomic_load_n(&over, __ATOMIC_SEQ_CST); ++turns) {
      if (omp_get_thread_num() == last && turns == 100) __atomic_store_n(&over, 1, __ATOMIC_SEQ_CST);
#pragma omp taskyield
    }
  }
}

// Chunk after chunk of a loop until a member that may have to wait for a core says that it is enough.
static void deal_to_all(int threads) {
  enum { chunks = 1 << 20, too_many = 200 * 1000 };  // of 20 us: some seconds
  for (int last = 0; last < threads; last += 3) {
    int over = 0, worked = 0;
#pragma omp parallel num_threads(threads) shared(over, worked)
    {
      if (omp_get_thread_num() == last) __atomic_store_n(&over, 1, __ATOMIC_SEQ_CST);
#pragma omp for schedule(dynamic, 1) nowait
      for (int i = 0; i < chunks; ++i) {
        if (__atomic_load_n(&over, __ATOMIC_SEQ_CST)) continue;
        if (__atomic_add_fetch(&worked, 1, __ATOMIC_SEQ_CST) == too_many) __atomic_store_n(&over, 1, __ATOMIC_SEQ_CST);
        double const until = omp_get_wtime() + 20e-6;
        while (omp_get_wtime() < until) {
        }
      }
    }
    if (worked >= too_many && wrong++ < 10) printf("thread %d of %d had no turn\n", last, threads);
  }
}

static void resize(const int* sizes) {
  for (int round = 0; round < 50; ++round)
    for (const int* n = sizes; *n != 0; ++n) {
      int members = 0;
#pragma omp parallel num_threads(*n) reduction(+ : members)
      {
        ++members;
#pragma omp barrier
      }
      if (members != *n && wrong++ < 10) printf("%d of %d threads\n", members, *n);
    }
}

int main(void) {
  spin_behind_a_barrier(2);
  spin_behind_a_barrier(5);
  spin_in_reverse_order(6);
  yield_to_all(8);
  yield_to_all(33);
  deal_to_all(8);
  deal_to_all(33);
  resize((int[]){5, 4, 0});
  resize((int[]){6, 7, 6, 2, 1, 3, 0});
  resize((int[]){2, 9, 2, 33, 0});
  if (wrong) return printf("%d wrong\n", wrong), 1;
  puts("ok");
}
