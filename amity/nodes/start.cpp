// The start of the program in each process. Read this first.
//
//     process 0                                          process 1
//     begin(), before all other constructors             begin()
//       plan of the memory, guards ---------------------->  private constructors, the same memory
//       own data into the shared file; "filled" --------->  the same data
//       <------------------------------------------------ "ready"
//       main()'s thread, on a stack that all have          a thread that leads the members here; never returns
//     constructors of libraries, on that thread
//     __libc_start_main(), on that thread: constructors
//     of the program, main(), exit()
#include "amity/nodes/start.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atomic>

#include "amity/base/private_memory.hpp"
#include "amity/nodes/guards.hpp"
#include "amity/nodes/heap.hpp"
#include "amity/nodes/job.hpp"
#include "amity/nodes/keys.hpp"
#include "amity/nodes/links.hpp"
#include "amity/nodes/memory.hpp"
#include "amity/nodes/modules.hpp"
#include "amity/nodes/output.hpp"
#include "amity/omp/cluster/processes.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sys/futex.hpp"

extern "C" {
extern char** environ;
void* __libc_malloc(std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace amity::nodes {

thread_local bool keeps_memory_private = false;

namespace {

thread_local bool is_mains = false;  // main()'s thread

// What process 0 says to each of the others, first of all.
struct opening {
  std::uint64_t hash_of_modules;
  memory_plan memory;
  nodes::guards guards;
  void* keys;  // their table
  unsigned first_key;
};

// --- what the OpenMP library and the scheduler are told

void print_all() noexcept {
  fflush(stdout);
  output::hand_on();
}

/// Threads that wait for what the caller does may print next. One of them may have locked stdout.
void print_if_nobody_does() noexcept {
  if (__fpending(stdout) != 0 && ftrylockfile(stdout) == 0) {
    fflush_unlocked(stdout);
    funlockfile(stdout);
  }
  output::hand_on();
}

constexpr base::memory_source private_memory{[](std::size_t bytes, std::size_t alignment) noexcept {
                                               return alignment <= 16 ? __libc_malloc(bytes)
                                                                      : __libc_memalign(alignment, bytes);
                                             },
                                             [](void* memory) noexcept {
                                               if (all_heaps().contains(memory)) return false;
                                               __libc_free(memory);
                                               return true;
                                             }};

omp::cluster::processes description;

void tell_the_runtime() noexcept {
  base::private_memory_is_from(private_memory);
  sched::setting.map_stack = take_stack;
  sched::setting.unmap_stack = give_stack_back;
  sched::setting.node = us.own;
  sched::setting.futexes_are_shared = kernel_knows_it_as_one();
  if (!kernel_knows_it_as_one()) sched::setting.longest_futex_wait_ns = 100'000;
  description = {.count = us.count,
                 .own = us.own,
                 .send = send_message,
                 .is_mains_thread = []() noexcept { return is_mains; },
                 .is_everywhere = is_in_module,
                 .print_all = print_all,
                 .hand_on_output = print_if_nobody_does,
                 .memory_travels = !kernel_knows_it_as_one(),
                 .waits_for_memory = waits_for_pages,
                 .waited = kernel_knows_it_as_one() || us.always_spreads ? nullptr : waited_by_process,
                 .waits_of_thread = us.prints_figures && !kernel_knows_it_as_one() ? waits_of_thread : nullptr,
                 .ask_when_due = wake_service,
                 .environment = []() noexcept { return reinterpret_cast<std::uint64_t>(environ); },
                 .environment_is = [](std::uint64_t there) noexcept { environ = reinterpret_cast<char**>(there); }};
  for (int p = 0; p < us.count; ++p) description.threads[p] = us.threads[p];
  amity_omp_over_processes()->begin(description);
  if (threads_have_variables()) amity_omp_over_processes()->threads_have_data();
}

// --- threads of the program that this library makes

std::size_t stack_of_main() noexcept {
  pthread_attr_t usual;
  pthread_attr_init(&usual);
  std::size_t bytes = 8u << 20;
  pthread_attr_getstacksize(&usual, &bytes);  // by the limit of the shell
  pthread_attr_destroy(&usual);
  return bytes;
}

void make_thread(void* (*run)(void*), const char* what) noexcept {
  sys::stack const stack = take_stack(stack_of_main());
  if (!stack) refuse("no stack for %s: %s", what, strerror(errno));
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack.base, stack.size & ~std::size_t{63});
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  if (int const error = pthread_create(&thread, &attributes, run, nullptr); error != 0)
    refuse("%s can't be made: %s", what, strerror(error));
  pthread_attr_destroy(&attributes);
}

[[noreturn]] void sleep_for_ever() noexcept {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);  // the program's signals are its threads'
  for (;;) pause();
}

// --- processes above 0

void* lead_members(void*) {
  amity_omp_over_processes()->serve();
  return nullptr;  // never
}

[[noreturn, gnu::noinline]] void serve_with(const guards& of_process_0) noexcept {
  guards const own = current_guards();
  set_guards(of_process_0);  // a thread inherits them from the one that makes it
  make_thread(lead_members, "the thread that leads this node's members");
  set_guards(own);
  sleep_for_ever();
}

[[noreturn]] void begin_elsewhere(int argc, char** argv, char** environment) noexcept {
  run_private_constructors(argc, argv, environment);
  heap::watch_forks();
  output::begin();
  make_service_thread();
  prepare_memory();
  opening first;
  read_from(0, &first, sizeof first);
  if (first.hash_of_modules != hash_of_modules())
    refuse(
        "the program or one of its libraries is another one here than on node 0, or lies elsewhere in memory. All "
        "nodes need the same files, and leave to turn off the randomisation of addresses (personality(2))");
  map_memory(first.memory);
  heap::begin(own_heap().from, own_heap().to, forget);
  keys::begin(first.keys);
  if (keys::first_key() != first.first_key)
    refuse("keys for data of threads are not those of node 0: %u, not %u", keys::first_key(), first.first_key);
  char filled;
  read_from(0, &filled, 1);
  overlay_modules();
  begin_pages();
  tell_the_runtime();
  is_on = true;
  let_service_begin();
  write_to(0, &filled, 1);  // ready
  serve_with(first.guards);
}

// --- process 0: the thread of main()

using main_function = int (*)(int, char**, char**);
using start_function = int (*)(main_function, int, char**, void (*)(), void (*)(), void (*)(), void*);

struct {
  start_function real;
  main_function main;
  int argc;
  char** argv;
  void (*init)();
  void (*fini)();
  void (*rtld_fini)();
  void* stack_end;
} program;

// What that thread is to do next: nothing, constructors, or to start the program. Release when it is set, acquire where
// it is read.
enum : std::uint32_t { nothing, constructors, start };
std::atomic<std::uint32_t> errand{nothing};
constructor_list of_library;

void set_errand(std::uint32_t to) noexcept {
  errand.store(to, std::memory_order_release);
  sys::futex_wake(errand, sys::wake_all);
}

// By the loader's thread.
void run_on_mains_thread(const constructor_list& list) {
  of_library = list;
  set_errand(constructors);
  while (errand.load(std::memory_order_acquire) == constructors) sys::futex_wait(errand, constructors);
}

// Strings that all processes can read.
char** copied(char** list, int count) noexcept {
  auto* const copy = static_cast<char**>(heap::take(static_cast<std::size_t>(count + 1) * sizeof(char*)));
  for (int i = 0; i < count; ++i) {
    std::size_t const bytes = strlen(list[i]) + 1;
    copy[i] = static_cast<char*>(memcpy(heap::take(bytes), list[i], bytes));
  }
  copy[count] = nullptr;
  return copy;
}

void* mains_thread(void*) {
  is_mains = true;
  for (;;) {
    std::uint32_t const what = errand.load(std::memory_order_acquire);
    if (what == start) break;
    if (what == nothing) {
      sys::futex_wait(errand, nothing);
      continue;
    }
    for (int i = 0; i < of_library.count; ++i) of_library.first[i](program.argc, program.argv, environ);
    set_errand(nothing);
  }
  int count = 0;
  while (environ[count] != nullptr) ++count;
  environ = copied(environ, count);
  atexit(end_others);  // before the program's and libc's own: so it runs after them
  program.real(program.main, program.argc, program.argv, program.init, program.fini, program.rtld_fini,
               program.stack_end);
  __builtin_unreachable();  // libc calls exit() with what main() returns
}

void begin_main(int argc, char** argv) noexcept {
  make_service_thread();  // before the overlay: libc says in a word of the program that there are threads
  prepare_memory();
  heap::watch_forks();
  opening first{hash_of_modules(), plan_memory(), current_guards(), nullptr, 0};
  map_memory(first.memory);
  heap::begin(own_heap().from, own_heap().to, forget);
  first.keys = heap::take_zeroed(keys::table_size());
  keys::begin(first.keys);
  first.first_key = keys::first_key();
  for (int p = 1; p < us.count; ++p) write_to(p, &first, sizeof first);
  overlay_modules();
  begin_pages();
  char const filled = 1;
  for (int p = 1; p < us.count; ++p) write_to(p, &filled, 1);
  for (int p = 1; p < us.count; ++p) {
    char ready;
    read_from(p, &ready, 1);
  }
  tell_the_runtime();
  let_service_begin();
  program.argc = argc;
  program.argv = copied(argv, argc);
  make_thread(mains_thread, "main()'s thread");
  hand_over_constructors(run_on_mains_thread);
  is_on = true;
}

// With -z initfirst, the loader runs it before all others.
[[gnu::constructor]] void begin(int argc, char** argv, char** environment) noexcept {
  if (!read_job(environment)) return;
  in_private const own;
  if (!guards_can_be_set) refuse("programs over several nodes are for x86-64 so far");
  list_modules();
  refuse_unsuitable_modules();
  if (us.own != 0) begin_elsewhere(argc, argv, environment);
  begin_main(argc, argv);
}

}  // namespace

void exit_here(int status) noexcept {
  static int what;
  what = status;
  in_private const own;
  make_thread(
      [](void*) -> void* {
        exit(what);
        return nullptr;
      },
      "a thread that ends the program");
}

}  // namespace amity::nodes

using namespace amity::nodes;

extern "C" [[gnu::visibility("default")]] int __libc_start_main(main_function main, int argc, char** argv,
                                                                void (*init)(), void (*fini)(), void (*rtld_fini)(),
                                                                void* stack_end) {
  auto real = reinterpret_cast<start_function>(dlvsym(RTLD_NEXT, "__libc_start_main", "GLIBC_2.34"));
  if (real == nullptr) real = reinterpret_cast<start_function>(dlsym(RTLD_NEXT, "__libc_start_main"));
  if (!is_on) return real(main, argc, argv, init, fini, rtld_fini, stack_end);
  for (const char* const name : {"LD_PRELOAD", "LD_BIND_NOW"}) unsetenv(name);
  program.real = real;
  program.main = main;
  program.init = init;
  program.fini = fini;
  program.rtld_fini = rtld_fini;
  program.stack_end = stack_end;
  set_errand(start);
  sleep_for_ever();
}
