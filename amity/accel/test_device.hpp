#pragma once

/// A driver for tests: a thread of its own runs the commands of all streams, as slowly as a test wants it, fails where
/// it is told to, and may lose what it should announce. Memory is the host's, and a kernel is a function.

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "amity/accel/device.hpp"

namespace amity::accel::test {

using namespace amity::accel::detail;

struct test_memory final : native_memory {
  explicit test_memory(std::size_t n, std::atomic<int>& alive) : bytes(n), alive_count(alive) { ++alive_count; }
  ~test_memory() override { --alive_count; }
  std::vector<std::byte> bytes;
  std::atomic<int>& alive_count;
};

/// What a kernel gets: its buffers as memory, its values as bytes.
using kernel_function =
    std::function<void(const std::vector<std::byte*>& buffers, const std::vector<const std::byte*>&)>;

struct test_kernel final : native_kernel {
  kernel_function run;
};

/// The state of a command, as its mark.
struct test_mark {
  std::atomic<int> status{1};  ///< 1: it runs; 0: done; below: failed
  std::atomic<bool> wants_announcement{false};
  std::atomic<int> references{2};  ///< the driver's and the operation's
  void drop() {
    if (references.fetch_sub(1) == 1) delete this;
  }
};

struct test_command {
  std::function<void()> run;
  std::vector<test_mark*> after;
  test_mark* mark;
  bool fails;
};

/// The driver of all devices of a test.
class test_driver {
 public:
  explicit test_driver(unsigned seed = 1) : random_(seed), thread_([this] { work(); }) {}
  ~test_driver() {
    {
      std::lock_guard const held(lock_);
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  std::size_t new_queue() {
    std::lock_guard const held(lock_);
    queues_.emplace_back();
    return queues_.size() - 1;
  }
  void push(std::size_t queue, test_command c) {
    {
      std::lock_guard const held(lock_);
      queues_[queue].push_back(std::move(c));
    }
    changed_.notify_all();
  }
  /// Nothing begins any more, or it goes on.
  void pause(bool yes) {
    {
      std::lock_guard const held(lock_);
      is_paused_ = yes;
    }
    changed_.notify_all();
  }

  std::atomic<bool> loses_announcements{false};
  std::atomic<int> next_failure{0};  ///< the next command fails with this
  std::atomic<int> memories_alive{0};
  std::atomic<int> commands{0};  ///< that have run
  std::map<std::string, kernel_function> kernels;

 private:
  bool may_begin(const test_command& c) const {
    for (const test_mark* const m : c.after)
      if (m->status.load() == 1) return false;
    return true;
  }
  /// Of the streams that can go on, one by chance.
  std::deque<test_command>* choose() {
    std::vector<std::deque<test_command>*> ready;
    for (auto& q : queues_)
      if (!q.empty() && may_begin(q.front())) ready.push_back(&q);
    return is_paused_ || ready.empty() ? nullptr : ready[random_() % ready.size()];
  }
  void work() {
    std::unique_lock held(lock_);
    for (;;) {
      std::deque<test_command>* chosen = nullptr;
      changed_.wait(held, [&] { return (chosen = choose()) != nullptr || ends_; });
      if (chosen == nullptr) return;
      test_command c = std::move(chosen->front());
      chosen->pop_front();
      held.unlock();
      end(c);
      held.lock();
    }
  }
  void end(test_command& c) {
    if (!c.fails) c.run();
    ++commands;
    for (test_mark* const m : c.after) m->drop();
    c.mark->status.store(c.fails ? -5 : 0);
    if (c.mark->wants_announcement.exchange(false) && !loses_announcements) announce_end();
    c.mark->drop();
  }

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::deque<test_command>> queues_;
  std::minstd_rand random_;
  bool ends_ = false, is_paused_ = false;
  std::thread thread_;
};

inline std::byte* bytes_of(native_memory* m) { return static_cast<test_memory*>(m)->bytes.data(); }

class test_stream final : public native_stream {
 public:
  test_stream(test_driver& d, std::size_t queue) : driver_(d), queue_(queue) {}

  mark enqueue(const command& c, std::span<const mark> after) override {
    auto* const made = new test_mark;
    test_command t{action(c), {}, made, driver_.next_failure.exchange(0) != 0};
    for (mark const m : after) {
      static_cast<test_mark*>(m)->references.fetch_add(1);
      t.after.push_back(static_cast<test_mark*>(m));
    }
    driver_.push(queue_, std::move(t));
    return made;
  }
  void flush() noexcept override {}
  mark_state look(mark m, int& code) noexcept override {
    code = static_cast<test_mark*>(m)->status.load();
    return code == 1 ? mark_state::runs : code == 0 ? mark_state::done : mark_state::failed;
  }
  void announce(mark m) noexcept override {
    auto* const t = static_cast<test_mark*>(m);
    t->wants_announcement.store(true);
    if (t->status.load() != 1 && t->wants_announcement.exchange(false)) announce_end();
  }
  void release(mark m) noexcept override { static_cast<test_mark*>(m)->drop(); }
  std::string words_of(mark, int code) const override { return "the test's error " + std::to_string(code); }

 private:
  static std::function<void()> action(const command& c) {
    switch (c.is) {
      case command::kind::write:
        return [to = bytes_of(c.to) + c.to_offset, from = c.host_from, n = c.bytes] { std::memcpy(to, from, n); };
      case command::kind::read:
        return [to = c.host_to, from = bytes_of(c.from) + c.from_offset, n = c.bytes] { std::memcpy(to, from, n); };
      case command::kind::copy:
        return [to = bytes_of(c.to) + c.to_offset, from = bytes_of(c.from) + c.from_offset, n = c.bytes] {
          std::memcpy(to, from, n);
        };
      case command::kind::fill:
        return [to = bytes_of(c.to) + c.to_offset, from = c.host_from, n = c.bytes, m = c.pattern_bytes] {
          for (std::size_t i = 0; i < n; i += m) std::memcpy(to + i, from, m);
        };
      case command::kind::launch: {
        std::vector<std::byte*> buffers;
        std::vector<std::vector<std::byte>> values;
        for (const argument& a : c.arguments) {
          if (a.is == parameter::kind::memory) buffers.push_back(bytes_of(a.memory));
          if (a.is == parameter::kind::value) values.emplace_back(c.values + a.at, c.values + a.at + a.bytes);
        }
        return [run = static_cast<test_kernel*>(c.kernel)->run, buffers, values] {
          std::vector<const std::byte*> views;
          for (const auto& v : values) views.push_back(v.data());
          run(buffers, views);
        };
      }
      default:
        return [] {};
    }
  }

  test_driver& driver_;
  std::size_t queue_;
};

class test_program final : public native_program {
 public:
  explicit test_program(test_driver& d) : driver_(d) {}
  std::unique_ptr<native_kernel> kernel(const std::string& name) override {
    auto const found = driver_.kernels.find(name);
    if (found == driver_.kernels.end()) throw kernel_error("there is no kernel '" + name + "'");
    auto made = std::make_unique<test_kernel>();
    made->run = found->second;
    return made;
  }
  std::vector<std::string> kernel_names() const override { return {}; }
  std::vector<std::byte> binary() const override { return {}; }

 private:
  test_driver& driver_;
};

class test_device final : public native_device {
 public:
  explicit test_device(test_driver& d, const void* its_domain = nullptr)
      : driver_(d), domain_(its_domain != nullptr ? its_domain : &d) {
    facts_.backend = "test";
    facts_.name = "thread";
    facts_.largest_block = 1024;
  }
  const void* domain() const noexcept override { return domain_; }
  std::unique_ptr<native_memory> allocate(std::size_t bytes) override {
    return std::make_unique<test_memory>(bytes, driver_.memories_alive);
  }
  std::unique_ptr<native_stream> open_stream() override {
    return std::make_unique<test_stream>(driver_, driver_.new_queue());
  }
  std::unique_ptr<native_program> build(const program_text& text) override {
    if (text.source == "bad") throw build_error("it can't be built", "line 1: bad");
    return std::make_unique<test_program>(driver_);
  }
  std::vector<std::unique_ptr<native_device>> split(std::uint32_t) override { return {}; }
  std::vector<std::pair<std::string, std::string>> properties() const override { return {}; }

 private:
  test_driver& driver_;
  const void* domain_;
};

/// A device of `d`, which is not forgotten any more. `d` outlives its operations; its streams are never used again.
inline device new_test_device(test_driver& d, const void* domain = nullptr) {
  return device(*new device_object(std::make_unique<test_device>(d, domain), 0));
}

}  // namespace amity::accel::test
