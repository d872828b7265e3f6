// A doubly linked list of objects that carry their own links: no allocation, removal of any element in constant time.
//
//   struct waiter : base::list_node<waiter> { int ticket; };
//   base::intrusive_list<waiter> queue;
//   queue.push_back(me);
//   for (waiter &w : queue) ...
//   if (me.is_linked()) queue.remove(me);
//
// An object that is in several lists at once derives from list_node<T, Tag> with a tag for each. The list owns nothing,
// and an object must outlive its stay in one. Not thread-safe; no allocation; nothing throws.
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>

#include "amity/base/assert.hpp"

namespace amity::base {

template <class T, class Tag>
class intrusive_list;

struct default_list_tag;

// The links of one element. Copying an element copies what it says, never its place in a list.
template <class T, class Tag = default_list_tag>
class list_node {
 public:
  list_node() noexcept = default;
  list_node(const list_node& /*other*/) noexcept {}
  list_node& operator=(const list_node& /*other*/) noexcept { return *this; }

  [[nodiscard]] bool is_linked() const noexcept { return next_ != nullptr; }

 private:
  friend class intrusive_list<T, Tag>;
  list_node* next_ = nullptr;  // null exactly when the element is in no list
  list_node* previous_ = nullptr;
};

// Invariants:
//   1. The nodes form a ring through head_, which is no element.
//   2. An element's links are both null when it is in no list and both set when it is in one.
template <class T, class Tag = default_list_tag>
class intrusive_list {
  using node = list_node<T, Tag>;

 public:
  class iterator {
   public:
    using iterator_category = std::bidirectional_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = T*;
    using reference = T&;

    iterator() noexcept = default;
    reference operator*() const noexcept { return element(at_); }
    pointer operator->() const noexcept { return &element(at_); }
    iterator& operator++() noexcept { return at_ = intrusive_list::next(at_), *this; }
    iterator& operator--() noexcept { return at_ = intrusive_list::previous(at_), *this; }
    iterator operator++(int) noexcept { return iterator{std::exchange(at_, intrusive_list::next(at_))}; }
    iterator operator--(int) noexcept { return iterator{std::exchange(at_, intrusive_list::previous(at_))}; }
    bool operator==(const iterator&) const noexcept = default;

   private:
    friend class intrusive_list;
    explicit iterator(node* at) noexcept : at_(at) {}
    node* at_ = nullptr;
  };

  intrusive_list() noexcept { reset(); }
  intrusive_list(const intrusive_list&) = delete;
  intrusive_list& operator=(const intrusive_list&) = delete;

  [[nodiscard]] bool empty() const noexcept { return head_.next_ == &head_; }
  [[nodiscard]] iterator begin() noexcept { return iterator{head_.next_}; }
  [[nodiscard]] iterator end() noexcept { return iterator{&head_}; }

  // Requires: not empty.
  [[nodiscard]] T& front() noexcept { return element((AMITY_ASSERT(!empty()), head_.next_)); }
  [[nodiscard]] T& back() noexcept { return element((AMITY_ASSERT(!empty()), head_.previous_)); }

  // Requires: `item` is in no list of this tag.
  void push_front(T& item) noexcept { link(head_.next_, item); }
  void push_back(T& item) noexcept { link(&head_, item); }
  void insert(iterator before, T& item) noexcept { link(before.at_, item); }

  // Requires: `item` is in this list.
  void remove(T& item) noexcept { unlink(&static_cast<node&>(item)); }

  // The element taken out, or null when there is none.
  T* pop_front() noexcept { return empty() ? nullptr : &element(unlink(head_.next_)); }
  T* pop_back() noexcept { return empty() ? nullptr : &element(unlink(head_.previous_)); }

  // Appends all of `other`, in order, in constant time.
  void splice_back(intrusive_list& other) noexcept {
    if (other.empty()) return;
    node* first = other.head_.next_;
    node* last = other.head_.previous_;
    first->previous_ = head_.previous_;
    head_.previous_->next_ = first;
    last->next_ = &head_;
    head_.previous_ = last;
    other.reset();
  }

 private:
  static T& element(node* at) noexcept { return static_cast<T&>(*at); }
  static node* next(node* at) noexcept { return at->next_; }
  static node* previous(node* at) noexcept { return at->previous_; }

  void reset() noexcept { head_.next_ = head_.previous_ = &head_; }

  static void link(node* before, T& item) noexcept {
    node* added = &static_cast<node&>(item);
    AMITY_ASSERT(!added->is_linked());
    added->next_ = before;
    added->previous_ = before->previous_;
    before->previous_->next_ = added;
    before->previous_ = added;
  }

  static node* unlink(node* taken) noexcept {
    AMITY_ASSERT(taken->is_linked());
    taken->previous_->next_ = taken->next_;
    taken->next_->previous_ = taken->previous_;
    taken->next_ = taken->previous_ = nullptr;
    return taken;
  }

  node head_;
};

}  // namespace amity::base
