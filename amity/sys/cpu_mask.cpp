#include "amity/sys/cpu_mask.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace amity::sys {
namespace {

constexpr std::size_t smallest_bytes = sizeof(cpu_set_t);    // 1024 CPUs
constexpr std::size_t largest_bytes = std::size_t{1} << 17;  // a million CPUs: beyond it EINVAL means something else

}  // namespace

cpu_mask::~cpu_mask() noexcept { std::free(set_); }

cpu_mask::cpu_mask(cpu_mask&& other) noexcept : set_(other.set_), bytes_(other.bytes_) {
  other.set_ = nullptr;
  other.bytes_ = 0;
}

cpu_mask& cpu_mask::operator=(cpu_mask&& other) noexcept {
  if (this != &other) {
    std::free(set_);
    set_ = other.set_;
    bytes_ = other.bytes_;
    other.set_ = nullptr;
    other.bytes_ = 0;
  }
  return *this;
}

bool cpu_mask::grow(std::size_t bytes) noexcept {
  if (bytes <= bytes_) return true;
  void* larger = std::realloc(set_, bytes);
  if (larger == nullptr) return false;
  std::memset(static_cast<char*>(larger) + bytes_, 0, bytes - bytes_);
  set_ = static_cast<cpu_set_t*>(larger);
  bytes_ = bytes;
  return true;
}

cpu_mask cpu_mask::read_with(reader read) noexcept {
  cpu_mask mask;
  const int errno_of_the_host = errno;  // a guest leaves no trace in its host's errno
  for (std::size_t bytes = smallest_bytes; bytes <= largest_bytes; bytes *= 2) {
    if (!mask.grow(bytes)) break;
    if (read(mask.bytes_, mask.set_) == 0) {
      errno = errno_of_the_host;
      return mask;
    }
    if (errno != EINVAL) break;
  }
  errno = errno_of_the_host;
  return {};
}

cpu_mask cpu_mask::of_calling_thread() noexcept {
  return read_with([](std::size_t bytes, cpu_set_t* into) { return sched_getaffinity(0, bytes, into); });
}

cpu_mask cpu_mask::copy() const noexcept {
  cpu_mask result;
  if (result.grow(bytes_) && bytes_ != 0) std::memcpy(result.set_, set_, bytes_);
  return result;
}

bool cpu_mask::add(int cpu) noexcept {
  if (cpu < 0) return false;
  const auto index = static_cast<std::size_t>(cpu);
  std::size_t bytes = bytes_ == 0 ? smallest_bytes : bytes_;
  while (index >= bytes * 8) bytes *= 2;
  if (!grow(bytes)) return false;
  CPU_SET_S(index, bytes_, set_);
  return true;
}

bool cpu_mask::contains(int cpu) const noexcept {
  const auto index = static_cast<std::size_t>(cpu);
  return cpu >= 0 && index < bytes_ * 8 && CPU_ISSET_S(index, bytes_, set_);
}

int cpu_mask::count() const noexcept { return bytes_ == 0 ? 0 : CPU_COUNT_S(bytes_, set_); }

int cpu_mask::next(int cpu) const noexcept {
  for (auto index = static_cast<std::size_t>(cpu + 1); index < bytes_ * 8; ++index)
    if (CPU_ISSET_S(index, bytes_, set_)) return static_cast<int>(index);
  return -1;
}

void cpu_mask::intersect(const cpu_mask& other) noexcept {
  for (int cpu = first(); cpu >= 0; cpu = next(cpu))
    if (!other.contains(cpu)) CPU_CLR_S(static_cast<std::size_t>(cpu), bytes_, set_);
}

bool cpu_mask::operator==(const cpu_mask& other) const noexcept {
  const cpu_mask& longer = bytes_ < other.bytes_ ? other : *this;
  const std::size_t common = bytes_ < other.bytes_ ? bytes_ : other.bytes_;
  if (common != 0 && std::memcmp(set_, other.set_, common) != 0) return false;
  const auto* rest = reinterpret_cast<const char*>(longer.set_);
  for (std::size_t i = common; i < longer.bytes_; ++i)
    if (rest[i] != 0) return false;
  return true;
}

const cpu_set_t* cpu_mask::native() const noexcept {
  static const cpu_set_t none{};
  return set_ != nullptr ? set_ : &none;
}

std::size_t cpu_mask::bytes() const noexcept { return set_ != nullptr ? bytes_ : sizeof(cpu_set_t); }

char* format_cpus(const cpu_mask& mask, char* into, std::size_t size) noexcept {
  std::size_t used = 0;
  into[0] = '\0';
  for (int cpu = mask.first(); cpu >= 0;) {
    int last = cpu;
    while (mask.contains(last + 1)) ++last;
    char piece[32];
    const char* comma = used == 0 ? "" : ",";
    const int length = last == cpu ? std::snprintf(piece, sizeof piece, "%s%d", comma, cpu)
                                   : std::snprintf(piece, sizeof piece, "%s%d-%d", comma, cpu, last);
    const auto needed = static_cast<std::size_t>(length);
    if (used + needed + sizeof "..." > size) {
      std::memcpy(into + used, "...", sizeof "...");
      return into;
    }
    std::memcpy(into + used, piece, needed + 1);
    used += needed;
    cpu = mask.next(last);
  }
  return into;
}

}  // namespace amity::sys
