#pragma once

/// A job within one process, for tests of engines: each rank is an instance, driven by a thread of its own.
///
///     test_job job(kind_of_engine::sockets, 3);
///     meeting end(3);
///     job.run([&](test_rank& r) {
///       r.send((r.rank + 1) % r.size, 100);  // bytes that the receiver checks
///       r.serve_until([&] { return r.taken == 1; }, end);
///     });
///     EXPECT_EQ(job.faults(), "");

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "amity/net/internal/engine.hpp"
#include "amity/net/internal/rings.hpp"

namespace amity::net {

enum class kind_of_engine : std::uint8_t {
  sockets,
  tcp,  ///< sockets that take one another for other machines
  ucx,
  openmpi,
  mpich,
  rings_and_sockets,
  rings_and_ucx,
  ucx_and_sockets  ///< the pair: ranks 0 and 1 share memory, and so do 2 and 3, and so on
};

[[nodiscard]] std::string name_of(kind_of_engine kind);
inline void PrintTo(kind_of_engine kind, std::ostream* out) { *out << name_of(kind); }  // for GoogleTest
/// Null: there is such an engine here. Else what is missing, in words.
[[nodiscard]] const char* why_missing(kind_of_engine kind);

/// Memory for messages that engines were given or have taken, and have not given back.
[[nodiscard]] std::size_t buffers_out();

/// From now on LeakSanitizer says nothing at the end: memory is left behind that is not ours to free.
void leave_some_behind() noexcept;

/// Ranks meet once.
struct meeting {
  explicit meeting(int ranks) noexcept : missing(ranks) {}
  std::atomic<int> missing;  ///< seq_cst: what each did before, to all
};

class test_job;

/// One rank, and what its instance has said. Of the thread that drives it.
class test_rank {
 public:
  test_rank(const test_job& job, int own, int all);

  int const rank, size;
  open_engine engine;

  std::uint64_t taken = 0;                ///< messages, of all ranks
  std::vector<std::uint64_t> taken_from;  ///< by rank
  std::vector<int> losses;                ///< events, by rank
  bool all_in_order = true;               ///< each rank's came in the order of sending
  bool is_closed = false;

  /// Bytes that tell where they come from. Memory for messages, if there are enough of them for that; else, or if
  /// `copied`, memory that is gone when this returns.
  void send(int to, std::size_t bytes, bool copied = false);
  /// Polls once, and gives the core away where nothing came.
  void serve();
  /// Polls until `done()`, and until all has left that was sent; then until all others of the meeting have come.
  void serve_until(const std::function<bool()>& done, meeting& with_others);
  void forget(int other);
  void close();

 private:
  friend class test_job;
  static const engine_events events;
  void take(int from, const message_header& h, const std::byte* bytes, std::size_t bytes_size);

  const test_job& job_;
  std::vector<std::uint64_t> next_number_;        ///< by receiver
  std::vector<std::vector<bool>> taken_numbers_;  ///< by sender
  std::vector<bool> is_forgotten_;
  std::string faults_;
};

class test_job {
 public:
  /// Opens all. Requires: why_missing says nothing.
  test_job(kind_of_engine kind, int ranks);
  /// Closes those that are open.
  ~test_job();
  test_job(const test_job&) = delete;
  test_job& operator=(const test_job&) = delete;

  /// Calls `of` for each rank, on a thread of its own, and waits for all.
  void run(const std::function<void(test_rank&)>& of);
  [[nodiscard]] test_rank& operator[](int rank) noexcept { return *ranks_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] bool shares_memory(int a, int b) const noexcept;
  /// In words, of all ranks: what could not be opened; messages that were not what was sent, or came twice, or from a
  /// rank that was forgotten; strangers; losses of ranks that are open. Empty: nothing.
  [[nodiscard]] std::string faults() const;
  /// What a rank's instances know.
  [[nodiscard]] engine_facts facts_of(test_rank& r) const noexcept;

 private:
  friend class test_rank;
  void open(test_rank& r);
  void connect(test_rank& r);

  kind_of_engine const kind_;
  std::uint64_t const number_;  ///< among the process's jobs
  std::string const secret_;
  std::string faults_;
  std::vector<std::unique_ptr<test_rank>> ranks_;
  // By rank, before they are put together.
  std::vector<open_engine> near_, far_;
  std::vector<rings*> rings_;
  std::vector<std::string> near_texts_, far_texts_, places_;
};

}  // namespace amity::net
