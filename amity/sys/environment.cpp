#include "amity/sys/environment.hpp"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atomic>

namespace amity::sys {
namespace {

std::mutex& changes() noexcept {
  static auto* const one = new std::mutex;  // libraries may begin while the process ends
  return *one;
}

/// An array that was put in the place of the environment's. All that there were stay.
struct kept_array {
  kept_array* before;
  char* added;  ///< or null
  char* entries[1];
};
/// Only so that checkers of leaks find them. Relaxed: nobody follows it.
std::atomic<kept_array*> newest{nullptr};

/// Puts a copy of the array in its place, with `more` at its end unless that is null. The array before it stays, as
/// threads may be reading it: setenv extends, and so frees, only the last array that it has made itself. Without memory
/// all is left as it is: false.
bool replace_array(char* more) noexcept {
  std::atomic_ref<char**> current(environ);
  for (;;) {
    char** const before = current.load(std::memory_order_acquire);  // pairs with the exchange, of another thread
    std::size_t n = 0;
    while (before != nullptr && before[n] != nullptr) ++n;
    auto* const copy = static_cast<kept_array*>(malloc(sizeof(kept_array) + (n + 1) * sizeof(char*)));
    if (copy == nullptr) return false;
    if (n != 0) memcpy(copy->entries, before, n * sizeof(char*));
    copy->added = copy->entries[n] = more;
    copy->entries[n + 1] = nullptr;
    char** expected = before;
    // Release: a thread that reads the new array finds it filled. Pairs with the load above, and with getenv's.
    if (current.compare_exchange_strong(expected, copy->entries, std::memory_order_acq_rel,
                                        std::memory_order_relaxed)) {
      copy->before = newest.load(std::memory_order_relaxed);
      while (!newest.compare_exchange_weak(copy->before, copy, std::memory_order_relaxed)) {
      }
      return true;
    }
    free(copy);  // the program has set a variable meanwhile
  }
}

}  // namespace

void keep_environment() noexcept { static_cast<void>(replace_array(nullptr)); }

library_start::library_start() : held_(changes()) { keep_environment(); }

void library_start::set_default(const char* name, const char* value) const noexcept {
  if (getenv(name) != nullptr) return;
  std::size_t const name_length = strlen(name), value_length = strlen(value);
  auto* const entry = static_cast<char*>(malloc(name_length + value_length + 2));
  if (entry == nullptr) return;
  memcpy(entry, name, name_length);
  entry[name_length] = '=';
  memcpy(entry + name_length + 1, value, value_length + 1);
  if (!replace_array(entry)) free(entry);
}

}  // namespace amity::sys
