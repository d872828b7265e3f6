#include "amity/coll/mailbox.hpp"

#include <stdlib.h>
#include <string.h>

#include <chrono>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "amity/base/report.hpp"
#include "amity/net/archive.hpp"
#include "amity/net/job.hpp"
#include "amity/net/messages.hpp"
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

struct letter {
  bool has_come = false;
  std::byte* bytes = nullptr;
  std::size_t size = 0;
  sched::fiber* awaits = nullptr;

  letter() noexcept = default;
  letter(const letter&) = delete;
  letter& operator=(const letter&) = delete;
  ~letter() { free(bytes); }
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
  std::uint64_t what = 0;   ///< as this site has it; 0: it has not begun here
  std::uint64_t other = 0;  ///< as some sender has it, if that is another
  int other_site = 0;
  std::uint64_t seen = 0;  ///< as the first sender has it
  int seen_site = 0;
  std::string given_up;  ///< why
  std::vector<sched::fiber*> waiting;
};

struct mailbox {
  sys::spin_lock lock;
  std::unordered_map<mail_key, letter, key_hash> letters;
  std::unordered_map<operation_key, operation_state, operation_hash> operations;
};

/// Under the lock: `site` sends for what it takes for the operation. True: this site takes it for another one.
bool compare(operation_state& o, std::uint64_t what, int site) noexcept {
  if (o.seen == 0) {
    o.seen = what;
    o.seen_site = site;
  }
  if (o.what == 0 || o.what == what || o.other != 0) return false;
  o.other = what;
  o.other_site = site;
  return true;
}
mailbox& box() noexcept {
  static auto* const one = new mailbox;
  return *one;
}

void put(const mail_head& head, std::byte* bytes, std::size_t size) noexcept {
  mailbox& b = box();
  sched::fiber* awaits = nullptr;
  std::vector<sched::fiber*> all;
  {
    std::lock_guard const held(b.lock);
    operation_state& o = b.operations[{head.key.communicator, head.key.operation, head.key.to}];
    if (compare(o, head.what, head.key.from)) all = o.waiting;
    letter& l = b.letters[head.key];
    l.has_come = true;
    l.bytes = bytes;
    l.size = size;
    awaits = l.awaits;
  }
  if (awaits != nullptr) sched::unpark(awaits);
  for (sched::fiber* f : all) sched::unpark(f);
}

void take_mail(net::arrival& m) noexcept {
  mail_head head;
  if (m.size < sizeof head) return net::end_job("a message of a collective operation is too short");
  memcpy(static_cast<void*>(&head), m.bytes, sizeof head);
  std::size_t const size = m.size;
  std::byte* const bytes = m.take();
  if (bytes == nullptr) base::fatal("out of memory for a message of %zu bytes", size);
  put(head, bytes, size);
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
    operation_state& o = b.operations[key];
    if (o.given_up.empty()) o.given_up = why;
    waiting = o.waiting;
  }
  for (sched::fiber* f : waiting) sched::unpark(f);
}

}  // namespace

void mail::free_bytes(std::byte* bytes) noexcept { free(bytes); }

void send_mail(int rank, const mail_key& key, std::uint64_t what, std::span<const std::byte> bytes) noexcept {
  mail_head const head{key, what};
  std::size_t const size = sizeof head + bytes.size();
  auto* const whole = static_cast<std::byte*>(malloc(size));
  if (whole == nullptr) base::fatal("out of memory for a message of %zu bytes", size);
  memcpy(whole, &head, sizeof head);
  if (!bytes.empty()) memcpy(whole + sizeof head, bytes.data(), bytes.size());
  if (rank == net::job().rank) return put(head, whole, size);
  net::send_owned(rank, net::code_of<take_mail>(), 0, whole, size);
}

void begin_operation(std::uint64_t communicator, std::uint64_t operation, int to, std::uint64_t what) noexcept {
  mailbox& b = box();
  std::lock_guard const held(b.lock);
  operation_state& o = b.operations[{communicator, operation, to}];
  o.what = what;
  if (o.seen != 0) compare(o, o.seen, o.seen_site);
}

mail receive_mail(const mail_key& key, int from_rank, failure& problem) {
  constexpr auto long_time = std::chrono::seconds(1);
  mailbox& b = box();
  sched::fiber& me = *sched::self();
  sched::instant look = sched::instant_after(long_time);
  for (;;) {
    {
      std::lock_guard const held(b.lock);
      operation_state& o = b.operations[{key.communicator, key.operation, key.to}];
      if (!o.given_up.empty() || o.other != 0) {
        problem = {o.given_up, o.other, o.other_site};
        if (problem.why.empty()) problem.why = "another operation";
        b.letters.erase(key);
        return {};
      }
      letter& l = b.letters[key];
      if (l.has_come) {
        mail got(std::exchange(l.bytes, nullptr), sizeof(mail_head), l.size - sizeof(mail_head));
        b.letters.erase(key);
        std::erase(o.waiting, &me);
        return got;
      }
      l.awaits = &me;
      if (o.waiting.empty() || o.waiting.back() != &me) o.waiting.push_back(&me);
    }
    sched::wait_noted const noted(me, sched::wait_kind::barrier, nullptr, __builtin_return_address(0));
    if (net::poll_a_moment([&b, &key] {
          std::lock_guard const held(b.lock);
          auto const found = b.letters.find(key);
          return found != b.letters.end() && found->second.has_come;
        }))
      continue;
    sched::park_until(look);
    if (sched::now() < look || from_rank == net::job().rank) continue;
    look = sched::instant_after(long_time);
    if (net::is_known_to_be_gone(from_rank)) {
      problem.why = "the program of rank " + std::to_string(from_rank) + " has ended";
      return {};
    }
    net::ask_whether_gone(from_rank);
  }
}

void give_up_operation(int rank, std::uint64_t communicator, std::uint64_t operation, int to,
                       const std::string& why) noexcept {
  out_archive out;
  out(communicator, operation, static_cast<std::int32_t>(to), why);
  net::send(rank, net::code_of<take_end>(), 0, out.data(), out.size());
}

void drop_letters(std::uint64_t communicator, std::uint64_t operation, int to) noexcept {
  mailbox& b = box();
  std::lock_guard const held(b.lock);
  std::erase_if(b.letters, [&](const auto& each) {
    const mail_key& k = each.first;
    return k.communicator == communicator && k.operation == operation && k.to == to;
  });
}

void forget_operation(std::uint64_t communicator, std::uint64_t operation, int to) noexcept {
  mailbox& b = box();
  std::lock_guard const held(b.lock);
  b.operations.erase({communicator, operation, to});
}

}  // namespace amity::collectives::detail
