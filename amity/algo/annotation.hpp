#pragma once

/// A name for what is being run, for tools and debuggers: set by annotating_executor around each chunk and task.
///
///     amity::scoped_annotation name("assembly");
///     amity::annotation();                        // "assembly", on this fiber, also after it was suspended

#include "amity/base/config.hpp"

namespace amity {

namespace algo {

/// Sets the calling fiber's annotation; gives the one before.
AMITY_API const char* exchange_annotation(const char* name) noexcept;

/// Sets it for a while; null: leaves it as it is.
class annotated {
 public:
  explicit annotated(const char* name) noexcept
      : set_(name != nullptr), before_(set_ ? exchange_annotation(name) : nullptr) {}
  annotated(const annotated&) = delete;
  annotated& operator=(const annotated&) = delete;
  ~annotated() {
    if (set_) exchange_annotation(before_);
  }

 private:
  bool set_;
  const char* before_;
};

}  // namespace algo

/// The innermost annotation around the call; null: none.
[[nodiscard]] AMITY_API const char* annotation() noexcept;

/// Requires: the string outlives it.
class scoped_annotation : algo::annotated {
 public:
  /// Names what is run from here to the end of the block.
  explicit scoped_annotation(const char* name) noexcept : annotated(name) {}
};

}  // namespace amity
