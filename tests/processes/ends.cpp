// How a job ends; ends.py starts it and looks. The first argument says what is to happen, on the last rank mostly; the
// second what goes on all the while, without end: in OpenMP, of a library (endless.c) and there in a way, which are the
// next two.
#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <vector>

#include "amity/accel.hpp"
#include "check.hpp"

namespace {

int next_rank() { return (amity::rank_me() + 1) % amity::rank_n(); }

void bounce() {
  amity::rpc_ff(
      next_rank(), [](const std::vector<char>&) { bounce(); }, std::vector<char>(100'000));
}

void split(int) {
  for (int i = 0; i < 2; ++i) {
    amity::async_any([i] {
      static std::atomic<unsigned> made{0};
      if (i == 0 || ++made % 64 == 0) split(0);  // one after the other, and some that others may take
    });
  }
}

struct launches {
  amity::accel::kernel<void(unsigned*)> kernel;
  amity::accel::buffer<unsigned> x;
  void again() {
    for (int i = 0; i < 10; ++i) kernel({}, x);
    static_cast<void>(x.read().then([this](auto) { again(); }));
  }
};

// False: there is no device.
bool launch() {
  namespace accel = amity::accel;
  auto const all = accel::remote_devices().get();
  if (all.empty()) return false;
  auto program = all[0].program(accel::source("AMITY_KERNEL void add(AMITY_GLOBAL unsigned* x) { x[0] += 1u; }"));
  (new launches{program.kernel<void(unsigned*)>("add"), all[0].upload(std::vector<unsigned>(1))})->again();
  return true;
}

// OpenMP by all workers.
void (*never_end)(const char*) = nullptr;
bool begin_openmp(const char* library, const char* way) {
  void* const opened = dlopen(library, RTLD_NOW);
  if (opened == nullptr) std::printf("%s\n", dlerror());
  if (opened != nullptr) never_end = reinterpret_cast<void (*)(const char*)>(dlsym(opened, "never_end"));
  if (never_end != nullptr) amity::post([way] { never_end(way); });
  return never_end != nullptr;
}

bool begin(const std::string& traffic) {
  if (traffic == "messages" || traffic == "devices") bounce();
  if (traffic == "steals") {
    amity::set_stealing(amity::stealing::random);
    split(0);
  }
  return traffic != "devices" || launch();
}

}  // namespace

int main(int argc, char** argv) {
  std::string const how = argc > 1 ? argv[1] : "";
  if (how == "never") return 0;  // it has not joined the job; its end does
  if (how == "some_never" && std::getenv("AMITY_TEST_NEVER") != nullptr) return 0;
  int const me = amity::rank_me(), n = amity::rank_n();
  bool const last = me == n - 1;
  if (argc > 4 ? !begin_openmp(argv[3], argv[4]) : argc > 2 && !begin(argv[2])) return 77;
  amity::barrier_all();
  std::printf("pid %d\n", getpid());
  std::fflush(stdout);
  if (how == "throws" && last) throw std::runtime_error("planted in main");
  if (how == "task_throws" && me == 0) amity::rpc_ff(n - 1, [] { throw std::logic_error("planted in a task"); });
  if (how == "serves") return 0;
  if (how == "takes_part") never_end(argv[4]);
  if (how == "sleeps") sleep(60);
  if (how == "waits") {
    if (me == 0) sleep(60);
    amity::barrier_all();
  }
  static std::atomic<bool> endless{true};
  while (how == "computes" && endless.load(std::memory_order_relaxed)) {
  }
  if (how == "other_table") {
    namespace co = amity::collectives;
    if (last) co::tuning::use_rules({{co::tuning::operation::reduce, 0, 0, {co::tuning::method::lanes}}});
    static_cast<void>(co::all_reduce(co::world(), me, std::plus<>()).get());
  }
  if (how == "status") return last ? 3 : 0;
  if (how == "leaves") {  // while the others wait for it
    if (last) std::exit(5);
    amity::barrier_all();
  }
  if (how == "aborts" && last) std::abort();
  if (how == "late") {
    if (me == 0) usleep(200'000);
    amity::rpc_ff((me + 1) % n, [] { amity::rpc_ff(0, [] { std::puts("late"), std::fflush(stdout); }); });
  }
  return 0;
}
