#pragma once

/// A vector whose elements lie in the memory of several processes, and the algorithms over it.
///
///     amity::partitioned_vector<double> v(1'000'000);                        // a block in each process
///     amity::for_each(amity::execution::par, v.begin(), v.end(), [](double& x) { x = 1; });
///     double sum = amity::reduce(amity::execution::par, v.begin(), v.end(), 0.0);
///     v[17] = 3;                                                             // wherever it is
///     amity::rpc(1, [](amity::partitioned_vector<double> same) { ... }, v);
///
/// One process makes it and calls the algorithms, as HPX's programs do; each part of the work runs where its elements
/// lie, by all workers there. Where all processes are to have the same one, they make it together:
///
///     auto v = amity::partitioned_vector<double>::together(1'000'000);
///     for (auto& part : v.local_parts()) for (double& x : part.elements) ...
///
/// A copy of the object refers to the same elements, also in other processes; they go with the last one. What is called
/// with elements travels as a closure of a remote call does: it captures values.
///
/// These algorithms take its iterators, with a policy or without. They block the fiber until all of it is done; with a
/// policy such as `par(task)` they give a future instead. Another algorithm does not compile. If functions that they
/// call have thrown, the algorithm throws when all parts have ended: with a policy an exception_list, otherwise the
/// first error.
///
/// * by elements: for_each, for_each_n, fill, fill_n, generate, replace, replace_if
/// * to others: transform, copy, copy_n (also from and to memory of the caller), adjacent_difference
/// * to a value: reduce, transform_reduce, count, count_if, all_of, any_of, none_of, contains, equal
/// * to a place: find, find_if, find_if_not, adjacent_find, min_element, max_element, minmax_element; is_sorted,
///   is_sorted_until
/// * scans: inclusive_scan, exclusive_scan, transform_inclusive_scan, transform_exclusive_scan
/// * order: sort, stable_sort

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/partitioned/find.hpp"
#include "amity/partitioned/for_each.hpp"
#include "amity/partitioned/iterator.hpp"
#include "amity/partitioned/layout.hpp"
#include "amity/partitioned/reduce.hpp"
#include "amity/partitioned/scan.hpp"
#include "amity/partitioned/sort.hpp"
#include "amity/partitioned/transform.hpp"
#include "amity/pgas/barrier.hpp"
#include "amity/pgas/dist_object.hpp"

namespace amity {

/// A vector in blocks of the memory of several processes. T is any type that can be copied and has T(). Elements of
/// which bytes make copies (numbers, structures of them) are read and written one-sided; others, such as strings, by
/// calls, and go as arguments do. The object is a handle: copies refer to the same elements, in any process. The size
/// never changes.
template <class T>
class partitioned_vector {
 public:
  /// The type of the elements.
  using value_type = T;
  /// Over elements that may be written.
  using iterator = partitioned::iterator<T>;
  /// Over elements that are only read.
  using const_iterator = partitioned::iterator<const T>;

  /// A block of this process, as plain memory.
  struct local_part {
    std::size_t first;      ///< the number in the vector of its first element
    std::span<T> elements;  ///< its elements, one after the other
  };

  /// A vector of no elements.
  partitioned_vector() : parts_(std::make_shared<partitioned::parts<T>>()) {}
  /// A vector of `size` elements T(), cut into the layout's blocks, of which the last ones may have fewer elements or
  /// none. Made by one process alone. Blocks the fiber until all blocks are made. Throws what the layout throws; where
  /// a process has no room bad_shared_alloc, or remote_error if that is another process; lost_rank; and what T()
  /// throws.
  explicit partitioned_vector(std::size_t size, const block_layout& layout = {})
      : parts_(make(size, layout, [](int rank, std::size_t n) { return new_<partitioned::block<T>>(rank, n); })) {}
  /// The same with copies of `value`.
  partitioned_vector(std::size_t size, const T& value, const block_layout& layout = {})
      : parts_(make(size, layout,
                    [&value](int rank, std::size_t n) { return new_<partitioned::block<T>>(rank, n, value); })) {}

  /// One vector for all processes: rank 0 makes it, and all get it. Collective over the job, in the same order as what
  /// dist_object and shared_lock make; waits until all have it. Where rank 0 throws, as the constructor, all
  /// throw that.
  [[nodiscard]] static partitioned_vector together(std::size_t size, const block_layout& layout = {}) {
    return from_rank_0([&] { return partitioned_vector(size, layout); });
  }

  /// How many elements it has.
  [[nodiscard]] std::size_t size() const noexcept { return parts_->size; }
  /// It has no elements.
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// How many elements each block has, but for the last ones.
  [[nodiscard]] std::size_t block_size() const noexcept { return parts_->block_size; }
  /// How many blocks it has, empty ones among them.
  [[nodiscard]] std::size_t blocks() const noexcept { return parts_->firsts.size(); }
  /// The rank of the process that has element `i`.
  /// Requires: i < size(). So for what follows.
  [[nodiscard]] int where(std::size_t i) const noexcept { return pointer(i).where(); }
  /// The pointer to element `i`, for rput, rget and atomic_domain. Only elements of one block are neighbours there.
  [[nodiscard]] global_ptr<T> pointer(std::size_t i) const noexcept { return parts_->at(i); }
  /// A reference to element `i`: `v[i] = x` writes, `T y = v[i]` reads. Both block the fiber where it is out of reach.
  [[nodiscard]] partitioned::element<T> operator[](std::size_t i) const noexcept {
    return partitioned::element<T>(pointer(i));
  }
  /// Reads element `i`; the future gives its value. Does not wait.
  [[nodiscard]] future<T> get(std::size_t i) const { return (*this)[i].get(); }
  /// Writes element `i`; the future is ready when it is written. Does not wait.
  future<void> set(std::size_t i, const T& value) const { return (*this)[i].set(value); }
  /// A reference to element `i`. Throws std::out_of_range if there is none.
  [[nodiscard]] partitioned::element<T> at(std::size_t i) const {
    if (i >= size())
      throw std::out_of_range("element " + std::to_string(i) + " of a partitioned_vector of " + std::to_string(size()));
    return (*this)[i];
  }

  /// At the first element. Iterators are valid as long as this object or a copy of it in this process.
  [[nodiscard]] iterator begin() const noexcept { return {parts_.get(), 0}; }
  /// Behind the last element.
  [[nodiscard]] iterator end() const noexcept { return {parts_.get(), size()}; }
  /// At the first element, to be read.
  [[nodiscard]] const_iterator cbegin() const noexcept { return begin(); }
  /// Behind the last element.
  [[nodiscard]] const_iterator cend() const noexcept { return end(); }

  /// The blocks of this process that have elements, in the order of the elements: to work on them as on any memory.
  /// They are valid as long as the vector. Never waits.
  [[nodiscard]] std::vector<local_part> local_parts() const {
    std::vector<local_part> all;
    int const me = rank_me();
    for (std::size_t i = 0; i < size(); i = parts_->end_of_block(i))
      if (where(i) == me) all.push_back({i, {pointer(i).raw_ptr(), parts_->end_of_block(i) - i}});
    return all;
  }

  /// Another vector of the same layout, with copies of the elements. Blocks the fiber until it is made. Throws as the
  /// constructor, and what copying throws.
  [[nodiscard]] partitioned_vector clone() const {
    std::vector<int> ranks;
    for (const global_ptr<T>& each : parts_->firsts) ranks.push_back(each.where());
    if (ranks.empty()) return {};
    partitioned_vector other(size(), block_layout(ranks));
    try {
      amity::copy(execution::par, begin(), end(), other.begin());
    } catch (const exception_list& all) {
      std::rethrow_exception(*all.begin());
    }
    return other;
  }

  /// Makes it known by a name in all processes; the name keeps the elements until the job ends. Throws
  /// std::invalid_argument if the name is taken. Blocks the fiber.
  void register_as(const std::string& name) const {
    register_object(name, new_<partitioned_vector>(rank_me(), *this).get());
  }
  /// The vector that register_as has given this name, in any process. Throws std::invalid_argument if there is none
  /// yet, or one with elements of another type. Blocks the fiber.
  [[nodiscard]] static partitioned_vector connect_to(const std::string& name) {
    object_ref<partitioned_vector> const there = find_object<partitioned_vector>(name);
    if (!there.valid()) throw std::invalid_argument("partitioned_vector: none is registered as '" + name + "'");
    return there.call([](partitioned_vector& v) { return v; }).get();
  }

  /// For calls, which write the handle when it is an argument or a result.
  void save(out_archive& ar) const { ar(parts_->size, parts_->block_size, parts_->firsts, parts_->blocks); }
  /// For calls, which read such a handle.
  void load(in_archive& ar) {
    auto all = std::make_shared<partitioned::parts<T>>();
    ar(all->size, all->block_size, all->firsts, all->blocks);
    parts_ = std::move(all);
  }

 private:
  template <class New>
  static std::shared_ptr<const partitioned::parts<T>> make(std::size_t size, const block_layout& layout, New begin) {
    auto all = std::make_shared<partitioned::parts<T>>();
    std::size_t const blocks = layout.blocks();
    all->size = size;
    all->block_size = std::max<std::size_t>((size + blocks - 1) / blocks, 1);
    for (std::size_t b = 0; b < blocks; ++b) static_cast<void>(layout.where(b));
    std::vector<future<object_ref<partitioned::block<T>>>> begun;
    for (std::size_t b = 0; b < blocks; ++b) {
      std::size_t const first = std::min(b * all->block_size, size);
      begun.push_back(begin(layout.where(b), std::min(all->block_size, size - first)));
    }
    for (auto& each : begun) each.wait();
    std::vector<future<global_ptr<T>>> firsts;
    for (auto& each : begun) {
      all->blocks.push_back(each.get());
      firsts.push_back(all->blocks.back().call([](partitioned::block<T>& b) { return b.first(); }));
    }
    for (auto& each : firsts) all->firsts.push_back(each.get());
    return all;
  }

  /// What rank 0 has to say: the vector, or why there is none.
  struct outcome {
    partitioned_vector made;
    pgas::error_words why;
    bool failed = false;
    template <class Archive>
    void serialize(Archive& ar) {
      ar(made, why.rank, why.type, why.text, failed);
    }
  };
  template <class Make>
  static partitioned_vector from_rank_0(Make make_it) {
    outcome mine;
    std::exception_ptr error;
    if (rank_me() == 0) {
      try {
        mine.made = make_it();
      } catch (...) {
        error = std::current_exception();
        mine.failed = true;
        pgas::detail::to_words(error, mine.why);
        if (mine.why.rank < 0) mine.why.rank = 0;
      }
    }
    dist_object<outcome> here(mine);
    outcome of_0 = rank_me() == 0 ? std::move(mine) : here.fetch(0).get();
    barrier_all();
    if (of_0.failed) std::rethrow_exception(error != nullptr ? error : pgas::detail::from_words(of_0.why));
    return std::move(of_0.made);
  }

  std::shared_ptr<const partitioned::parts<T>> parts_;
};

}  // namespace amity
