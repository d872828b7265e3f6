// Doacross loops of a team over several processes: process 0 knows how far each member, or each chunk, has come, and
// who waits for that. rt/doacross.cpp says what positions are.
#include <cstdint>
#include <mutex>

#include "amity/omp/cluster/job.hpp"
#include "amity/omp/cluster/pool.hpp"
#include "amity/omp/hooks/cluster.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::omp::cluster {
namespace {

struct post_answer : answer {
  std::uint64_t progress = 0;
};

struct post_waiter {
  std::uint64_t need;
  std::uint64_t address;  // of its answer
  int process;
  post_waiter* next;
};

struct post_entry {
  post_place of;
  std::uint64_t progress = 0;
  post_waiter* waiters = nullptr;
  post_entry* chained = nullptr;
};

// In process 0, since the last barrier or the region's begin.
constexpr std::size_t buckets = 1024;
struct {
  sys::spin_lock lock;
  post_entry* first[buckets] = {};
  bool some = false;
} posts;
pool<post_entry> entries;
pool<post_waiter> waiters;

post_entry& entry_of(const post_place& of) noexcept {  // under the lock
  post_entry*& first = posts.first[(of.loop * 31 + of.key) % buckets];
  for (post_entry* e = first; e != nullptr; e = e->chained)
    if (e->of == of) return *e;
  post_entry* const made = entries.take();
  *made = {.of = of, .chained = first};
  posts.some = true;
  return *(first = made);
}

void answer_with(int process, std::uint64_t address, std::uint64_t progress) noexcept {
  if (process != 0) return tell(process, {.about = topic::post_is, .a = progress, .b = address});
  auto& asked = static_cast<post_answer&>(answer::at(address));
  asked.progress = progress;
  asked.give(0);
}

// Those whom the entry's progress satisfies go to the list. Under the lock.
void take_satisfied(post_entry& e, post_waiter*& satisfied) noexcept {
  for (post_waiter** at = &e.waiters; *at != nullptr;) {
    post_waiter* const w = *at;
    if (w->need > e.progress) {
      at = &w->next;
      continue;
    }
    *at = w->next;
    w->next = satisfied;
    satisfied = w;
  }
}

void answer_all(post_waiter* satisfied, std::uint64_t progress) noexcept {
  while (satisfied != nullptr) {
    post_waiter* const w = satisfied;
    satisfied = w->next;
    answer_with(w->process, w->address, progress);
    std::lock_guard const guard(posts.lock);
    waiters.give_back(w);
  }
}

void note_post(const post_place& of, std::uint64_t progress) noexcept {
  post_waiter* satisfied = nullptr;
  {
    std::lock_guard const guard(posts.lock);
    post_entry& e = entry_of(of);
    if (progress <= e.progress) return;
    e.progress = progress;
    take_satisfied(e, satisfied);
  }
  answer_all(satisfied, progress);
}

// A member that is at the region's end has posted all that it will, and nobody is to wait for the rest.
constexpr std::uint64_t all_of_it = ~std::uint64_t{0} - 1;
bool is_of_absent(const post_place& of) noexcept {
  std::uint64_t const member = of.key & ~key_of_member(0);
  return member != of.key && is_through(process_of_member(member));
}

void ask_post(const post_place& of, std::uint64_t need, int process, std::uint64_t address) noexcept {
  std::uint64_t progress;
  {
    std::lock_guard const guard(posts.lock);
    post_entry& e = entry_of(of);
    if (is_of_absent(of)) e.progress = all_of_it;
    progress = e.progress;
    if (progress < need) {
      post_waiter* const w = waiters.take();
      *w = {need, address, process, e.waiters};
      e.waiters = w;
      return;
    }
  }
  answer_with(process, address, progress);
}

// The place and a position follow the message's head.
struct post_body {
  post_place of;
  std::uint64_t position;
};

void send_post(topic about, const post_place& of, std::uint64_t position, std::uint64_t address) noexcept {
  post_body const b{of, position};
  piece const body{&b, sizeof b};
  others->send(0, {.about = about, .bytes = sizeof b, .b = address}, &body, 1);
}

}  // namespace

void forget_posts() noexcept {
  std::lock_guard const guard(posts.lock);
  if (!posts.some) return;
  posts.some = false;
  for (post_entry*& first : posts.first)
    while (post_entry* const e = first) {
      first = e->chained;
      entries.give_back(e);
    }
}

void answer_for_absent_posts() noexcept {
  post_waiter* satisfied = nullptr;
  {
    std::lock_guard const guard(posts.lock);
    if (!posts.some) return;
    for (post_entry* const first : posts.first)
      for (post_entry* e = first; e != nullptr; e = e->chained) {
        if (!is_of_absent(e->of)) continue;
        e->progress = all_of_it;
        take_satisfied(*e, satisfied);
      }
  }
  answer_all(satisfied, all_of_it);
}

void post(const post_place& of, std::uint64_t progress) noexcept {
  others->hand_on_output();
  if (others->own == 0) return note_post(of, progress);
  send_post(topic::posts, of, progress, 0);
}

std::uint64_t await_post(const post_place& of, std::uint64_t need) noexcept {
  post_answer ours;
  if (others->own == 0)
    ask_post(of, need, 0, ours.address());
  else
    send_post(topic::asks_post, of, need, ours.address());
  static_cast<void>(ours.await());
  return ours.progress;
}

void take_post(const void* body) noexcept {
  auto const& b = *static_cast<const post_body*>(body);
  note_post(b.of, b.position);
}

void take_post_question(int from, const message& m, const void* body) noexcept {
  auto const& b = *static_cast<const post_body*>(body);
  ask_post(b.of, b.position, from, m.b);
}

void take_post_answer(const message& m) noexcept {
  auto& asked = static_cast<post_answer&>(answer::at(m.b));
  asked.progress = m.a;
  asked.give(0);
}

}  // namespace amity::omp::cluster
