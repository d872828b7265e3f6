#include "amity/algo/scheduler_executor.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "amity/algo/for_loop.hpp"
#include "amity/algo/reduce.hpp"
#include "amity/algo/sort.hpp"
#include "amity/algo/test_support.hpp"
#include "amity/finish/finish.hpp"
#include "amity/future/execution/task_scheduler.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;

TEST(scheduler_executor, amitys_own) {
  ex::scheduler_executor const by(amity::get_scheduler());
  for (std::size_t n : {0, 1, 2, 100, 20011}) {
    auto v = numbers(n, 1000);
    EXPECT_EQ(amity::reduce(ex::par.on(by), v.begin(), v.end(), 1L), std::reduce(v.begin(), v.end(), 1L));
    amity::sort(ex::par.on(by).with(ex::static_chunk_size(100)), v.begin(), v.end());
    EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
  }
  EXPECT_EQ(amity::async(
                by, [](int a) { return a + 1; }, 41)
                .get(),
            42);
  EXPECT_THROW(amity::async(by, [] { throw 42; }).get(), int);
  EXPECT_THROW(amity::for_loop(ex::par.on(by), 0, 100, [](int i) { i == 50 ? throw 42 : i; }), exception_list);
  EXPECT_EQ(amity::async([] { return 1; }).then(by, [](future<int> f) { return f.get() + 1; }).get(), 2);
}

TEST(scheduler_executor, what_is_refused_the_caller_does) {
  std::stop_source stop;
  std::atomic<int> calls{0};
  finish(stop.get_token(), [&] {
    stop.request_stop();  // makes schedule() say that it was stopped
    amity::for_loop(ex::par.on(ex::scheduler_executor(amity::get_scheduler(), 3)), 0, 1000, [&](int) { ++calls; });
  });
  EXPECT_EQ(calls, 1000);
}

/// A thread of the program's own.
class one_thread {
 public:
  one_thread() : thread_([this] { run(); }) {}
  ~one_thread() {
    add({});
    thread_.join();
  }
  void add(std::function<void()> f) {
    std::lock_guard const held(lock_);
    all_.push_back(std::move(f));
    changed_.notify_one();
  }
  [[nodiscard]] std::thread::id id() const { return thread_.get_id(); }

 private:
  void run() {
    for (;;) {
      std::unique_lock held(lock_);
      changed_.wait(held, [this] { return !all_.empty(); });
      auto const f = std::move(all_.front());
      all_.pop_front();
      held.unlock();
      if (f == nullptr) return;
      f();
    }
  }
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> all_;
  std::thread thread_;
};

struct thread_scheduler {
  one_thread* where;

  template <class R>
  struct operation {
    using operation_state_concept = ex::operation_state_t;
    one_thread* where;
    R to;
    operation(one_thread* w, R&& r) : where(w), to(std::move(r)) {}
    operation(const operation&) = delete;
    void start() & noexcept {
      where->add([this] { ex::set_value(std::move(to)); });
    }
  };
  struct sender {
    using sender_concept = ex::sender_t;
    using completion_signatures = ex::completion_signatures<ex::set_value_t()>;
    template <class Self, class... Env>
    static constexpr completion_signatures get_completion_signatures() noexcept {
      return {};
    }
    struct attributes {
      one_thread* where;
      [[nodiscard]] thread_scheduler query(ex::get_completion_scheduler_t<ex::set_value_t>) const noexcept {
        return {where};
      }
    };
    one_thread* where;
    template <ex::receiver R>
    [[nodiscard]] operation<R> connect(R r) const {
      return {where, std::move(r)};
    }
    [[nodiscard]] attributes get_env() const noexcept { return {where}; }
  };
  using scheduler_concept = ex::scheduler_t;
  [[nodiscard]] sender schedule() const noexcept { return {where}; }
  bool operator==(const thread_scheduler&) const noexcept = default;
};

TEST(scheduler_executor, a_thread_of_the_programs) {
  one_thread thread;
  ex::scheduler_executor const by(thread_scheduler{&thread}, 2);
  std::atomic<int> here{0}, elsewhere{0};
  amity::for_loop(ex::par.on(by), 0, 500,
                  [&](int) { ++(std::this_thread::get_id() == thread.id() ? here : elsewhere); });
  EXPECT_EQ(here, 500);
  EXPECT_EQ(elsewhere, 0);
  EXPECT_EQ(amity::async(by, [] { return std::this_thread::get_id(); }).get(), thread.id());
}

}  // namespace
}  // namespace amity
