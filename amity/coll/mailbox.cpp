#include "amity/coll/mailbox.hpp"

#include <stdlib.h>
#include <string.h>

#include <chrono>
#include <mutex>
#include <unordered_map>
#include <utility>

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
  std::uint64_t what = 0;
  sched::fiber* awaits = nullptr;
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

struct mailbox {
  sys::spin_lock lock;
  std::unordered_map<mail_key, letter, key_hash> letters;
  std::unordered_map<operation_key, std::string, operation_hash> given_up;
};
mailbox& box() noexcept {
  static auto* const one = new mailbox;
  return *one;
}

void put(const mail_head& head, std::byte* bytes, std::size_t size) noexcept {
  mailbox& b = box();
  sched::fiber* awaits = nullptr;
  {
    std::lock_guard const held(b.lock);
    letter& l = b.letters[head.key];
    l.has_come = true;
    l.bytes = bytes;
    l.size = size;
    l.what = head.what;
    awaits = l.awaits;
  }
  if (awaits != nullptr) sched::unpark(awaits);
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
    b.given_up.emplace(key, why);
    for (auto& [k, l] : b.letters)
      if (k.communicator == key.communicator && k.operation == key.operation && k.to == key.to && l.awaits != nullptr)
        waiting.push_back(l.awaits);
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

mail receive_mail(const mail_key& key, std::uint64_t what, int from_rank, std::string& problem) {
  constexpr auto long_time = std::chrono::seconds(1);
  mailbox& b = box();
  sched::fiber& me = *sched::self();
  sched::instant look = sched::instant_after(long_time);
  for (;;) {
    {
      std::lock_guard const held(b.lock);
      auto const given_up = b.given_up.find({key.communicator, key.operation, key.to});
      if (given_up != b.given_up.end()) {
        problem = given_up->second;
        b.letters.erase(key);
        return {};
      }
      letter& l = b.letters[key];
      if (l.has_come) {
        letter const got = l;
        b.letters.erase(key);
        mail result(got.bytes, sizeof(mail_head), got.size - sizeof(mail_head));
        if (got.what != what) problem = "another";
        return result;
      }
      l.awaits = &me;
    }
    sched::wait_noted const noted(me, sched::wait_kind::barrier, nullptr, __builtin_return_address(0));
    sched::park_until(look);
    if (sched::now() < look || from_rank == net::job().rank) continue;
    look = sched::instant_after(long_time);
    if (net::is_known_to_be_gone(from_rank)) {
      problem = "the program of rank " + std::to_string(from_rank) + " has ended";
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

void forget_operation(std::uint64_t communicator, std::uint64_t operation, int to) noexcept {
  mailbox& b = box();
  std::lock_guard const held(b.lock);
  b.given_up.erase({communicator, operation, to});
}

}  // namespace amity::collectives::detail
