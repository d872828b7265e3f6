#include "amity/pgas/one_sided.hpp"

#include <stdlib.h>
#include <string.h>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "amity/base/copy_bytes.hpp"
#include "amity/net/buffers.hpp"
#include "amity/net/messages.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::pgas::detail {
namespace {

/// Copies under way, and the fibers that wait for the end of all.
struct copies {
  sys::spin_lock lock;
  long open = 0;
  std::vector<sched::fiber*> waiting;
};
copies& all_copies() noexcept {
  static auto* const one = new copies;
  return *one;
}

/// Larger ones go in pieces, so that neither side needs so much memory at once.
constexpr std::size_t piece = std::size_t{8} << 20;

/// A transfer of several pieces.
struct transfer {
  promise<void> done;
  sched::scope* within = nullptr;
  std::atomic<std::size_t> left{0};
  std::exception_ptr failure;  ///< of a piece that failed; written before that is counted
};

transfer* new_transfer(std::size_t pieces) {
  auto* const t = new transfer;
  sched::worker& w = sched::this_worker();
  t->within = w.current;
  if (t->within != nullptr) t->within->elsewhere.fetch_add(sched::scope::one, std::memory_order_relaxed);
  t->left.store(pieces, std::memory_order_relaxed);
  begin_copy();
  return t;
}

/// A piece has arrived, or never will. In a handler, or in a task.
void end_piece(transfer* t) noexcept {
  if (t->left.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  std::unique_ptr<transfer> const mine(t);
  end_copy();
  sched::scope* const within = t->within;
  // What follows the future is a task: it may run code of the user's.
  sched::worker& w = sched::this_worker();
  if (within != nullptr && t->failure != nullptr) amity::detail::report_error(within, t->failure);
  auto tell = [done = std::move(t->done), failure = std::move(t->failure)]() mutable noexcept {
    if (failure != nullptr)
      done.set_exception(failure);
    else
      done.set_value();
  };
  sched::enqueue_arrived(amity::detail::new_plain_task(w, nullptr, amity::detail::as_glue{std::move(tell)}));
  if (within != nullptr) sched::detail::end_elsewhere(*within);
}

/// What is sent along; the key of a piece is used once, so that an answer can't come twice.
struct piece_head {
  std::uint64_t address = 0, size = 0, key = 0;
};

struct awaited_piece {
  transfer* of;
  std::byte* to;
  std::size_t size;
};

void note_piece(net::arrival& m) noexcept {
  std::unique_ptr<awaited_piece> const p(static_cast<awaited_piece*>(take_for_answer(m.word)));
  if (p == nullptr) return;
  if (p->to != nullptr) {
    if (m.size != p->size) return net::end_job("an answer to rget is not as long as what was asked for");
    base::copy_bytes(p->to, m.bytes, m.size);
  }
  end_piece(p->of);
}

void fail_piece(void* state, int rank, const std::string& words) noexcept {
  std::unique_ptr<awaited_piece> const p(static_cast<awaited_piece*>(state));
  {
    static constinit sys::spin_lock one_at_a_time;
    std::lock_guard const held(one_at_a_time);
    if (p->of->failure == nullptr) p->of->failure = std::make_exception_ptr(lost_rank(rank, words));
  }
  end_piece(p->of);
}

void check_reach(const piece_head& h, const char* what) noexcept {
  if (is_in_segment(reinterpret_cast<const void*>(h.address), h.size)) return;
  std::string const why = std::string(what) + " of " + std::to_string(h.size) + " bytes at " +
                          std::to_string(h.address) + ", which are not all in this process's shared memory";
  net::end_job(why.c_str());
}

void take_put(net::arrival& m) noexcept {
  piece_head h;
  if (m.size < sizeof h) return net::end_job("a message of rput is too short");
  memcpy(static_cast<void*>(&h), m.bytes, sizeof h);
  if (h.size != m.size - sizeof h) return net::end_job("a message of rput is not as long as it says");
  check_reach(h, "rput");
  base::copy_bytes(reinterpret_cast<void*>(h.address), m.bytes + sizeof h, h.size);
  net::send(m.from, net::code_of<note_piece>(), h.key, nullptr, 0);
}

void take_get(net::arrival& m) noexcept {
  piece_head h;
  if (m.size != sizeof h) return net::end_job("a message of rget is not as long as it should be");
  memcpy(static_cast<void*>(&h), m.bytes, sizeof h);
  check_reach(h, "rget");
  net::send(m.from, net::code_of<note_piece>(), h.key, reinterpret_cast<const std::byte*>(h.address), h.size);
}

}  // namespace

void begin_copy() noexcept {
  copies& c = all_copies();
  std::lock_guard const held(c.lock);
  ++c.open;
}

void end_copy() noexcept {
  copies& c = all_copies();
  std::vector<sched::fiber*> waiting;
  {
    std::lock_guard const held(c.lock);
    if (--c.open == 0) waiting.swap(c.waiting);
  }
  for (sched::fiber* f : waiting) sched::unpark(f);
}

void await_copies() noexcept {
  copies& c = all_copies();
  for (;;) {
    {
      std::lock_guard const held(c.lock);
      if (c.open == 0) return;
      c.waiting.push_back(sched::self());
    }
    sched::park();
  }
}

future<void> put_bytes(const void* from, int rank, void* to, std::size_t bytes) {
  std::size_t const pieces = std::max<std::size_t>(1, (bytes + piece - 1) / piece);
  transfer* const t = new_transfer(pieces);
  future<void> done = t->done.get_future();
  for (std::size_t i = 0; i < pieces; ++i) {
    std::size_t const at = i * piece, size = std::min(piece, bytes - at);
    piece_head const h{reinterpret_cast<std::uint64_t>(to) + at, size,
                       keep_for_answer(new awaited_piece{t, nullptr, 0}, rank, fail_piece)};
    std::byte* const message = net::take_sendable(sizeof h + size);
    if (message == nullptr) net::end_job("out of memory for rput");
    memcpy(message, &h, sizeof h);
    base::copy_bytes(message + sizeof h, static_cast<const std::byte*>(from) + at, size);
    net::send_owned(rank, net::code_of<take_put>(), 0, message, sizeof h + size);
  }
  return done;
}

future<void> get_bytes(int rank, const void* from, void* to, std::size_t bytes) {
  std::size_t const pieces = std::max<std::size_t>(1, (bytes + piece - 1) / piece);
  transfer* const t = new_transfer(pieces);
  future<void> done = t->done.get_future();
  for (std::size_t i = 0; i < pieces; ++i) {
    std::size_t const at = i * piece, size = std::min(piece, bytes - at);
    piece_head const h{reinterpret_cast<std::uint64_t>(from) + at, size,
                       keep_for_answer(new awaited_piece{t, static_cast<std::byte*>(to) + at, size}, rank, fail_piece)};
    net::send(rank, net::code_of<take_get>(), 0, reinterpret_cast<const std::byte*>(&h), sizeof h);
  }
  return done;
}

}  // namespace amity::pgas::detail
