#include "amity/coll/mailbox.hpp"

#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "amity/base/copy_bytes.hpp"
#include "amity/base/processor.hpp"
#include "amity/base/report.hpp"
#include "amity/net/archive.hpp"
#include "amity/net/buffers.hpp"
#include "amity/net/job.hpp"
#include "amity/net/losses.hpp"
#include "amity/net/messages.hpp"
#include "amity/pgas/segment.hpp"
#include "amity/sched/fiber/wait_note.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/timer.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::collectives::detail {
namespace {

struct key_hash {
  std::size_t operator()(const mail_key& k) const noexcept {
    std::uint64_t h = k.communicator * 0x9e3779b97f4a7c15 + k.operation;
    h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9 + static_cast<std::uint64_t>(k.from) * 0x10001 +
        static_cast<std::uint64_t>(k.to) * 0x1000003 + static_cast<std::uint64_t>(k.tag);
    return h ^ (h >> 32);
  }
};

void send_back(const loan& l) noexcept;

struct letter {
  bool has_come = false;
  mail content;  ///< unless it is lent
  loan lent;
  sched::fiber* awaits = nullptr;

  letter() noexcept = default;
  letter(const letter&) = delete;
  letter& operator=(const letter&) = delete;
  ~letter() {
    if (lent.owner >= 0) send_back(lent);
  }
};

/// An operation at a site, as far as it was given up.
struct operation_key {
  std::uint64_t communicator, operation;
  std::int32_t to;
  bool operator==(const operation_key&) const = default;
};
struct operation_hash {
  std::size_t operator()(const operation_key& k) const noexcept {
    return (k.communicator * 31 + k.operation) * 0x9e3779b97f4a7c15 + static_cast<std::uint64_t>(k.to);
  }
};

/// What is known of an operation at a site.
struct operation_state {
  intention what;   ///< as this site has it; none: it has not begun here
  intention other;  ///< as some sender has it, if that is another
  int other_site = 0;
  intention seen, unlike;  ///< as the first sender has it, and the first one that has it otherwise
  int seen_site = 0, unlike_site = 0;
  std::string given_up;  ///< why
  std::vector<sched::fiber*> waiting;
  fast_runs* counted_early = nullptr;  ///< it has not begun here, and is counted there
  std::uint64_t early_as = 0;          ///< as that operation

  void is_early_no_more() noexcept {
    if (counted_early != nullptr) counted_early->uncount_early(early_as);
    counted_early = nullptr;
  }
  /// For another operation. Its vector keeps its memory.
  void begin_anew() noexcept {
    is_early_no_more();
    what = other = seen = unlike = intention();
    given_up.clear();
    waiting.clear();
  }
};

/// A communicator at a site of this process: which operations are over there, and what the last ones were taken for.
class site_history {
 public:
  std::string name;
  fast_runs* fast = nullptr;  ///< of operations that were done without the mailbox

  /// Of one that the program numbers itself it is not known: nothing keeps it from using a number again.
  [[nodiscard]] bool is_over(std::uint64_t operation) const noexcept {
    return operation <= all_up_to_ || std::binary_search(more_.begin(), more_.end(), operation) ||
           (fast != nullptr && fast->last().has(operation));
  }
  void add(std::uint64_t operation, const intention& what, bool went_well) {
    if ((operation & by_generation) == 0) count(operation);
    run& last = runs_[newest_];
    if (last.what == what && last.went_well == went_well && last.last + 1 == operation) {
      last.last = operation;
      return;
    }
    newest_ = (newest_ + 1) % std::size(runs_);
    runs_[newest_] = {operation, operation, what, went_well};
  }
  void add(const fast_runs::run& all) {
    if (all.first == all_up_to_ + 1)
      count_up_to(all.last);
    else
      for (std::uint64_t k = all.first; k <= all.last; ++k) count(k);
    newest_ = (newest_ + 1) % std::size(runs_);
    runs_[newest_] = {all.first, all.last, all.what, true};
  }
  /// What it was taken for; of no kind: it has failed, or that is too long ago.
  [[nodiscard]] intention taken_for(std::uint64_t operation) const noexcept {
    if (fast != nullptr)
      if (fast_runs::run const last = fast->last(); last.has(operation)) return last.what;
    for (const run& r : runs_)
      if (r.first <= operation && operation <= r.last) return r.went_well ? r.what : intention();
    return intention();
  }

 private:
  void count(std::uint64_t k) {
    if (k != all_up_to_ + 1) {
      more_.insert(std::upper_bound(more_.begin(), more_.end(), k), k);
      return;
    }
    count_up_to(k);
  }
  void count_up_to(std::uint64_t k) {
    all_up_to_ = k;
    std::size_t joined = 0;
    while (joined < more_.size() && more_[joined] == all_up_to_ + 1) ++joined, ++all_up_to_;
    more_.erase(more_.begin(), more_.begin() + static_cast<std::ptrdiff_t>(joined));
  }
  /// Operations one after the other that were taken for the same.
  struct run {
    std::uint64_t first = 1, last = 0;
    intention what;
    bool went_well = true;
  };
  std::uint64_t all_up_to_ = 0;      ///< these are over, counted from 1
  std::vector<std::uint64_t> more_;  ///< and these; sorted
  run runs_[32];
  std::size_t newest_ = 0;
};

/// A table, and which of its entries began last: nearly all questions are about that one. All under the lock.
template <class Value>
class table_with_latest {
 public:
  using map = std::unordered_map<operation_key, Value, operation_hash>;
  /// Null: there is none.
  [[nodiscard]] Value* find(const operation_key& key) noexcept {
    if (latest_ != nullptr && key == latest_key_) return latest_;
    auto const found = all_.find(key);
    return found != all_.end() ? &found->second : nullptr;
  }
  [[nodiscard]] Value& get(const operation_key& key) {
    if (latest_ != nullptr && key == latest_key_) return *latest_;
    if (spare_.empty()) return all_[key];
    spare_.key() = key;
    auto at = all_.insert(std::move(spare_));
    spare_ = std::move(at.node);  // where there was such an entry already
    return at.position->second;
  }
  /// The same, and it is the latest from now on.
  Value& begin(const operation_key& key) {
    latest_ = &get(key);
    latest_key_ = key;
    return *latest_;
  }
  bool erase(const operation_key& key) noexcept {
    if (key == latest_key_) latest_ = nullptr;
    return all_.erase(key) != 0;
  }
  /// The same; the entry's memory is the next one's.
  void recycle(const operation_key& key) noexcept {
    if (key == latest_key_) latest_ = nullptr;
    spare_ = all_.extract(key);
    if (!spare_.empty()) spare_.mapped().begin_anew();
  }
  template <class Meant>
  void erase_if(Meant meant) noexcept {
    latest_ = nullptr;
    std::erase_if(all_, meant);
  }
  [[nodiscard]] map& all() noexcept { return all_; }

 private:
  map all_;
  typename map::node_type spare_;  ///< of an entry that is gone, for the next one
  operation_key latest_key_{};
  Value* latest_ = nullptr;  ///< the table's values stay where they are
};

struct mailbox {
  sys::spin_lock lock;
  std::atomic<std::uint64_t> arrivals{0};  ///< of letters; counted under the lock, relaxed: whoever sees more takes it
  std::unordered_map<mail_key, letter, key_hash> letters;
  table_with_latest<operation_state> operations;
  table_with_latest<site_history> sites;  ///< of operation 0
};

/// Under the lock: what is known of the operations of the site; null: it has begun none yet, or is gone.
site_history* history_of(mailbox& b, const operation_key& key) noexcept {
  return b.sites.find({key.communicator, 0, key.to});
}
/// Under the lock: others have said something of an operation that has not
/// begun here.
void count_as_early(operation_state& o, std::uint64_t operation, fast_runs& runs) noexcept {
  o.counted_early = &runs;
  o.early_as = operation;
  runs.count_early(operation);
}

/// Under the lock: the state of an operation that is not over; null: it is.
operation_state* state_of(mailbox& b, const operation_key& key, const site_history*& history) {
  if (operation_state* const found = b.operations.find(key)) return found;
  history = history_of(b, key);
  if (history != nullptr && history->is_over(key.operation)) return nullptr;
  operation_state& made = b.operations.get(key);
  if (history != nullptr && history->fast != nullptr) count_as_early(made, key.operation, *history->fast);
  return &made;
}

/// Under the lock: `site` sends for what it takes for the operation. True: this site takes it for another one.
bool compare(operation_state& o, const intention& what, int site) noexcept {
  if (!o.seen.is_known()) {
    o.seen = what;
    o.seen_site = site;
  } else if (!o.unlike.is_known() && !(what == o.seen)) {
    o.unlike = what;
    o.unlike_site = site;
  }
  if (!o.what.is_known() || o.what == what || o.other.is_known()) return false;
  o.other = what;
  o.other_site = site;
  return true;
}
mailbox& box() noexcept {
  static auto* const one = new mailbox;
  return *one;
}

/// What a site takes an operation for, told to another one.
struct doubt {
  operation_key key{};  ///< the other's
  std::int32_t from = 0;
  std::int32_t is_answer = 0;
  intention what;
};
void take_doubt(net::arrival& m) noexcept;
void tell(int rank, const doubt& d) noexcept {
  // A question comes once a second from each site that waits: it must not look as if the job went on (net, Z1).
  net::effect const e = d.is_answer == 0 ? net::effect::control : net::effect::counted;
  net::send(rank, net::code_of<take_doubt>(), 0, reinterpret_cast<const std::byte*>(&d), sizeof d, e);
}

/// What there is to say to a site that takes an operation for another one than this site did, which is through with it.
struct reply {
  doubt said;
  std::string warning;
  [[nodiscard]] bool is_due() const noexcept { return said.what.is_known(); }
  /// Outside of the lock. Two that are through have no call left that could fail: then at least a warning says so.
  void give(int rank) const noexcept {
    if (!warning.empty())
      base::warn("%s", warning.c_str());
    else if (is_due())
      tell(rank, said);
  }
};

/// Under the lock.
reply reply_to(const site_history& history, const operation_key& key, int other_site, const intention& other,
               bool is_answer) {
  intention const what = history.taken_for(key.operation);
  reply r;
  if (!what.is_known() || what == other) return r;
  r.said = {{key.communicator, key.operation, other_site}, key.to, 1, what};
  if (is_answer)
    r.warning = "operation " + std::to_string(key.operation & ~by_generation) + " of communicator '" + history.name +
                "': site " + std::to_string(other_site) + " has called " + described(other) + ", and site " +
                std::to_string(key.to) + " " + described(what) + "; both are through with it";
  return r;
}

void put(int from_rank, const mail_head& head, mail content) noexcept {
  mailbox& b = box();
  operation_key const key{head.key.communicator, head.key.operation, head.key.to};
  sched::fiber* awaits = nullptr;
  std::vector<sched::fiber*> all;
  reply due;
  bool is_dropped = false;
  {
    std::lock_guard const held(b.lock);
    const site_history* history = nullptr;
    operation_state* const o = state_of(b, key, history);
    if (o == nullptr) {
      is_dropped = true;
      due = reply_to(*history, key, head.key.from, head.what, /*is_answer=*/false);
    } else {
      if (compare(*o, head.what, head.key.from)) all = o->waiting;
      is_dropped = !o->given_up.empty();
      if (!is_dropped) {
        letter& l = b.letters[head.key];
        b.arrivals.store(b.arrivals.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        l.has_come = true;
        l.content = std::move(content);
        l.lent = head.lent;
        awaits = l.awaits;
      }
    }
  }
  if (is_dropped && head.lent.owner >= 0) send_back(head.lent);  // nobody will read it
  if (awaits != nullptr) sched::unpark(awaits);
  for (sched::fiber* f : all) sched::unpark(f);
  due.give(from_rank);
}

void take_mail(net::arrival& m) noexcept {
  mail_head head;
  if (m.size < sizeof head) return net::end_job("a message of a collective operation is too short");
  memcpy(static_cast<void*>(&head), m.bytes, sizeof head);
  std::size_t const size = m.size;
  std::byte* const bytes = m.take();
  if (bytes == nullptr) base::fatal("out of memory for a message of %zu bytes", size);
  if (head.lent.owner >= 0 && head.lent.owner != m.from)
    return net::end_job("a message of a collective operation lends what is not its sender's");
  put(m.from, head, mail(bytes, sizeof head, size - sizeof head));
}

// --- what is lent

/// Bytes that are lent, by their address.
struct lent_out {
  struct entry {
    std::size_t size, sites;  ///< so many sites have it
  };
  sys::spin_lock lock;
  std::unordered_map<std::uint64_t, entry> entries;
  std::atomic<std::size_t> bytes{0};  ///< of all of them; relaxed: a hint for those who lend more
};
lent_out& lent() noexcept {
  static auto* const all = new lent_out;
  return *all;
}

void take_back(net::arrival& m) noexcept {
  lent_out& l = lent();
  {
    std::lock_guard const held(l.lock);
    auto const found = l.entries.find(m.word);
    if (found == l.entries.end()) return net::end_job("a message gives back what was not lent");
    if (--found->second.sites > 0) return;
    l.bytes.fetch_sub(found->second.size, std::memory_order_relaxed);
    l.entries.erase(found);
  }
  pgas::detail::free_staging(reinterpret_cast<void*>(m.word));
}

void send_back(const loan& l) noexcept { net::send(l.owner, net::code_of<take_back>(), l.address, nullptr, 0); }

/// A sender that runs ahead of its receivers gives them a moment to read what they were lent. Not longer, since they
/// may wait for something that this site has yet to send.
void let_borrowers_read() noexcept {
  constexpr std::size_t most = std::size_t{2} << 20;
  static_cast<void>(net::poll_a_moment([] { return lent().bytes.load(std::memory_order_relaxed) < most; }));
}

/// Copies bytes to where other processes of this node see them. Of no size: there is no room now.
loan lend(std::span<const std::byte> bytes, std::size_t sites) noexcept {
  let_borrowers_read();
  void* const at = pgas::detail::allocate_staging(bytes.size());
  if (at == nullptr) return {};
  base::copy_bytes(at, bytes.data(), bytes.size());
  auto const address = reinterpret_cast<std::uint64_t>(at);
  lent_out& l = lent();
  std::lock_guard const held(l.lock);
  l.entries.emplace(address, lent_out::entry{bytes.size(), sites});
  l.bytes.fetch_add(bytes.size(), std::memory_order_relaxed);
  return {net::job().rank, address, bytes.size()};
}

/// One site's own copy.
void send_copy(const addressee& to, const mail_head& head, std::span<const std::byte> bytes) noexcept {
  std::size_t const size = sizeof head + bytes.size();
  std::byte* const whole = net::take_sendable(size);
  if (whole == nullptr) base::fatal("out of memory for a message of %zu bytes", size);
  memcpy(whole, &head, sizeof head);
  base::copy_bytes(whole + sizeof head, bytes.data(), bytes.size());
  if (to.rank == net::job().rank) return put(to.rank, head, mail(whole, sizeof head, bytes.size()));
  net::send_owned(to.rank, net::code_of<take_mail>(), 0, whole, size);
}

/// Under the lock: those that wait are woken by the caller.
void give_up(operation_state& o, const std::string& why, std::vector<sched::fiber*>& waiting) {
  if (o.given_up.empty()) o.given_up = why;
  waiting.insert(waiting.end(), o.waiting.begin(), o.waiting.end());
}

void take_end(net::arrival& m) noexcept {
  operation_key key{};
  std::string why;
  try {
    in_archive in(m.bytes, m.size);
    in(key.communicator, key.operation, key.to, why);
  } catch (const std::exception& e) {
    return net::end_job(e.what());
  }
  mailbox& b = box();
  std::vector<sched::fiber*> waiting;
  {
    std::lock_guard const held(b.lock);
    if (key.operation == by_generation) {
      bool is_told = false;
      for (auto& [each, o] : b.operations.all())
        if (each.communicator == key.communicator && each.to == key.to && (each.operation & by_generation) != 0 &&
            o.what.is_known()) {
          give_up(o, why, waiting);
          is_told = true;
        }
      if (!is_told) b.operations.get(key).given_up = why;
    } else {
      const site_history* history = nullptr;
      if (operation_state* const o = state_of(b, key, history)) give_up(*o, why, waiting);
    }
  }
  for (sched::fiber* f : waiting) sched::unpark(f);
}

}  // namespace

void mail::free_bytes(std::byte* bytes) noexcept { net::give_buffer(bytes); }

void mail::give_back(const loan& l) noexcept { send_back(l); }

void send_mail(std::span<const addressee> to, mail_key key, const intention& what,
               std::span<const std::byte> bytes) noexcept {
  // From here on, a message and a copy at the receiver take longer than a look into the sender's memory.
  constexpr std::size_t worth_lending = 16 * 1024;
  int const me = net::job().rank;
  auto const can_borrow = [&](const addressee& a) { return a.rank != me && pgas::detail::is_in_reach(a.rank); };
  loan lent;
  if (bytes.size() >= worth_lending)
    if (auto const sites = static_cast<std::size_t>(std::count_if(to.begin(), to.end(), can_borrow)); sites > 0)
      lent = lend(bytes, sites);
  for (const addressee& a : to) {
    key.to = a.site;
    bool const borrows = lent.owner >= 0 && can_borrow(a);
    send_copy(a, {key, what, borrows ? lent : loan{}}, borrows ? std::span<const std::byte>() : bytes);
  }
}

namespace {

/// Under the lock: what others have said of it.
inline void say_problem(const operation_state& o, failure& problem) {
  if (o.given_up.empty() && !o.other.is_known()) [[likely]]
    return;
  problem = {o.given_up, o.other, o.other_site, !o.given_up.empty()};
  if (problem.why.empty()) problem.why = "another operation";
}

}  // namespace

void begin_operation(std::uint64_t communicator, const std::string& name, std::uint64_t operation, int to,
                     const intention& what, failure& problem) {
  mailbox& b = box();
  std::lock_guard const held(b.lock);
  if (site_history& its = b.sites.begin({communicator, 0, to}); its.name.empty()) its.name = name;
  operation_state& o = b.operations.begin({communicator, operation, to});
  o.is_early_no_more();
  o.what = what;
  if (o.seen.is_known()) compare(o, o.seen, o.seen_site);
  if (o.unlike.is_known()) compare(o, o.unlike, o.unlike_site);
  if ((operation & by_generation) != 0 && operation != by_generation)
    if (operation_state* const next = b.operations.find({communicator, by_generation, to})) {
      if (o.given_up.empty()) o.given_up = std::move(next->given_up);
      b.operations.erase({communicator, by_generation, to});
    }
  say_problem(o, problem);
}

namespace {

/// What a look for a letter has brought. Of a letter that nobody reads the loan goes back when this goes, outside the
/// lock: to send may take a while.
struct found_letter {
  std::unordered_map<mail_key, letter, key_hash>::node_type node;
  failure problem;
  std::uint64_t arrivals = 0;  ///< at the look
};

/// `me` waits for it if it has not come.
found_letter look_for(const mail_key& key, sched::fiber& me) {
  mailbox& b = box();
  found_letter f;
  std::lock_guard const held(b.lock);
  operation_state& o = b.operations.get({key.communicator, key.operation, key.to});
  say_problem(o, f.problem);
  if (!f.problem.why.empty()) {
    f.node = b.letters.extract(key);
    return f;
  }
  letter& l = b.letters[key];
  if (l.has_come) {
    f.node = b.letters.extract(key);
    std::erase(o.waiting, &me);
  } else {
    f.arrivals = b.arrivals.load(std::memory_order_relaxed);
    l.awaits = &me;
    if (o.waiting.empty() || o.waiting.back() != &me) o.waiting.push_back(&me);
  }
  return f;
}

/// `arrivals`: at the last look. Most looks cost a load: nothing has come since.
bool has_come(const mail_key& key, std::uint64_t& arrivals) noexcept {
  mailbox& b = box();
  std::uint64_t const now = b.arrivals.load(std::memory_order_relaxed);
  if (std::exchange(arrivals, now) == now) {
    base::cpu_relax();  // who polls faster only takes the line from the sender
    return false;
  }
  std::lock_guard const held(b.lock);
  auto const found = b.letters.find(key);
  return found != b.letters.end() && found->second.has_come;
}

intention own_intention(const mail_key& key) {
  mailbox& b = box();
  std::lock_guard const held(b.lock);
  const operation_state* const found = b.operations.find({key.communicator, key.operation, key.to});
  return found != nullptr ? found->what : intention();
}

/// The bytes of a letter, where they are.
mail opened(letter& l) noexcept {
  if (l.lent.owner < 0) return std::move(l.content);
  loan const lent = std::exchange(l.lent, {});
  void* const here = pgas::detail::reach(lent.owner, reinterpret_cast<void*>(lent.address), lent.size);
  if (here == nullptr) net::end_job("a message of a collective operation lends what can't be reached");
  return {static_cast<const std::byte*>(here), lent};
}

}  // namespace

mail receive_mail(const mail_key& key, int from_rank, failure& problem) {
  constexpr auto long_time = std::chrono::seconds(1);
  sched::fiber& me = *sched::self();
  std::optional<sched::instant> look;  // most letters come before anybody needs to know the time
  bool was_gone = false, has_asked = false;
  for (;;) {
    std::uint64_t arrivals = 0;
    {
      found_letter f = look_for(key, me);
      problem = std::move(f.problem);
      if (!problem.why.empty()) return {};
      if (!f.node.empty()) return opened(f.node.mapped());
      arrivals = f.arrivals;
    }
    sched::wait_noted const noted(me, sched::wait_kind::barrier, nullptr, __builtin_return_address(0));
    if (net::poll_a_moment([&] { return has_come(key, arrivals); })) continue;
    if (!look) look = sched::instant_after(long_time);
    if (has_asked)
      sched::park_to_ask(*look);
    else  // the first question may be what ends this wait: the job does not stand still before it
      sched::park_until(*look);
    if (sched::now() < *look) continue;
    has_asked = true;
    look = sched::instant_after(long_time);
    if (from_rank != net::job().rank) {
      if (net::is_lost(from_rank)) {
        problem.why = net::words_of_loss(from_rank);
        return {};
      }
      // Not at once: the letter may have come meanwhile, or come after the answer.
      if (std::exchange(was_gone, net::is_known_to_be_gone(from_rank))) {
        problem.why = "the program of rank " + std::to_string(from_rank) + " has ended";
        return {};
      }
      net::ask_whether_gone(from_rank);
    }
    compare_with(from_rank, key.communicator, key.operation, key.from, key.to, own_intention(key));
  }
}

namespace {

/// Nothing is kept for an operation that has not begun here: the site that doubts asks again.
void take_doubt(net::arrival& m) noexcept {
  doubt d;
  if (m.size != sizeof d) return net::end_job("a message about a collective operation has another length");
  memcpy(static_cast<void*>(&d), m.bytes, sizeof d);
  mailbox& b = box();
  std::vector<sched::fiber*> waiting;
  reply due;
  {
    std::lock_guard const held(b.lock);
    if (operation_state* const found = b.operations.find(d.key)) {
      if (compare(*found, d.what, d.from)) waiting = found->waiting;
    } else if (const site_history* const its = history_of(b, d.key)) {
      due = reply_to(*its, d.key, d.from, d.what, d.is_answer != 0);
    }
  }
  for (sched::fiber* f : waiting) sched::unpark(f);
  due.give(m.from);
}

}  // namespace

void compare_with(int rank, std::uint64_t communicator, std::uint64_t operation, int to, int from,
                  const intention& what) noexcept {
  tell(rank, {{communicator, operation, to}, from, 0, what});
}

bool is_disputed(const mail_key& key, failure& problem, sched::fiber* waits) noexcept {
  mailbox& b = box();
  std::lock_guard const held(b.lock);
  operation_state* const found = b.operations.find({key.communicator, key.operation, key.to});
  if (found == nullptr) return false;
  say_problem(*found, problem);
  if (waits != nullptr && (found->waiting.empty() || found->waiting.back() != waits)) found->waiting.push_back(waits);
  return !problem.why.empty();
}

void attach_fast_runs(std::uint64_t communicator, const std::string& name, int site, fast_runs& runs) {
  mailbox& b = box();
  std::lock_guard const held(b.lock);
  site_history& its = b.sites.begin({communicator, 0, site});
  if (its.name.empty()) its.name = name;
  its.fast = &runs;
  for (auto& [key, o] : b.operations.all())
    if (key.communicator == communicator && key.to == site && !o.what.is_known() && o.counted_early == nullptr)
      count_as_early(o, key.operation, runs);
}

void keep_fast_run(std::uint64_t communicator, int site, const fast_runs::run& r) noexcept {
  mailbox& b = box();
  std::lock_guard const held(b.lock);
  if (site_history* const its = b.sites.find({communicator, 0, site})) its->add(r);
}

void give_up_operation(int rank, std::uint64_t communicator, std::uint64_t operation, int to,
                       const std::string& why) noexcept {
  out_archive out;
  out(communicator, operation, static_cast<std::int32_t>(to), why);
  net::send(rank, net::code_of<take_end>(), 0, out.data(), out.size());
}

namespace {

using letter_node = std::unordered_map<mail_key, letter, key_hash>::node_type;

/// Under the lock: takes the letters out that are `meant`. They go outside of it: their loans are sent back.
template <class Meant>
void take_letters(mailbox& b, std::vector<letter_node>& taken, Meant meant) {
  for (auto each = b.letters.begin(); each != b.letters.end();) {
    auto const next = std::next(each);
    if (meant(each->first)) taken.push_back(b.letters.extract(each));
    each = next;
  }
}

/// Under the lock: what was said of operations of the site when they were being
/// done without the mailbox.
void drop_late_words(mailbox& b, const site_history& its, const operation_key& of, std::vector<letter_node>& dropped) {
  auto const is_late = [&](const operation_key& k, const operation_state& o) {
    return k.communicator == of.communicator && k.to == of.to && o.counted_early != nullptr && its.is_over(k.operation);
  };
  for (auto& [k, o] : b.operations.all())
    if (is_late(k, o)) its.fast->uncount_early(k.operation);
  b.operations.erase_if([&](const auto& o) { return is_late(o.first, o.second); });
  take_letters(b, dropped, [&](const mail_key& k) {
    return k.communicator == of.communicator && k.to == of.to && its.is_over(k.operation);
  });
}

}  // namespace

void end_operation(std::uint64_t communicator, std::uint64_t operation, int to, bool went_well,
                   failure& problem) noexcept {
  mailbox& b = box();
  std::vector<letter_node> dropped;
  std::lock_guard const held(b.lock);
  operation_key const key{communicator, operation, to};
  const operation_state* const found = b.operations.find(key);
  if (found == nullptr) return;
  say_problem(*found, problem);
  went_well = went_well && problem.why.empty();
  site_history* const its = history_of(b, key);
  if (its != nullptr) its->add(operation, found->what, went_well);
  b.operations.recycle(key);
  if (its != nullptr && its->fast != nullptr && its->fast->is_time_to_look(operation))
    drop_late_words(b, *its, key, dropped);
  if (!went_well)
    take_letters(b, dropped, [&](const mail_key& k) {
      return k.communicator == communicator && k.operation == operation && k.to == to;
    });
}

void forget_site(std::uint64_t communicator, int site) noexcept {
  mailbox& b = box();
  std::vector<letter_node> dropped;
  std::lock_guard const held(b.lock);
  if (!b.sites.erase({communicator, 0, site})) return;
  // What others have sent for operations that this site did not call, or not as they did.
  b.operations.erase_if([&](const auto& o) { return o.first.communicator == communicator && o.first.to == site; });
  take_letters(b, dropped, [&](const mail_key& k) { return k.communicator == communicator && k.to == site; });
}

}  // namespace amity::collectives::detail
