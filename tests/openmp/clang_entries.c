// Entries of clang's interface that its compiler calls rarely or not yet, called here as it would: num_threads with
// `strict` and with a list, sections dealt singly, nests of collapsed loops, the loops of leagues, schedule(simd:), and
// the graph of tasks. Looked up by name, since an older libomp lacks some.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int wrong;
#define CHECK(c)                                                                                                     \
  do                                                                                                                 \
    if (!(c) && __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED) < 10) printf("%s:%d: %s\n", __FILE__, __LINE__, #c); \
  while (0)

static struct {
  int reserved_1, flags, reserved_2, reserved_3;
  const char* source;
} where = {0, 2, 0, 0, ";file;function;1;2;;"};

static void* entry(const char* name) {
  void* found = dlsym(RTLD_DEFAULT, name);
  if (found == NULL) printf("no %s\n", name), exit(1);
  return found;
}
#define ENTRY(RESULT, NAME, ...) RESULT (*NAME)(__VA_ARGS__) = (RESULT(*)(__VA_ARGS__))entry("__kmpc_" #NAME)

// --- num_threads

enum { warning = 1, fatal = 2 };

static int size_of_a_region(void) {
  int size = 0;
#pragma omp parallel
#pragma omp single
  size = omp_get_num_threads();
  return size;
}

static void exact_numbers(void) {
  ENTRY(void, push_num_threads_strict, void*, int, int, int, const char*);
  int const before = omp_get_max_threads();
  for (int dynamic = 0; dynamic < 2; ++dynamic)
    for (int n = 1; n <= 9; n += 4) {
      omp_set_dynamic(dynamic);
      push_num_threads_strict(&where, 0, n, fatal, NULL);
      CHECK(size_of_a_region() == n);
    }
  omp_set_dynamic(0);
  CHECK(omp_get_max_threads() == before && size_of_a_region() == before);
}

// A child asks for 5 threads where there may be 3. Returns how it ended; `said`: what it wrote on stderr.
static int too_many(int severity, const char* message, char* said, size_t size) {
  int ends[2];
  if (pipe(ends) != 0) exit(1);
  pid_t const child = fork();
  if (child == 0) {
    ENTRY(void, push_num_threads_strict, void*, int, int, int, const char*);
    dup2(ends[1], 2);
    int got = 0;
#pragma omp teams num_teams(1) thread_limit(3)
    {
      push_num_threads_strict(&where, 0, 5, severity, message);
      got = size_of_a_region();
      got += 10 * size_of_a_region();  // strict no more
    }
    _exit(got);
  }
  close(ends[1]);
  size_t length = 0;
  for (ssize_t n; (n = read(ends[0], said + length, size - 1 - length)) > 0;) length += (size_t)n;
  said[length] = '\0';
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

static void numbers_that_cannot_be(void) {
  char said[2000];
  int status = too_many(warning, "a word of the user's", said, sizeof said);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) % 10 <= 3 && WEXITSTATUS(status) > 10);
  CHECK(strstr(said, "a word of the user's") != NULL);
  status = too_many(fatal, NULL, said, sizeof said);
  CHECK(!WIFEXITED(status) || WEXITSTATUS(status) == 1);
  CHECK(said[0] != '\0');
}

static void lists_of_numbers(void) {
  ENTRY(void, push_num_threads_list, void*, int, unsigned, int*);
  ENTRY(void, push_num_threads_list_strict, void*, int, unsigned, int*, int, const char*);
  int const levels = omp_get_max_active_levels(), before = omp_get_max_threads();
  omp_set_max_active_levels(5);
  for (int round = 0; round < 4; ++round) {
    int list[] = {3, 2, 4};
    if (round % 2 == 0)
      push_num_threads_list(&where, 0, 3, list);
    else
      push_num_threads_list_strict(&where, 0, 3, list, fatal, NULL);
    list[1] = list[2] = 77;  // the runtime has its own by now
    int members = 0;
#pragma omp parallel reduction(+ : members)
    {
      CHECK(omp_get_num_threads() == 3 && omp_get_max_threads() == 2);
#pragma omp parallel reduction(+ : members)
      {
        CHECK(omp_get_num_threads() == 2 && omp_get_max_threads() == 4);
#pragma omp parallel if (round < 2) reduction(+ : members)
        {
          CHECK(omp_get_num_threads() == (round < 2 ? 4 : 1) && omp_get_max_threads() == 4);
          ++members;
        }
      }
    }
    CHECK(members == 3 * 2 * (round < 2 ? 4 : 1));
    CHECK(omp_get_max_threads() == before);
  }
  omp_set_max_active_levels(levels);
}

// --- worksharing

static void sections_one_by_one(void) {
  ENTRY(int, global_thread_num, void*);
  ENTRY(int, sections_init, void*, int);
  ENTRY(int, next_section, void*, int, int);
  ENTRY(void, end_sections, void*, int);
  enum { rounds = 40, sections = 7 };
  int ran[rounds][sections] = {0};
#pragma omp parallel
  for (int r = 0; r < rounds; ++r) {  // all of them nowait
    int const me = global_thread_num(&where);
    sections_init(&where, me);
    for (int s; (s = next_section(&where, me, sections)) < sections;) {
      CHECK(s >= 0);
#pragma omp atomic
      ++ran[r][s];
    }
    end_sections(&where, me);
  }
  for (int r = 0; r < rounds; ++r)
    for (int s = 0; s < sections; ++s) CHECK(ran[r][s] == 1);
}

static void whole_vectors(void) {
  ENTRY(int, global_thread_num, void*);
  ENTRY(void, dispatch_init_4, void*, int, int, int, int, int, int);
  ENTRY(int, dispatch_next_4, void*, int, int*, int*, int*, int*);
  enum { guided_simd = 46, runtime_simd = 47, length = 8, n = 1003 };
  static struct {
    int schedule, chunk, code, multiple;
  } const how[] = {{0, 0, guided_simd, length},
                   {omp_sched_static, 0, runtime_simd, length},
                   {omp_sched_static, 3, runtime_simd, 3 * length},
                   {omp_sched_dynamic, 2, runtime_simd, 2 * length},
                   {omp_sched_guided, 2, runtime_simd, 2 * length},
                   {101, 2, runtime_simd, 2 * length},  // libomp's trapezoidal and static_steal
                   {102, 3, runtime_simd, 3 * length},
                   {omp_sched_auto, 0, runtime_simd, length}};
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  for (int h = 0; h < 8; ++h) {
    static int hits[n];
    memset(hits, 0, sizeof hits);
    if (how[h].schedule != 0) omp_set_schedule((omp_sched_t)how[h].schedule, how[h].chunk);
#pragma omp parallel
    {
      int const me = global_thread_num(&where);
      int last = 0, lower, upper, stride;
      dispatch_init_4(&where, me, how[h].code, 0, n - 1, 1, length);
      while (dispatch_next_4(&where, me, &last, &lower, &upper, &stride)) {
        CHECK(upper == n - 1 || (upper - lower + 1) % how[h].multiple == 0);
        for (int i = lower; i <= upper; ++i)
#pragma omp atomic
          ++hits[i];
      }
    }
    for (int i = 0; i < n; ++i) CHECK(hits[i] == 1);
  }
  omp_set_schedule(kind, chunk);
}

// --- leagues

static void loops_of_a_league(int n, int teams) {
  ENTRY(int, global_thread_num, void*);
  ENTRY(void, dist_for_static_init_8u, void*, int, int, int*, uint64_t*, uint64_t*, uint64_t*, int64_t*, int64_t,
        int64_t);
  ENTRY(void, dist_dispatch_init_4, void*, int, int, int*, int, int, int, int);
  ENTRY(int, dispatch_next_4, void*, int, int*, int*, int*, int*);
  ENTRY(void, team_static_init_8, void*, int, int*, int64_t*, int64_t*, int64_t*, int64_t, int64_t);
  enum { most = 500, static_block = 34, static_chunked = 33, dynamic = 35 };
  static int hits[4][most];
  int lasts[2] = {0, 0}, last_teams = 0;
  memset(hits, 0, sizeof hits);
#pragma omp teams num_teams(teams) reduction(+ : last_teams)
  {
    int last_of_team = 0;
    int64_t lower = 0, upper = n - 1, stride = 0;
    team_static_init_8(&where, global_thread_num(&where), &last_of_team, &lower, &upper, &stride, 1, 6);
    for (; lower < n; lower += stride, upper += stride)
      for (int64_t i = lower; i <= upper && i < n; ++i) ++hits[0][i];
    last_teams += last_of_team;
#pragma omp parallel num_threads(3)
    {
      int const me = global_thread_num(&where);
      for (int chunked = 0; chunked < 2; ++chunked) {
        int last = 0;
        uint64_t from = 0, to = (uint64_t)n - 1, to_of_team = 0;
        int64_t step = 0;
        dist_for_static_init_8u(&where, me, chunked ? static_chunked : static_block, &last, &from, &to, &to_of_team,
                                &step, 1, 2);
        CHECK(to_of_team < (uint64_t)n || n == 0);
        uint64_t const end = to_of_team + 1;
        for (; n > 0 && from < end; from += (uint64_t)step, to += (uint64_t)step)
          for (uint64_t i = from; i <= to && i < end; ++i)
#pragma omp atomic
            ++hits[1 + chunked][i];
#pragma omp atomic
        lasts[chunked] += last;
      }
      int last = 0, from, to, step;
      dist_dispatch_init_4(&where, me, dynamic, &last, 0, n - 1, 1, 2);
      while (dispatch_next_4(&where, me, &last, &from, &to, &step))
        for (int i = from; i <= to; ++i)
#pragma omp atomic
          ++hits[3][i];
    }
  }
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < most; ++i) CHECK(hits[k][i] == (i < n));
  CHECK(last_teams == (n > 0) && lasts[0] == (n > 0) && lasts[1] == (n > 0));
}

// --- collapsed nests

enum { less_or_equal, greater_or_equal, not_equal, less, greater };
enum { u32 = 4, i32 = 5, u64 = 6, i64 = 7 };
struct level {
  int type, iv_type, compare, outer;
  uint64_t lower, lower_factor, upper, upper_factor;
  int64_t step;
  uint64_t trips;
};

static int runs(const struct level* l, int64_t iv, int64_t upper) {
  switch (l->compare) {
    case less_or_equal:
      return iv <= upper;
    case greater_or_equal:
      return iv >= upper;
    case less:
      return iv < upper;
    case greater:
      return iv > upper;
    default:
      return iv != upper;
  }
}

// The iterations in their order, as one number each: what a serial program runs.
enum { most_points = 5000 };
static int enumerate(const struct level* nest, int depth, int at, int64_t* ivs, int64_t* points, int found) {
  if (at == depth) {
    int64_t code = 0;
    for (int i = 0; i < depth; ++i) code = code * 1000 + ivs[i] + 300;
    if (found < most_points) points[found] = code;
    return found + 1;
  }
  const struct level* l = &nest[at];
  int64_t const outer = l->outer < at ? ivs[l->outer] : 0;
  int64_t const upper = (int64_t)l->upper + (int64_t)l->upper_factor * outer;
  for (int64_t iv = (int64_t)l->lower + (int64_t)l->lower_factor * outer; runs(l, iv, upper); iv += l->step) {
    ivs[at] = iv;
    found = enumerate(nest, depth, at + 1, ivs, points, found);
  }
  return found;
}

static int place_of(const int64_t* points, int count, const struct level* chunk, int depth, int upper) {
  int64_t code = 0;
  for (int i = 0; i < depth; ++i) {
    uint64_t const raw = upper ? chunk[i].upper : chunk[i].lower;
    int64_t const iv = chunk[i].type == i32   ? (int32_t)raw
                       : chunk[i].type == u32 ? (int64_t)(uint32_t)raw
                                              : (int64_t)raw;
    code = code * 1000 + iv + 300;
  }
  for (int i = 0; i < count; ++i)
    if (points[i] == code) return i;
  return -1;
}

static void collapsed(const struct level* nest, int depth) {
  ENTRY(int, global_thread_num, void*);
  ENTRY(int, for_collapsed_init, void*, int, struct level*, struct level*, int, int*);
  static int64_t points[most_points];
  static int hits[most_points];
  int64_t ivs[4];
  int const count = enumerate(nest, depth, 0, ivs, points, 0);
  CHECK(count <= most_points);
  memset(hits, 0, sizeof hits);
  int lasts = 0;
#pragma omp parallel reduction(+ : lasts)
  {
    struct level mine[4], chunk[4];
    memcpy(mine, nest, sizeof mine);
    int last = 0;
    if (for_collapsed_init(&where, global_thread_num(&where), mine, chunk, depth, &last)) {
      int const from = place_of(points, count, chunk, depth, 0), to = place_of(points, count, chunk, depth, 1);
      CHECK(from >= 0 && to >= from);
      for (int i = from; i >= 0 && i <= to; ++i)
#pragma omp atomic
        ++hits[i];
    }
    for (int i = 0; i < depth; ++i) CHECK(mine[i].compare == less_or_equal || mine[i].compare == greater_or_equal);
    lasts += last;
  }
  for (int i = 0; i < count; ++i) CHECK(hits[i] == 1);
  CHECK(lasts == (count > 0));
}

static void rectangle(const struct level* nest, int depth) {
  ENTRY(uint64_t, process_loop_nest_rectang, void*, int, struct level*, int);
  ENTRY(void, calc_original_ivs_rectang, void*, uint64_t, const struct level*, uint64_t*, int);
  static int64_t points[most_points];
  int64_t ivs[4];
  int const count = enumerate(nest, depth, 0, ivs, points, 0);
  struct level mine[4];
  memcpy(mine, nest, sizeof mine);
  CHECK(process_loop_nest_rectang(&where, 0, mine, depth) == (uint64_t)count);
  for (int k = 0; k < count; ++k) {
    uint64_t found[4];
    calc_original_ivs_rectang(&where, (uint64_t)k, mine, found, depth);
    for (int i = 0; i < depth; ++i) mine[i].lower = found[i];
    CHECK(place_of(points, count, mine, depth, 0) == k);
    memcpy(mine, nest, sizeof mine);
    process_loop_nest_rectang(&where, 0, mine, depth);
  }
}

static void nests(void) {
  uint64_t const minus = (uint64_t)-1;
  struct level box[4] = {{i32, i32, less, 0, (uint64_t)-3, 0, 9, 0, 2, 0},
                         {u32, u32, less_or_equal, 0, 4, 0, 9, 0, 1, 0},
                         {i64, i64, greater, 0, 7, 0, (uint64_t)-5, 0, -3, 0},
                         {u64, u64, not_equal, 0, 1, 0, 4, 0, 1, 0}};
  for (int depth = 1; depth <= 4; ++depth) {
    rectangle(box, depth);
    collapsed(box, depth);
  }
  struct level below[4] = {{u32, u32, less, 0, 0, 0, 40, 0, 1, 0}, {u32, u32, less, 0, 0, 0, 0, 1, 1, 0}};
  collapsed(below, 2);  // j < i: none at i = 0
  struct level above[4] = {{i32, i32, less, 0, 0, 0, 30, 0, 1, 0}, {i32, i32, less, 0, 0, 1, 30, 0, 2, 0}};
  collapsed(above, 2);
  struct level band[4] = {{i64, i64, less_or_equal, 0, 5, 0, 25, 0, 5, 0},
                          {i64, i64, greater_or_equal, 0, 10, 1, (uint64_t)-4, minus, -4, 0},
                          {i32, i32, less, 1, (uint64_t)-2, 1, 3, 1, 1, 0}};
  collapsed(band, 3);
  struct level gaps[4] = {{i32, i32, less, 0, (uint64_t)-9, 0, 9, 0, 1, 0},
                          {i32, i32, less, 0, 0, 0, 0, 2, 1, 0},
                          {i32, i32, less, 0, 0, 0, 3, 0, 1, 0}};
  collapsed(gaps, 3);  // half of the outer iterations have none inside
  struct level nothing[4] = {{u32, u32, less, 0, 0, 0, 0, 0, 1, 0}, {i32, i32, less, 0, 0, 0, 3, 0, 1, 0}};
  rectangle(nothing, 2);
  collapsed(nothing, 2);
}

// --- the graph of tasks

struct node;
struct link {
  struct node* to;
  struct link* next;
};
struct node {
  struct link* successors;
};
struct dependence {
  intptr_t address;
  size_t length;
  unsigned char flags;
};
enum { in = 1, out = 2 };
static int released;

static int wait_until_released(int me, void* task) {
  (void)me, (void)task;
  while (!__atomic_load_n(&released, __ATOMIC_ACQUIRE)) usleep(50);
  return 0;
}
static int nothing_to_do(int me, void* task) { return (void)me, (void)task, 0; }

static void edges_of_the_graph(void) {
  ENTRY(int, global_thread_num, void*);
  ENTRY(void*, omp_task_alloc, void*, int, int, size_t, size_t, int (*)(int, void*));
  ENTRY(int, omp_task_with_deps, void*, int, void*, int, struct dependence*, int, struct dependence*);
  ENTRY(struct node*, task_get_depnode, void*);
  ENTRY(struct link*, task_get_successors, void*);
  released = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    int x, y, me = global_thread_num(&where);
    struct dependence d[] = {{(intptr_t)&x, 0, out}, {(intptr_t)&y, 0, out}};
    void* const first = omp_task_alloc(&where, me, 1, 40, 0, wait_until_released);
    CHECK(task_get_depnode(first) == NULL);
    omp_task_with_deps(&where, me, first, 2, d, 0, NULL);
    CHECK(task_get_successors(first) == NULL);
    d[0].flags = d[1].flags = in;
    void* later[2];
    for (int i = 0; i < 2; ++i) {
      later[i] = omp_task_alloc(&where, me, 1, 40, 0, nothing_to_do);
      omp_task_with_deps(&where, me, later[i], 2, d, 0, NULL);
    }
    struct link* const list = task_get_successors(first);  // each once, though two names lead there
    CHECK(list != NULL && list->next != NULL && list->next->next == NULL);
    if (list != NULL && list->next != NULL) {
      struct node *a = task_get_depnode(later[0]), *b = task_get_depnode(later[1]);
      CHECK((list->to == a && list->next->to == b) || (list->to == b && list->next->to == a));
      CHECK(a->successors == NULL && task_get_depnode(first)->successors == list);
    }
    __atomic_store_n(&released, 1, __ATOMIC_RELEASE);
  }
}

int main(void) {
  numbers_that_cannot_be();  // forks, and so comes first
  exact_numbers();
  lists_of_numbers();
  sections_one_by_one();
  whole_vectors();
  for (int teams = 1; teams <= 5; teams += 2) {
    loops_of_a_league(500, teams);
    loops_of_a_league(4, teams);
  }
  nests();
  edges_of_the_graph();
  if (wrong) return printf("%d wrong\n", wrong), 1;
  puts("ok");
}
