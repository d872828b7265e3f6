#include "amity/sched/tasks/frame_pool.hpp"

#include <stdlib.h>

#include <new>

#include "amity/base/private_memory.hpp"

namespace amity::sched {

namespace {

void push_chain(std::atomic<frame*>& list, frame* first, frame* last) noexcept {
  frame* head = list.load(std::memory_order_relaxed);
  do last->next = head;
  while (!list.compare_exchange_weak(head, first, std::memory_order_release,  // pairs with refill
                                     std::memory_order_relaxed));
}

}  // namespace

frame_pool::~frame_pool() {
  for (void* chunk = last_chunk_; chunk != nullptr;) {
    void* const next = *static_cast<void**>(chunk);
    base::give_back(chunk);
    chunk = next;
  }
}

frame* frame_pool::refill(unsigned size_class) noexcept {
  if (returned_[size_class].load(std::memory_order_relaxed) != nullptr) {
    frame* f = returned_[size_class].exchange(nullptr, std::memory_order_acquire);  // pairs with push_chain
    free_[size_class] = f->next;
    return f;
  }
  // 4 KiB at first, for threads that make few tasks; twice as much each time, up to 64 KiB.
  std::size_t const size = size_of_class[size_class];
  std::size_t const bytes = std::size_t{4096} << (chunks_[size_class] < 4 ? chunks_[size_class]++ : 4);
  std::size_t const count = bytes / size == 0 ? 1 : bytes / size;
  auto* chunk = static_cast<char*>(base::take_private(base::cache_line + count * size, base::cache_line));
  if (chunk == nullptr) return nullptr;
  *reinterpret_cast<void**>(chunk) = last_chunk_;
  last_chunk_ = chunk;
  char* const memory = chunk + base::cache_line;
  // Zeroed: a thief that looks at a frame before its first use finds null pointers.
  __builtin_memset(memory, 0, count * size);
  for (std::size_t i = count; i-- > 0;) {
    auto* f = new (memory + i * size) frame;
    f->home = this;
    f->next = free_[size_class];
    free_[size_class] = f;
  }
  frame* f = free_[size_class];
  free_[size_class] = f->next;
  return f;
}

void frame_pool::give_elsewhere(frame* f, unsigned size_class) noexcept {
  ++given_elsewhere_;
  batch& b = batches_[size_class != 0];
  if (b.count != 0 && (b.home != f->home || b.size_class != size_class)) send(b);
  if (b.count++ == 0) {
    b.home = f->home;
    b.size_class = size_class;
    b.last = f;
    f->next = nullptr;
  } else {
    f->next = b.first;
  }
  b.first = f;
  if (b.count == batch_size) send(b);
}

void frame_pool::send(batch& b) noexcept {
  push_chain(b.home->returned_[b.size_class], b.first, b.last);
  b.count = 0;
}

void frame_pool::give_home(frame* f, unsigned size_class) noexcept { push_chain(f->home->returned_[size_class], f, f); }

}  // namespace amity::sched
