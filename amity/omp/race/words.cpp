#include "amity/omp/race/words.hpp"

namespace amity::omp::race {

namespace {

constexpr depend_kind kinds[] = {depend_kind::in, depend_kind::out, depend_kind::mutexinoutset, depend_kind::inoutset};

/// A task with the access `later` waits for one with `earlier`, if that was made before. mutexinoutset tasks have no
/// order, but exclude one another.
constexpr bool comes_after(depend_kind later, depend_kind earlier) noexcept {
  bool const shares = later == depend_kind::in || later == depend_kind::inoutset;
  return !(shares && later == earlier);
}

void acquire_one(const link& l, const sibling_words& among) noexcept {
  acquire(&among.all_memory);
  if (l.at == nullptr) {
    acquire(&among.named);
    return;
  }
  for (depend_kind const kind : kinds)
    if (comes_after(l.kind, kind)) acquire(&l.at->of[static_cast<int>(kind)]);
}

void release_one(const link& l, const sibling_words& among) noexcept {
  if (l.at == nullptr) {
    release(&among.all_memory);
    return;
  }
  release(&among.named);
  release(&l.at->of[static_cast<int>(l.kind)]);
}

}  // namespace

address_words& sibling_words::at(const void* address) noexcept {
  std::uint64_t const hash = (reinterpret_cast<std::uintptr_t>(address) >> 2) * 0x9e3779b97f4a7c15u;
  address_words*& head = first[(hash >> 32) % buckets];
  for (address_words* a = head; a != nullptr; a = a->next)
    if (a->address == address) return *a;
  auto* const a = make<address_words>();
  a->address = address;
  a->next = head;
  return *(head = a);
}

void sibling_words::clear() noexcept {
  for (address_words*& head : first)
    while (address_words* const a = head) {
      head = a->next;
      free_unseen(a);
    }
}

member_words& words_of(thread& t) noexcept {
  if (t.watched == nullptr) t.watched = make<member_words>();
  return *t.watched;
}

void acquire_dependences(const task_words& w) noexcept {
  for (std::size_t i = 0; i < w.links; ++i) acquire_one(w.list[i], *w.among);
}

void release_dependences(const task_words& w) noexcept {
  for (std::size_t i = 0; i < w.links; ++i) release_one(w.list[i], *w.among);
}

}  // namespace amity::omp::race
