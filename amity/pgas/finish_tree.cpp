#include "amity/pgas/finish_tree.hpp"

#include <stdlib.h>
#include <string.h>

#include <atomic>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include "amity/base/report.hpp"
#include "amity/finish/finish.hpp"
#include "amity/net/archive.hpp"
#include "amity/net/job.hpp"
#include "amity/net/losses.hpp"
#include "amity/net/messages.hpp"
#include "amity/pgas/remote_error.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::pgas {
namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;

/// The library's own, for calls of its own. Exceptions of a program are another C++ library's: once the program has
/// handed in its translation, that is taken.
constexpr error_translation own_translation{detail::to_words, detail::from_words};
std::atomic<const error_translation*> translation{&own_translation};

/// A finish of this process that has tasks elsewhere.
struct root {
  sched::scope* scope = nullptr;
  std::uint64_t serial = 0;
  long outstanding = 0;  ///< messages that are not acknowledged; each is counted in the scope, too
};

/// What this process has to do for a finish of another one. Used again, never freed: `settle` may come late.
struct member : sched::scope {
  finish_id id;
  bool is_engaged = false;  ///< `parent` waits for an acknowledgement of the message that made this a member
  int parent = 0;
  long deficit = 0;                                 ///< own messages that are not acknowledged
  std::vector<std::pair<int, std::uint32_t>> owed;  ///< messages that came later, by sender
  member* next_free = nullptr;
};

/// Tells finishes of all processes apart.
struct id_hash {
  std::size_t operator()(const finish_id& id) const noexcept { return id.serial * 0x9e3779b97f4a7c15 + id.root; }
};
struct id_equal {
  bool operator()(const finish_id& a, const finish_id& b) const noexcept {
    return a.serial == b.serial && a.root == b.root;
  }
};

struct tables {
  sys::spin_lock lock;
  std::uint64_t next_serial = 1;
  std::unordered_map<std::uint64_t, root*> roots;
  std::unordered_map<finish_id, member*, id_hash, id_equal> members;
  member* free_members = nullptr;
  std::vector<long> unacknowledged;  ///< own messages of all finishes, by receiver
};
tables& all() noexcept {
  static auto* const one = [] {
    auto* const made = new tables;
    made->unacknowledged.resize(static_cast<std::size_t>(net::job().size));
    return made;
  }();
  return *one;
}

/// What an acknowledgement says.
struct acknowledgement {
  finish_id id;
  std::uint32_t messages = 0;
  error_words error;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(id, messages, error.rank);
    if (error.rank >= 0) ar(error.type, error.text);
  }
};

void take_acknowledgement(net::arrival& m) noexcept;

void send_acknowledgement(int to, acknowledgement& a) noexcept {
  out_archive out;
  out(a);
  net::send(to, net::code_of<take_acknowledgement>(), 0, out.data(), out.size());
}

/// What tasks here have thrown, the first of it.
error_words take_error(sched::scope& s) noexcept {
  error_words words;
  if (s.errors.load(memory_order_acquire) == nullptr) return words;
  try {
    std::vector<std::exception_ptr> const errors = amity::detail::take_errors(s);
    translation.load(memory_order_acquire)->to_words(errors.front(), words);
    if (words.rank < 0) words.rank = net::job().rank;
  } catch (...) {
    words = {net::job().rank, "std::bad_alloc", "there was no memory for an exception's words"};
  }
  return words;
}

/// F3 and F5: acknowledges what can be. No task of the finish is left here at this moment, or some have come since.
void settle(sched::scope& base) noexcept {
  tables& t = all();
  auto& m = static_cast<member&>(base);
  std::vector<std::pair<int, std::uint32_t>> owed;
  acknowledgement a;
  bool leaves = false;
  int parent = 0;
  {
    std::lock_guard const held(t.lock);
    if (!m.is_engaged || !sched::is_shared_and_empty(m)) return;
    owed.swap(m.owed);
    leaves = m.deficit == 0;
    if (owed.empty() && !leaves) return;
    a.id = m.id;
    a.error = take_error(m);
    if (leaves) {
      parent = m.parent;
      m.is_engaged = false;
      t.members.erase(m.id);
      m.next_free = t.free_members;
      t.free_members = &m;
    }
  }
  for (const auto& [to, messages] : owed) {
    a.messages = messages;
    send_acknowledgement(to, a);
    a.error = {};  // once: it reaches the root by any way
  }
  if (!leaves) return;
  a.messages = 1;
  send_acknowledgement(parent, a);
}

/// Under the lock.
member& new_member(tables& t, const finish_id& id, int parent) noexcept {
  member* m = t.free_members;
  if (m != nullptr)
    t.free_members = m->next_free;
  else
    m = new (std::nothrow) member;
  if (m == nullptr) base::fatal("out of memory for a finish of rank %u", id.root);
  m->id = id;
  m->is_engaged = true;
  m->parent = parent;
  m->deficit = 0;
  m->when_empty = settle;
  m->remote.store(m, memory_order_relaxed);
  m->elsewhere.store(sched::scope::waiting, memory_order_relaxed);
  t.members.emplace(id, m);
  return *m;
}

/// By any thread, the owner's too, in the midst of its wait: all is counted elsewhere.
void count_one(sched::scope& s) noexcept { s.elsewhere.fetch_add(sched::scope::one, memory_order_relaxed); }

bool is_member(const sched::scope& s) noexcept { return s.when_empty == settle; }

void report(sched::scope& s, const error_words& words) noexcept {
  if (words.rank < 0) return;
  amity::detail::report_error(&s, translation.load(memory_order_acquire)->from_words(words));
}

/// F4.
void note_acknowledged(const acknowledgement& a, int from) noexcept {
  tables& t = all();
  if (a.id.root != static_cast<std::uint32_t>(net::job().rank)) {
    member* m = nullptr;
    {
      std::lock_guard const held(t.lock);
      auto const found = t.members.find(a.id);
      if (found == t.members.end()) return;
      m = found->second;
      m->deficit -= static_cast<long>(a.messages);
      t.unacknowledged[static_cast<std::size_t>(from)] -= static_cast<long>(a.messages);
      report(*m, a.error);
    }
    settle(*m);
    return;
  }
  sched::scope* s = nullptr;
  {
    std::lock_guard const held(t.lock);
    auto const found = t.roots.find(a.id.serial);
    if (found == t.roots.end() || found->second->outstanding < static_cast<long>(a.messages)) return;
    root* const r = found->second;
    s = r->scope;
    report(*s, a.error);
    r->outstanding -= static_cast<long>(a.messages);
    t.unacknowledged[static_cast<std::size_t>(from)] -= static_cast<long>(a.messages);
    if (r->outstanding == 0) {
      s->remote.store(nullptr, memory_order_relaxed);
      t.roots.erase(found);
      delete r;
    }
  }
  for (std::uint32_t i = 0; i < a.messages; ++i) sched::detail::end_elsewhere(*s);  // the last may end the finish
}

void take_acknowledgement(net::arrival& m) noexcept {
  try {
    acknowledgement a;
    in_archive(m.bytes, m.size)(a);
    note_acknowledged(a, m.from);
  } catch (const std::exception& e) {
    net::end_job(e.what());
  }
}

}  // namespace

finish_id spawn_elsewhere(sched::scope* s, int to) noexcept {
  if (s == nullptr || net::is_lost(to)) return {};  // what is sent there is dropped
  tables& t = all();
  std::lock_guard const held(t.lock);
  ++t.unacknowledged[static_cast<std::size_t>(to)];
  if (is_member(*s)) {
    auto& m = static_cast<member&>(*s);
    ++m.deficit;
    return m.id;
  }
  auto* r = static_cast<root*>(s->remote.load(memory_order_relaxed));
  if (r == nullptr) {
    r = new (std::nothrow) root;
    if (r == nullptr) base::fatal("out of memory for a finish with tasks in other processes");
    r->scope = s;
    r->serial = t.next_serial++;
    s->remote.store(r, memory_order_relaxed);
    t.roots.emplace(r->serial, r);
  }
  ++r->outstanding;
  count_one(*s);
  return {static_cast<std::uint32_t>(net::job().rank), 0, r->serial};
}

sched::scope* arrive(const finish_id& id, int from, bool& answer_counts) noexcept {
  bool const is_answered = std::exchange(answer_counts, false);
  if (id.root == finish_id::nobody) return nullptr;
  tables& t = all();
  sched::scope* s = nullptr;
  bool acknowledge_now = false;
  {
    std::lock_guard const held(t.lock);
    if (id.root == static_cast<std::uint32_t>(net::job().rank)) {
      auto const found = t.roots.find(id.serial);
      if (found == t.roots.end()) return nullptr;
      s = found->second->scope;
      answer_counts = is_answered;
      acknowledge_now = !is_answered;  // the root stays, whatever comes
    } else {
      auto const found = t.members.find(id);
      if (found == t.members.end()) {
        s = &new_member(t, id, from);
      } else {
        member& m = *found->second;
        s = &m;
        answer_counts = is_answered;
        if (!is_answered) {
          auto of_sender = m.owed.begin();
          while (of_sender != m.owed.end() && of_sender->first != from) ++of_sender;
          if (of_sender != m.owed.end())
            ++of_sender->second;
          else
            m.owed.emplace_back(from, 1);
        }
      }
    }
    count_one(*s);
  }
  if (acknowledge_now) {
    acknowledgement a{id, 1, {}};
    send_acknowledgement(from, a);
  }
  return s;
}

void acknowledged(const finish_id& id, int from) noexcept { note_acknowledged({id, 1, {}}, from); }

bool some_finish_waits_for(int rank) noexcept {
  tables& t = all();
  std::lock_guard const held(t.lock);
  return t.unacknowledged[static_cast<std::size_t>(rank)] != 0;
}

finish_counts count_finishes() noexcept {
  tables& t = all();
  std::lock_guard const held(t.lock);
  return {t.roots.size(), t.members.size()};
}

void set_error_translation(const error_translation& t) noexcept {
  if (t.to_words == own_translation.to_words) return;
  const error_translation* own = &own_translation;
  translation.compare_exchange_strong(own, &t, std::memory_order_release, memory_order_relaxed);
}

}  // namespace amity::pgas
