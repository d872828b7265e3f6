#include "amity/algo/annotation.hpp"

#include <utility>

namespace amity {
namespace {

/// Belongs to the fiber, as all its TLS.
thread_local const char* current = nullptr;

}  // namespace

const char* annotation() noexcept { return current; }

namespace algo {
const char* exchange_annotation(const char* name) noexcept { return std::exchange(current, name); }
}  // namespace algo

}  // namespace amity
