// A program with something to see: tasks that wait for a mutex, a channel, a future, and futures in all their states.
#include <amity/amity.hpp>
#include <atomic>
#include <mutex>
#include <string>

namespace {

amity::sync::mutex held;
amity::sync::channel<int> empty(3), three(4);
amity::promise<int> promised;

struct matrix {
  int rows = 3;
};

std::atomic<int> begun{0};

[[gnu::noinline]] int wait_for_mutex(int level) {
  int const below = level * 10;
  if (level > 0) {
    int const got = wait_for_mutex(level - 1);
    return got + below;
  }
  ++begun;
  std::lock_guard const lock(held);
  return below;
}

[[gnu::noinline]] int wait_for_channel(amity::sync::channel<int>& from) {
  ++begun;
  auto const value = from.receive();
  return value.value_or(0);
}

[[gnu::noinline]] int wait_for_future(amity::future<int>& other) {
  ++begun;
  int const got = other.get();
  return got + 1;
}

[[gnu::noinline]] void stop_here() { asm volatile("" ::: "memory"); }
/// While main waits. A fiber that has slept may be on another OS thread.
[[gnu::noinline]] void stop_there() { asm volatile("" ::: "memory"); }
std::atomic<bool> main_is_going_to_wait{false};

}  // namespace

int main() {
  held.lock();
  for (int i = 7; i < 10; ++i) three.send(i);
  auto locker = amity::async([] { return wait_for_mutex(2); });
  auto receiver = amity::async([] { return wait_for_channel(empty); });
  auto follower = amity::async([wanted = promised.get_future()]() mutable { return wait_for_future(wanted); });
  auto number = amity::make_ready_future(42);
  auto text = amity::make_ready_future(std::string("hello"));
  auto nothing = amity::make_ready_future();
  auto grid = amity::make_ready_future(matrix{});
  amity::future<int> empty_one;
  auto failed = amity::async([]() -> int { throw 1; });
  amity::shared_future<int> shared = amity::make_ready_future(5).share();
  failed.wait();
  while (begun.load() != 3) amity::this_thread::sleep_for(std::chrono::milliseconds(10));
  amity::this_thread::sleep_for(std::chrono::milliseconds(300));  // the last that has begun waits by then, too
  stop_here();
  amity::promise<void> stopped;
  auto wait_for_stop = stopped.get_future();
  amity::post([&stopped] {
    while (!main_is_going_to_wait) amity::this_thread::sleep_for(std::chrono::milliseconds(10));
    amity::this_thread::sleep_for(std::chrono::milliseconds(300));
    stop_there();
    stopped.set_value();
  });
  main_is_going_to_wait = true;
  wait_for_stop.get();
  promised.set_value(1);
  three.close();
  empty.send(2);
  held.unlock();
  return locker.get() + receiver.get() + follower.get() == 30 + 2 + 2 ? 0 : 1;
}
