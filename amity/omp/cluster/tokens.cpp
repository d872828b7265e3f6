#include "amity/omp/cluster/tokens.hpp"

#include <mutex>
#include <new>

#include "amity/base/config.hpp"
#include "amity/omp/cluster/job.hpp"
#include "amity/omp/cluster/pool.hpp"
#include "amity/omp/cluster/waits.hpp"
#include "amity/omp/hooks/cluster.hpp"
#include "amity/omp/rt/mutual_exclusion.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/sync/mutex.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::omp::cluster {
namespace {

/// How often a process that was asked for a token hands it on among its own threads first.
constexpr int most_passes = 16;

/// One address, as each process has it.
struct alignas(base::cache_line) token {
  const void* address = nullptr;
  token* next = nullptr;
  sync::mutex mutex;                    ///< whose turn it is in this process
  std::atomic<int> lockers{0};          ///< threads here that have it or will
  const void* owner = nullptr;          ///< the task that has the nestable lock; under `mutex`, or by the owner itself
  int depth = 0;                        ///< the same
  during did_before = during::regions;  ///< what its holder did before it got it (waits.hpp); under `mutex`
  sys::spin_lock guard;                 ///< of what follows
  bool is_here = false;                 ///< this process has it
  bool is_held = false;                 ///< and a thread uses it
  bool is_wanted = false;               ///< its home has asked for it
  int passes = 0;                       ///< since then
  answer* asker = nullptr;              ///< a thread here waits for it

  // --- at its home
  sys::spin_lock desk;                     ///< guards the rest
  int holder = nobody;                     ///< the process that has it
  std::int8_t queue[most_processes] = {};  ///< those that wait, in their order
  bool tries[most_processes] = {};         ///< by place in the queue: it does not wait for a thread that has it
  int waiting = 0;
  static constexpr int nobody = -1;
};

// --- finding them. They are never freed: a program has as many as it has locks.

constexpr std::size_t buckets = 1024;
struct {
  sys::spin_lock lock;
  std::atomic<token*> first{nullptr};
} table[buckets];

std::uint64_t spread_bits(const void* address) noexcept {
  return (reinterpret_cast<std::uint64_t>(address) >> 2) * 0x9E3779B97F4A7C15u;
}

token* look_up(token* t, const void* address) noexcept {
  while (t != nullptr && t->address != address) t = t->next;
  return t;
}

struct {
  sys::spin_lock lock;
  pool<token> tokens;
} memory;

void* memory_for_token() noexcept {
  std::lock_guard const guard(memory.lock);
  return memory.tokens.take();
}

token& token_of(const void* address) noexcept {
  auto& bucket = table[spread_bits(address) >> 54];
  // Acquire pairs with the store below: what is in the list is whole.
  if (token* const found = look_up(bucket.first.load(std::memory_order_acquire), address)) return *found;
  std::lock_guard const guard(bucket.lock);
  token* const first = bucket.first.load(std::memory_order_relaxed);
  if (token* const found = look_up(first, address)) return *found;
  auto* const made = new (memory_for_token()) token;
  made->address = address;
  made->next = first;
  bucket.first.store(made, std::memory_order_release);
  return *made;
}

int home_of(const void* address) noexcept {
  return static_cast<int>((spread_bits(address) >> 32) % static_cast<std::uint64_t>(others->count));
}

// --- messages. One to the own process is a call.

void take(int from, const message& m) noexcept;

void post(int to, topic about, const token& t) noexcept {
  message const m{.about = about, .a = reinterpret_cast<std::uint64_t>(t.address)};
  if (to == others->own)
    take(to, m);
  else
    tell(to, m);
}

// --- at home (T2): `desk` is held while it is decided, and free when others are told

/// What a decision makes the home say.
struct decision {
  topic about[2];
  int to[2];
  int count = 0;
  void say(topic what, int process) noexcept {
    about[count] = what;
    to[count++] = process;
  }
  void post_all(const token& t) const noexcept {
    for (int i = 0; i < count; ++i) post(to[i], about[i], t);
  }
};

void enqueue(token& t, int process, bool tries) noexcept {
  t.queue[t.waiting] = static_cast<std::int8_t>(process);
  t.tries[t.waiting++] = tries;
}

int dequeue(token& t, int place = 0) noexcept {
  int const process = t.queue[place];
  --t.waiting;
  for (int i = place; i < t.waiting; ++i) {
    t.queue[i] = t.queue[i + 1];
    t.tries[i] = t.tries[i + 1];
  }
  return process;
}

/// A process asks. It does so once at a time for each token, as its mutex is held meanwhile.
void home_is_asked(token& t, int process, bool tries) noexcept {
  decision d;
  {
    std::lock_guard const guard(t.desk);
    if (t.holder == token::nobody) {
      t.holder = process;
      d.say(topic::token, process);
    } else if (tries && t.waiting > 0) {
      d.say(topic::no_token, process);
    } else {
      enqueue(t, process, tries);
      // Behind one that only tries, the holder has yet to be asked in earnest.
      if (t.waiting == 1 || (t.waiting == 2 && t.tries[0]))
        d.say(tries ? topic::recalls_if_free : topic::recalls_token, t.holder);
    }
  }
  d.post_all(t);
}

void home_gets_back(token& t) noexcept {
  decision d;
  {
    std::lock_guard const guard(t.desk);
    t.holder = t.waiting > 0 ? dequeue(t) : token::nobody;
    if (t.holder != token::nobody) d.say(topic::token, t.holder);
    if (t.waiting > 0) d.say(topic::recalls_token, t.holder);
  }
  d.post_all(t);
}

/// The holder has a thread that uses it: who only tried goes away.
void home_is_refused(token& t) noexcept {
  decision d;
  {
    std::lock_guard const guard(t.desk);
    if (t.waiting > 0 && t.tries[0]) d.say(topic::no_token, dequeue(t));
  }
  d.post_all(t);
}

// --- where it is used

void comes(token& t, bool granted) noexcept {
  answer* asker;
  {
    std::lock_guard const guard(t.guard);
    asker = t.asker;
    t.asker = nullptr;
    t.is_here = t.is_held = granted;
  }
  asker->give(granted);
}

/// `in_earnest`: it will come back as soon as it can. Else at once or not at all.
void is_recalled(token& t, bool in_earnest) noexcept {
  bool gives = false, keeps = false;
  {
    std::lock_guard const guard(t.guard);
    if (t.is_here && !t.is_held) {
      t.is_here = false;
      gives = true;
    } else if (!in_earnest) {
      keeps = t.is_here || t.asker != nullptr;  // on its way here, it is as good as used
    } else {
      // Also where it is on its way here: the two messages may have overtaken one another. Where it has gone back
      // already, this is put right by the next one that gets it here, and gives it back early.
      t.is_wanted = true;
    }
  }
  int const home = home_of(t.address);
  if (gives) post(home, topic::gives_back, t);
  if (keeps) post(home, topic::keeps_token, t);
}

/// With the mutex held. False: it tries, and somebody elsewhere has it.
bool get(token& t, bool tries) noexcept {
  answer ours;
  {
    std::lock_guard const guard(t.guard);
    if (t.is_here) {
      t.is_held = true;
      return true;
    }
    t.asker = &ours;
  }
  post(home_of(t.address), tries ? topic::tries_token : topic::asks_token, t);
  return ours.await() != 0;
}

void take(int from, const message& m) noexcept {
  token& t = token_of(reinterpret_cast<const void*>(m.a));
  switch (m.about) {
    case topic::asks_token:
      return home_is_asked(t, from, false);
    case topic::tries_token:
      return home_is_asked(t, from, true);
    case topic::gives_back:
      return home_gets_back(t);
    case topic::keeps_token:
      return home_is_refused(t);
    case topic::recalls_token:
      return is_recalled(t, true);
    case topic::recalls_if_free:
      return is_recalled(t, false);
    case topic::token:
      return comes(t, true);
    default:
      return comes(t, false);
  }
}

void lock(token& t) noexcept {
  enters();
  note_mutex();
  t.lockers.fetch_add(1, std::memory_order_relaxed);  // a hint: how long to keep it here
  t.mutex.lock();
  static_cast<void>(get(t, false));
  t.did_before = waits::does(during::locks);
}

bool try_lock(token& t) noexcept {
  note_mutex();
  if (!t.mutex.try_lock()) return false;
  if (!get(t, true)) {
    t.mutex.unlock();
    return false;
  }
  t.lockers.fetch_add(1, std::memory_order_relaxed);
  t.did_before = waits::does(during::locks);
  return true;
}

void unlock(token& t) noexcept {
  bool gives = false;
  waits::does(t.did_before);
  others->hand_on_output();
  {
    std::lock_guard const guard(t.guard);
    t.is_held = false;
    if (t.is_wanted && (t.lockers.load(std::memory_order_relaxed) == 1 || ++t.passes >= most_passes)) {
      t.is_here = t.is_wanted = false;
      t.passes = 0;
      gives = true;
    }
  }
  t.lockers.fetch_sub(1, std::memory_order_relaxed);
  if (gives) post(home_of(t.address), topic::gives_back, t);
  t.mutex.unlock();
}

}  // namespace

void take_token_message(int from, const message& m) noexcept { take(from, m); }

namespace tokens {

void lock(const void* address) noexcept { cluster::lock(token_of(address)); }
void unlock(const void* address) noexcept { cluster::unlock(token_of(address)); }
bool try_lock(const void* address) noexcept { return cluster::try_lock(token_of(address)); }

int nest_lock(const void* address) noexcept {
  token& t = token_of(address);
  const void* const me = name_of_task(this_thread());
  // Relaxed and unlocked: only the owner can find itself there.
  if (__atomic_load_n(&t.owner, __ATOMIC_RELAXED) == me) return ++t.depth;
  cluster::lock(t);
  __atomic_store_n(&t.owner, me, __ATOMIC_RELAXED);
  return t.depth = 1;
}

int nest_unlock(const void* address) noexcept {
  token& t = token_of(address);
  if (--t.depth > 0) return t.depth;
  __atomic_store_n(&t.owner, static_cast<const void*>(nullptr), __ATOMIC_RELAXED);
  cluster::unlock(t);
  return 0;
}

int nest_try_lock(const void* address) noexcept {
  token& t = token_of(address);
  const void* const me = name_of_task(this_thread());
  if (__atomic_load_n(&t.owner, __ATOMIC_RELAXED) == me) return ++t.depth;
  if (!cluster::try_lock(t)) return 0;
  __atomic_store_n(&t.owner, me, __ATOMIC_RELAXED);
  return t.depth = 1;
}

}  // namespace tokens
}  // namespace amity::omp::cluster
