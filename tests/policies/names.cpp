// What the process's policy can be, by setting and by program; run by the tests with an environment each.
#include <amity/amity.hpp>
#include <cstdio>
#include <cstring>

namespace {

struct one_queue final : amity::scheduling_policy {
  amity::sys::spin_lock lock;
  std::vector<amity::task_ref> tasks;

  void put(amity::task_ref t, const amity::placement&) noexcept override {
    std::lock_guard const held(lock);
    tasks.push_back(t);
  }
  amity::task_ref take(int) noexcept override {
    std::lock_guard const held(lock);
    if (tasks.empty()) return {};
    amity::task_ref const t = tasks.back();
    tasks.pop_back();
    return t;
  }
};

long fib(int n) {
  if (n < 2) return n;
  auto a = amity::async([n] { return fib(n - 1); });
  return fib(n - 2) + a.get();
}

}  // namespace

// Arguments: the name that use_scheduler gets ("-": it is not called), and the name that must be in use.
int main(int, char** argv) {
  bool right = amity::register_policy(
      "one-queue", [](const amity::policy_options&) -> amity::scheduling_policy* { return new one_queue; });
  if (std::strcmp(argv[1], "-") != 0)
    right =
        (amity::use_scheduler(argv[1]) == amity::scheduler_choice::done) == (std::strcmp(argv[1], "nonsense") != 0) &&
        right;
  right = fib(12) == 144 && right;
  right = amity::use_scheduler("static") == amity::scheduler_choice::too_late && right;
  right = std::strcmp(amity::scheduler_name(), argv[2]) == 0 && right;
  std::puts(right ? "ok" : "failed");
  return right ? 0 : 1;
}
