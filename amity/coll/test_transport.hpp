#pragma once

/// A transport of threads and queues, for the tests of algorithms. Values are words that are put together: that keeps
/// an order, and nothing else does.

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "amity/coll/transport.hpp"

namespace amity::collectives::test {

/// All messages, in queues by who, to whom and which.
class post_office {
 public:
  /// `once`: no two messages of one operation may be called the same.
  explicit post_office(bool once) : once_(once) {}
  void put(int from, int to, int tag, std::vector<std::byte> bytes) {
    std::lock_guard const held(lock_);
    EXPECT_TRUE(!once_ || seen_.insert({from, to, tag}).second) << from << " to " << to << ", tag " << tag;
    queue& q = queues_[{from, to, tag}];
    q.messages.push_back(std::move(bytes));
    q.come.notify_one();
  }
  std::vector<std::byte> take(int from, int to, int tag) {
    std::unique_lock held(lock_);
    queue& q = queues_[{from, to, tag}];
    q.come.wait(held, [&] { return !q.messages.empty(); });
    std::vector<std::byte> bytes = std::move(q.messages.front());
    q.messages.erase(q.messages.begin());
    return bytes;
  }
  bool is_empty() {
    std::lock_guard const held(lock_);
    for (const auto& [key, q] : queues_)
      if (!q.messages.empty()) return false;
    return true;
  }

 private:
  struct queue {
    std::vector<std::vector<std::byte>> messages;
    std::condition_variable come;  ///< one site waits for it
  };
  bool once_;
  std::mutex lock_;
  std::map<std::tuple<int, int, int>, queue> queues_;
  std::set<std::tuple<int, int, int>> seen_;
};

struct local_transport {
  post_office& office;
  int me, n;
  [[nodiscard]] int site() const { return me; }
  [[nodiscard]] int sites() const { return n; }
  void send(int to, int tag, std::span<const std::byte> bytes) {
    office.put(me, to, tag, {bytes.begin(), bytes.end()});
  }
  owned_bytes receive(int from, int tag) { return owned_bytes(office.take(from, me, tag)); }
};
static_assert(transport<local_transport>);

/// With all that a transport may have. Bytes that are kept must not change until they are settled.
class able_transport : public local_transport {
 public:
  able_transport(post_office& o, int site, int sites) : local_transport{o, site, sites} {}
  able_transport(const able_transport&) = delete;
  able_transport& operator=(const able_transport&) = delete;
  ~able_transport() { EXPECT_TRUE(kept_.empty()); }

  void send_kept(int to, int tag, std::span<const std::byte> bytes) {
    send(to, tag, bytes);
    kept_.emplace_back(bytes, std::vector<std::byte>(bytes.begin(), bytes.end()));
  }
  void settle() {
    for (const auto& [there, sent] : kept_) EXPECT_TRUE(std::equal(there.begin(), there.end(), sent.begin()));
    kept_.clear();
  }
  void expect(int from, int tag, std::size_t) { expect_at(from, tag, {}); }
  void expect_at(int from, int tag, std::span<std::byte> place) {
    EXPECT_TRUE(places_.emplace(std::pair(from, tag), place).second);
  }

  class message {
   public:
    message(owned_bytes own, std::span<std::byte> place) : own_(std::move(own)), place_(place) {
      if (!place_.empty()) std::memcpy(place_.data(), own_.bytes().data(), own_.bytes().size());
    }
    [[nodiscard]] std::span<const std::byte> bytes() const { return place_.empty() ? own_.bytes() : place_; }

   private:
    owned_bytes own_;
    std::span<std::byte> place_;
  };
  message receive(int from, int tag) {
    std::span<std::byte> place;
    if (auto const at = places_.find({from, tag}); at != places_.end()) {
      place = at->second;
      places_.erase(at);
    }
    return {local_transport::receive(from, tag), place};
  }

 private:
  std::vector<std::pair<std::span<const std::byte>, std::vector<std::byte>>> kept_;
  std::map<std::pair<int, int>, std::span<std::byte>> places_;
};
static_assert(transport<able_transport> && keeps_bytes<able_transport>);

/// Threads that run one piece of work after the other: a test has thousands, and threads are slow to make where
/// ThreadSanitizer looks on.
class crew {
 public:
  crew() = default;
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;
  ~crew() {
    for (auto& m : members_) m.thread.request_stop();
  }
  /// `work(i)` on the `i`th of `n` threads; returns when all have ended.
  void run(int n, const std::function<void(int)>& work) {
    std::unique_lock held(lock_);
    while (static_cast<int>(members_.size()) < n) add();
    work_ = &work;
    left_ = n;
    for (int i = 0; i < n; ++i) members_[static_cast<std::size_t>(i)].has_work = true;
    changed_.notify_all();
    over_.wait(held, [&] { return left_ == 0; });
  }

 private:
  struct member {
    bool has_work = false;
    std::jthread thread;
  };
  void add() {
    member& m = members_.emplace_back();
    m.thread = std::jthread([this, &m, i = static_cast<int>(members_.size()) - 1](const std::stop_token& stop) {
      for (std::unique_lock held(lock_); changed_.wait(held, stop, [&] { return m.has_work; });) {
        const std::function<void(int)>& work = *work_;
        held.unlock();
        work(i);
        held.lock();
        m.has_work = false;
        if (--left_ == 0) over_.notify_all();
      }
    });
  }

  std::mutex lock_;
  std::condition_variable_any changed_;
  std::condition_variable over_;
  const std::function<void(int)>* work_ = nullptr;
  int left_ = 0;
  std::deque<member> members_;  ///< last: they end before what they use
};

/// Of all tests of the process.
inline crew& sites() {
  static crew all;
  return all;
}

/// Runs `body(transport)` at each of `n` sites; no message may be left.
template <class T = local_transport, class Body>
void at_all(int n, Body body, bool once = false) {
  post_office office(once);
  sites().run(n, [&](int i) {
    T t{office, i, n};
    body(t);
  });
  EXPECT_TRUE(office.is_empty());
}

inline std::span<const std::byte> bytes_of(const std::string& s) { return std::as_bytes(std::span(s)); }
inline std::string text_of(std::span<const std::byte> b) { return {reinterpret_cast<const char*>(b.data()), b.size()}; }
constexpr auto send_text = [](const std::string& s, auto send) { send(bytes_of(s)); };
constexpr auto join = [](const std::string& a, const std::string& b) { return a + b; };

inline std::string letter(int site) { return {static_cast<char>('a' + site)}; }
inline std::string letters(int from, int to) {
  std::string all;
  for (int i = from; i < to; ++i) all += letter(i);
  return all;
}

/// Nodes in a row, dealt in turn, and of different sizes.
inline std::vector<std::vector<int>> placements(int n) {
  std::vector<std::vector<int>> all(4);
  for (int s = 0; s < n; ++s) {
    all[0].push_back(s / 4);
    all[1].push_back(s % 3);
    all[2].push_back(s < 1 ? 5 : s < 8 ? 1 : 7);
    all[3].push_back(9);
  }
  return all;
}

constexpr auto add = [](std::span<long> into, std::span<const std::byte> bytes, bool) {
  ASSERT_EQ(bytes.size(), into.size_bytes());
  for (std::size_t i = 0; i < into.size(); ++i) {
    long other;
    std::memcpy(&other, bytes.data() + i * sizeof(long), sizeof other);
    into[i] += other;
  }
};

constexpr auto fill = [](auto into, std::span<const std::byte> bytes) {
  ASSERT_EQ(bytes.size(), into.size_bytes());
  if (!bytes.empty() && bytes.data() != std::as_bytes(into).data())
    std::memcpy(into.data(), bytes.data(), bytes.size());
};

}  // namespace amity::collectives::test
