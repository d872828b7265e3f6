#include "amity/net/code.hpp"

#include <elf.h>
#include <link.h>
#include <string.h>

#include <atomic>
#include <mutex>
#include <new>

#include "amity/base/hash.hpp"
#include "amity/base/report.hpp"
#include "amity/net/internal/before_main.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::net {
namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

// --- programs and libraries

/// Bits of a code: the mark of the module, and below it a place. The highest bit is left to messages.cpp.
constexpr unsigned place_bits = 36;
constexpr std::uint64_t most_places = std::uint64_t{1} << place_bits;
constexpr std::uint32_t mark_mask = (1u << (63 - place_bits)) - 1;

struct module {
  std::uintptr_t base = 0;
  std::uint32_t mark = 0;
  std::uintptr_t low = ~std::uintptr_t{0}, high = 0;            // what it occupies
  std::uintptr_t code_low = ~std::uintptr_t{0}, code_high = 0;  // of that, what can be executed
};

/// The build id, from the notes of the module; null: it has none.
const unsigned char* build_id(const dl_phdr_info& info, std::size_t* size) noexcept {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& p = info.dlpi_phdr[i];
    if (p.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const unsigned char*>(info.dlpi_addr + p.p_vaddr);
    const unsigned char* const end = at + p.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      memcpy(&note, at, sizeof note);
      const unsigned char* const name = at + sizeof note;
      const unsigned char* const content = name + (note.n_namesz + 3) / 4 * 4;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
        *size = note.n_descsz;
        return content;
      }
      at = content + (note.n_descsz + 3) / 4 * 4;
    }
  }
  return nullptr;
}

module describe(const dl_phdr_info& info) noexcept {
  module m;
  m.base = info.dlpi_addr;
  std::uint64_t sizes = 0;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& p = info.dlpi_phdr[i];
    if (p.p_type != PT_LOAD) continue;
    std::uintptr_t const low = info.dlpi_addr + p.p_vaddr, high = low + p.p_memsz;
    m.low = low < m.low ? low : m.low;
    m.high = high > m.high ? high : m.high;
    sizes = hash_of(&p.p_memsz, sizeof p.p_memsz, hash_of(&p.p_vaddr, sizeof p.p_vaddr, sizes));
    if ((p.p_flags & PF_X) == 0) continue;
    m.code_low = low < m.code_low ? low : m.code_low;
    m.code_high = high > m.code_high ? high : m.code_high;
  }
  std::size_t size = 0;
  const unsigned char* const id = build_id(info, &size);
  // Without one, the code itself says which build it is.
  std::uint64_t const h = id != nullptr ? hash_of(id, size)
                          : m.code_low < m.code_high
                              ? hash_of(reinterpret_cast<void*>(m.code_low), m.code_high - m.code_low, sizes)
                              : sizes;
  m.mark = static_cast<std::uint32_t>(h ^ (h >> 32)) & mark_mask;
  if (m.mark == 0) m.mark = 1;
  return m;
}

sys::spin_lock modules_lock;
constexpr int most_modules = 512;
module modules[most_modules];
std::atomic<int> known_modules{0};

/// Adds those that were loaded since. Under the lock.
void look_for_modules() noexcept {
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void*) {
        int const n = known_modules.load(memory_order_relaxed);
        for (int i = 0; i < n; ++i)
          if (modules[i].base == info->dlpi_addr) return 0;
        if (n == most_modules) return 1;
        modules[n] = describe(*info);
        known_modules.store(n + 1, memory_order_release);  // pairs with find_module
        return 0;
      },
      nullptr);
}

template <class Is>
const module* find_module(Is is) noexcept {
  for (bool looked = false;; looked = true) {
    int const n = known_modules.load(memory_order_acquire);
    for (int i = 0; i < n; ++i)
      if (is(modules[i])) return &modules[i];
    if (looked) return nullptr;
    std::lock_guard const held(modules_lock);
    look_for_modules();
  }
}

// --- handlers

/// Open addressing; replaced by a larger one when half full, and never freed: there are few, and readers need no lock.
struct handler_table {
  const handler_table* before;  ///< the one that it has replaced, which somebody may still look at
  std::size_t capacity;
  struct entry {
    std::atomic<std::uint64_t> code{0};
    handler function = nullptr;
  } * entries;

  entry& slot(std::uint64_t code) const noexcept {
    std::size_t i = hash_of(&code, sizeof code) & (capacity - 1);
    for (;; i = (i + 1) & (capacity - 1)) {
      std::uint64_t const there = entries[i].code.load(memory_order_acquire);  // pairs with add
      if (there == code || there == 0) return entries[i];
    }
  }
  void add(std::uint64_t code, handler h) const noexcept {
    entry& e = slot(code);
    e.function = h;
    e.code.store(code, memory_order_release);
  }
};

sys::spin_lock handlers_lock;
std::atomic<handler_table*> handlers{nullptr};
std::size_t known_handlers = 0;

handler_table* make_table(std::size_t capacity, const handler_table* before) noexcept {
  auto* const entries = new (std::nothrow) handler_table::entry[capacity];
  auto* const table = new (std::nothrow) handler_table{before, capacity, entries};
  if (entries == nullptr || table == nullptr) base::fatal("out of memory for the names of remote functions");
  return table;
}

}  // namespace

std::uint64_t place_in_program(const void* address) noexcept {
  auto const at = reinterpret_cast<std::uintptr_t>(address);
  const module* const m = find_module([at](const module& each) { return at >= each.low && at < each.high; });
  if (m == nullptr || at - m->low >= most_places) return 0;
  return std::uint64_t{m->mark} << place_bits | (at - m->low);
}

const void* address_in_program(std::uint64_t place, bool function) noexcept {
  auto const mark = static_cast<std::uint32_t>(place >> place_bits);
  const module* const m = find_module([mark](const module& each) { return each.mark == mark; });
  if (m == nullptr) return nullptr;
  std::uintptr_t const at = m->low + (place & (most_places - 1));
  bool const inside = function ? at >= m->code_low && at < m->code_high : at < m->high;
  return inside ? reinterpret_cast<const void*>(at) : nullptr;
}

std::uint64_t register_handler(handler h) noexcept {
  std::uint64_t const code = place_in_program(reinterpret_cast<const void*>(h));
  if (code == 0) base::fatal("a remote function lies in no library that is loaded");
  std::lock_guard const held(handlers_lock);
  handler_table* table = handlers.load(memory_order_relaxed);
  if (table == nullptr) {
    table = make_table(1024, nullptr);
    handlers.store(table, memory_order_release);  // pairs with handler_of
  }
  if (table->slot(code).code.load(memory_order_relaxed) == code) return code;
  if (++known_handlers > table->capacity / 2) {
    handler_table* const larger = make_table(table->capacity * 4, table);
    for (std::size_t i = 0; i < table->capacity; ++i)
      if (std::uint64_t const each = table->entries[i].code.load(memory_order_relaxed); each != 0)
        larger->add(each, table->entries[i].function);
    table = larger;
    handlers.store(table, memory_order_release);
  }
  table->add(code, h);
  look_again_at_unknown();
  return code;
}

handler handler_of(std::uint64_t code) noexcept {
  const handler_table* const table = handlers.load(memory_order_acquire);  // pairs with register_handler
  if (table == nullptr || code == 0) return nullptr;
  const handler_table::entry& e = table->slot(code);
  return e.code.load(memory_order_acquire) == code ? e.function : nullptr;
}

std::uint32_t mark_of_program() noexcept {
  // The program is the first that the loader tells of.
  {
    std::lock_guard const held(modules_lock);
    look_for_modules();
  }
  return modules[0].mark;
}

}  // namespace amity::net
