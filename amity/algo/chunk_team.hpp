#pragma once

/// The threads that do an algorithm's chunks, if an executor names them. Otherwise the caller and idle workers do them.
///
///     class two_threads final : public algo::chunk_team {
///       unsigned groups() const noexcept override { return 1; }
///       unsigned members(unsigned) const noexcept override { return 2; }
///       void begin(unsigned, unsigned member, algo::team_call call) const override { threads[member].enqueue(call); }
///     };
///
/// Each group gets neighbouring chunks, as many as the others; its members take the next one until there are none left.
/// In the end the caller does the chunks that are left, so none is forgotten if a member never comes.

#include "amity/base/config.hpp"

namespace amity::algo {

/// What a member does. One of the two is called once; the thread that called it must not touch the algorithm
/// afterwards.
class AMITY_API team_call {
 public:
  team_call(void* job, unsigned group) noexcept : job_(job), group_(group) {}
  /// Does chunks of its group until there are none left.
  void operator()() const noexcept;
  /// This member won't come.
  void decline() const noexcept;

 private:
  void* job_;
  unsigned group_;
};

/// Called by several algorithms at the same time.
class chunk_team {
 public:
  chunk_team() = default;
  chunk_team(const chunk_team&) = delete;
  chunk_team& operator=(const chunk_team&) = delete;
  virtual ~chunk_team() = default;

  /// At least one.
  [[nodiscard]] virtual unsigned groups() const noexcept = 0;
  [[nodiscard]] virtual unsigned members(unsigned group) const noexcept = 0;
  /// Has `call` called by that member, with what the caller did before in its sight. If it throws, the call is not
  /// made.
  virtual void begin(unsigned group, unsigned member, team_call call) const = 0;
};

}  // namespace amity::algo
