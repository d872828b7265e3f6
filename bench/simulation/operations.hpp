#pragma once

/// The operations that are measured: each by Amity's algorithms and by MPI, with its data and a check of the answer.

#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "amity/coll/algorithms.hpp"
#include "mpi_transport.hpp"

namespace amity::simulation {

namespace al = collectives::algorithms;
using collectives::tuning::operation;

/// What all operations share.
struct setting {
  int me = 0, ranks = 1;
  collectives::placement nodes;
  collectives::tuning::table rules;
  MPI_Op sum = MPI_SUM;

  [[nodiscard]] collectives::tuning::choice choose(operation o, std::size_t bytes) const {
    return collectives::tuning::choose(rules, o, ranks, bytes);
  }
};

/// One operation on one size.
struct workload {
  std::function<void()> reset, amity, mpi;
  std::function<bool()> is_right;
};
struct operation_pair {
  const char* name;
  workload (*make)(const setting& s, std::size_t bytes);
  /// Of all ranks, which one machine has to have.
  std::size_t (*memory)(int ranks, std::size_t bytes);
};
inline constexpr std::size_t most_memory = std::size_t{6} << 30;

inline void add_as_mpi(void* from, void* into, int* count, MPI_Datatype*) {
  auto const* const a = static_cast<const int*>(from);
  auto* const b = static_cast<int*>(into);
  for (int i = 0; i < *count; ++i) b[i] += a[i];
  computation_takes(*count * static_cast<double>(sizeof(int)) / folded_bytes_per_second);
}
constexpr auto add = [](std::span<int> into, al::bytes_view bytes, bool) {
  auto const* const other = reinterpret_cast<const int*>(bytes.data());
  for (std::size_t i = 0; i < into.size(); ++i) into[i] += other[i];
  computation_takes(static_cast<double>(bytes.size()) / folded_bytes_per_second);
};
constexpr auto fill = [](auto into, al::bytes_view bytes) {
  if (bytes.empty() || bytes.data() == std::as_bytes(into).data()) return;
  std::memcpy(into.data(), bytes.data(), bytes.size());
  computation_takes(static_cast<double>(bytes.size()) / copied_bytes_per_second);
};

/// The data of one rank: what it has, what all have, and where the answer goes.
struct buffers {
  std::size_t count;
  std::vector<int> mine, all, answer;
  [[nodiscard]] std::span<int> part(std::span<int> of, int site) const {
    return of.subspan(static_cast<std::size_t>(site) * count, count);
  }
  [[nodiscard]] int size() const { return static_cast<int>(count); }
};
/// Element i of what rank `from` has for rank `to`.
[[nodiscard]] inline int element(int from, int to, std::size_t i) {
  return from * 3 + to * 1001 + static_cast<int>(i % 1013);
}
inline void fill_elements(std::span<int> into, int from, int to) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = element(from, to, i);
}
[[nodiscard]] inline bool are_elements(std::span<const int> found, int from, int to) {
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] != element(from, to, i)) return false;
  return true;
}
[[nodiscard]] inline bool are_sums(std::span<const int> found, int ranks) {
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] != ranks * static_cast<int>(i % 1013) + 3 * (ranks * (ranks - 1) / 2)) return false;
  return true;
}

template <class Run>
void with_transport(std::size_t most, Run run) {
  mpi_transport t(MPI_COMM_WORLD, most);
  run(t);
}
/// The longest message of an operation whose messages carry several parts, each with its length.
[[nodiscard]] inline std::size_t packed(int ranks, std::size_t bytes) {
  return static_cast<std::size_t>(ranks) * (bytes + 8);
}

inline workload broadcast(const setting& s, std::size_t bytes) {
  auto const b = std::make_shared<buffers>(buffers{bytes / sizeof(int), {}, {}, {}});
  b->answer.resize(b->count);
  return {[&s, b] {
            std::fill(b->answer.begin(), b->answer.end(), -1);
            if (s.me == 0) fill_elements(b->answer, 0, 0);
          },
          [&s, b, bytes] {
            with_transport(bytes, [&](mpi_transport& t) {
              al::broadcast_span(t, s.choose(operation::broadcast, bytes), s.nodes, 0, std::span<int>(b->answer), fill);
            });
          },
          [b] { MPI_Bcast(b->answer.data(), b->size(), MPI_INT, 0, MPI_COMM_WORLD); },
          [b] { return are_elements(b->answer, 0, 0); }};
}

inline workload reduce(const setting& s, std::size_t bytes) {
  auto const b = std::make_shared<buffers>(buffers{bytes / sizeof(int), {}, {}, {}});
  b->mine.resize(b->count);
  b->answer.resize(b->count);
  return {[&s, b] {
            fill_elements(b->mine, s.me, 0);
            fill_elements(b->answer, s.me, 0);
          },
          [&s, b, bytes] {
            with_transport(bytes, [&](mpi_transport& t) {
              al::reduce_span(t, s.choose(operation::reduce, bytes), s.nodes, /*in_order=*/false, 0,
                              std::span<int>(b->answer), add, fill);
            });
          },
          [&s, b] { MPI_Reduce(b->mine.data(), b->answer.data(), b->size(), MPI_INT, s.sum, 0, MPI_COMM_WORLD); },
          [&s, b] { return s.me != 0 || are_sums(b->answer, s.ranks); }};
}

inline workload all_reduce(const setting& s, std::size_t bytes) {
  workload w = reduce(s, bytes);
  auto const b = std::make_shared<buffers>(buffers{bytes / sizeof(int), {}, {}, {}});
  b->mine.resize(b->count);
  b->answer.resize(b->count);
  w.reset = [&s, b] {
    fill_elements(b->mine, s.me, 0);
    fill_elements(b->answer, s.me, 0);
  };
  w.amity = [&s, b, bytes] {
    with_transport(bytes, [&](mpi_transport& t) {
      al::all_reduce_span(t, s.choose(operation::all_reduce, bytes), s.nodes, /*in_order=*/false,
                          std::span<int>(b->answer), add, fill);
    });
  };
  w.mpi = [&s, b] { MPI_Allreduce(b->mine.data(), b->answer.data(), b->size(), MPI_INT, s.sum, MPI_COMM_WORLD); };
  w.is_right = [&s, b] { return are_sums(b->answer, s.ranks); };
  return w;
}

/// The root has a part for each, or from each.
inline std::shared_ptr<buffers> with_root(const setting& s, std::size_t bytes) {
  auto const b = std::make_shared<buffers>(buffers{bytes / sizeof(int), {}, {}, {}});
  b->mine.resize(b->count);
  if (s.me == 0) b->all.resize(b->count * static_cast<std::size_t>(s.ranks));
  return b;
}

inline workload gather(const setting& s, std::size_t bytes) {
  auto const b = with_root(s, bytes);
  return {[&s, b] {
            fill_elements(b->mine, s.me, 0);
            std::fill(b->all.begin(), b->all.end(), -1);
          },
          [&s, b, bytes] {
            with_transport(packed(s.ranks, bytes), [&](mpi_transport& t) {
              auto const part = [&](int site) { return b->part(b->all, site); };
              al::gather_span(t, s.choose(operation::gather, bytes), s.nodes, 0, std::span<int>(b->mine), part, fill,
                              al::piece_bytes);
              if (s.me == 0) fill(part(0), std::as_bytes(std::span(b->mine)));
            });
          },
          [b] { MPI_Gather(b->mine.data(), b->size(), MPI_INT, b->all.data(), b->size(), MPI_INT, 0, MPI_COMM_WORLD); },
          [&s, b] {
            bool right = true;
            for (int i = 0; i < s.ranks && s.me == 0; ++i) right = right && are_elements(b->part(b->all, i), i, 0);
            return right;
          }};
}

inline workload scatter(const setting& s, std::size_t bytes) {
  auto const b = with_root(s, bytes);
  return {
      [&s, b] {
        std::fill(b->mine.begin(), b->mine.end(), -1);
        for (int i = 0; i < s.ranks && s.me == 0; ++i) fill_elements(b->part(b->all, i), 0, i);
      },
      [&s, b, bytes] {
        with_transport(packed(s.ranks, bytes), [&](mpi_transport& t) {
          auto const part = [&](int site) { return b->part(b->all, site); };
          al::scatter_span(t, s.choose(operation::scatter, bytes), s.nodes, 0, part, std::span<int>(b->mine), fill,
                           al::piece_bytes);
          if (s.me == 0) fill(std::span(b->mine), std::as_bytes(part(0)));
        });
      },
      [b] { MPI_Scatter(b->all.data(), b->size(), MPI_INT, b->mine.data(), b->size(), MPI_INT, 0, MPI_COMM_WORLD); },
      [&s, b] { return are_elements(b->mine, 0, s.me); }};
}

inline workload all_gather(const setting& s, std::size_t bytes) {
  auto const b = with_root(s, bytes);
  b->answer.resize(b->count * static_cast<std::size_t>(s.ranks));
  return {
      [&s, b] {
        fill_elements(b->mine, s.me, 0);
        std::fill(b->answer.begin(), b->answer.end(), -1);
      },
      [&s, b, bytes] {
        with_transport(packed(s.ranks, bytes), [&](mpi_transport& t) {
          auto const part = [&](int site) { return b->part(b->answer, site); };
          fill(part(s.me), std::as_bytes(std::span(b->mine)));
          al::all_gather_span<mpi_transport, int>(t, s.choose(operation::all_gather, bytes), s.nodes, part, fill,
                                                  al::piece_bytes);
        });
      },
      [b] { MPI_Allgather(b->mine.data(), b->size(), MPI_INT, b->answer.data(), b->size(), MPI_INT, MPI_COMM_WORLD); },
      [&s, b] {
        bool right = true;
        for (int i = 0; i < s.ranks; ++i) right = right && are_elements(b->part(b->answer, i), i, 0);
        return right;
      }};
}

inline workload all_to_all(const setting& s, std::size_t bytes) {
  auto const b = std::make_shared<buffers>(buffers{bytes / sizeof(int), {}, {}, {}});
  b->all.resize(b->count * static_cast<std::size_t>(s.ranks));
  b->answer.resize(b->all.size());
  return {
      [&s, b] {
        for (int i = 0; i < s.ranks; ++i) fill_elements(b->part(b->all, i), s.me, i);
        std::fill(b->answer.begin(), b->answer.end(), -1);
      },
      [&s, b, bytes] {
        with_transport(packed(s.ranks, bytes), [&](mpi_transport& t) {
          auto const part = [&](int site) { return b->part(b->all, site); };
          auto const place = [&](int site) { return b->part(b->answer, site); };
          al::all_to_all_span<mpi_transport, int>(t, s.choose(operation::all_to_all, bytes), s.nodes, part, place, fill,
                                                  al::piece_bytes);
          fill(place(s.me), std::as_bytes(part(s.me)));
        });
      },
      [b] { MPI_Alltoall(b->all.data(), b->size(), MPI_INT, b->answer.data(), b->size(), MPI_INT, MPI_COMM_WORLD); },
      [&s, b] {
        bool right = true;
        for (int i = 0; i < s.ranks; ++i) right = right && are_elements(b->part(b->answer, i), i, s.me);
        return right;
      }};
}

inline constexpr auto of_each = [](int ranks, std::size_t bytes) {
  return 4 * bytes * static_cast<std::size_t>(ranks);
};
inline constexpr auto of_all = [](int ranks, std::size_t bytes) {
  return static_cast<std::size_t>(ranks) * of_each(ranks, bytes);
};

inline constexpr operation_pair all_operations[] = {
    {"broadcast", &broadcast, of_each}, {"reduce", &reduce, of_each},   {"all_reduce", &all_reduce, of_each},
    {"gather", &gather, of_each},       {"scatter", &scatter, of_each}, {"all_gather", &all_gather, of_all},
    {"all_to_all", &all_to_all, of_all}};

}  // namespace amity::simulation
