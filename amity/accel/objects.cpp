#include "amity/accel/objects.hpp"

#include <pthread.h>

#include <mutex>

#include "amity/accel/internal/backends.hpp"
#include "amity/accel/internal/choice.hpp"
#include "amity/accel/internal/free_thread.hpp"
#include "amity/accel/internal/watch.hpp"
#include "amity/accel/kernel_object.hpp"
#include "amity/accel/operation.hpp"
#include "amity/net/job.hpp"

namespace amity::accel::detail {
namespace {

struct all_devices {
  std::vector<device_object*> devices;
  std::vector<std::pair<std::string, std::string>> statuses;
};

struct named_backend {
  const char* name;
  found_devices (*find)();
};
constexpr named_backend backends[] = {{"cuda", find_cuda_devices}, {"opencl", find_opencl_devices}};

void find(const named_backend& b, const device_choice& choice, all_devices& to) {
  if (!choice.wants(b.name)) {
    to.statuses.emplace_back(b.name, "left out by AMITY_DEVICES=" + choice.text());
    return;
  }
  found_devices found;
  on_free_thread([&b, &found] { found = b.find(); });
  int number = 0, hidden = 0;
  for (auto& native : found.devices) {
    if (!choice.wants(b.name, number++)) {
      ++hidden;
      continue;
    }
    to.devices.push_back(new device_object(std::move(native), static_cast<int>(to.devices.size())));
  }
  if (hidden != 0)
    found.status += ", " + std::to_string(hidden) + " of them left out by AMITY_DEVICES=" + choice.text();
  to.statuses.emplace_back(b.name, std::move(found.status));
}

const all_devices& all() {
  static const all_devices* const found = [] {
    auto* const made = new all_devices;
    device_choice const choice = device_choice::of_environment();
    for (const named_backend& b : backends) find(b, choice, *made);
    net::serve_before_libraries_end(await_own_streams);
    if (made->devices.empty()) return made;
    hold_order_over_forks();
    hold_builds_over_forks();
    pthread_atfork(nullptr, nullptr, [] { is_child_of_user.store(true, std::memory_order_relaxed); });
    return made;
  }();
  return *found;
}

}  // namespace

buffer_object::~buffer_object() {
  // A driver's locks may be held by threads that are not here.
  if (is_child_of_user.load(std::memory_order_relaxed)) static_cast<void>(memory.release());
  if (writer != nullptr) writer->let_go();
  for (operation* const reader : readers) reader->let_go();
}

std::string device_object::words() const {
  return facts().backend + " device " + std::to_string(number) + " (" + facts().name + ")" +
         (rank < 0 ? "" : " of process " + std::to_string(rank));
}

std::atomic<bool> is_child_of_user{false};

const std::vector<device_object*>& own_devices() {
  if (is_child_of_user.load(std::memory_order_relaxed)) refuse_child();  // relaxed: as behind_handle
  return all().devices;
}

const std::vector<std::pair<std::string, std::string>>& backend_statuses() {
  static const std::vector<std::pair<std::string, std::string>> of_child{
      {"all", "the parent of this process has opened them: the child of a fork has no part in them"}};
  return is_child_of_user.load(std::memory_order_relaxed) ? of_child : all().statuses;  // relaxed: as behind_handle
}

namespace {
/// Parts of devices; their numbers follow those of the devices.
struct all_parts {
  sync::mutex lock;
  std::vector<device_object*> devices;
};
all_parts& parts_here() {
  static auto* const one = new all_parts;
  return *one;
}
}  // namespace

device_object* own_device(int number) {
  if (number < 0) return nullptr;
  auto at = static_cast<std::size_t>(number);
  const auto& whole = own_devices();
  if (at < whole.size()) return whole[at];
  at -= whole.size();
  all_parts& parts = parts_here();
  std::lock_guard const held(parts.lock);
  return at < parts.devices.size() ? parts.devices[at] : nullptr;
}

std::vector<device_object*> split_device(device_object& d, std::uint32_t units) {
  if (units == 0) throw device_error(d.words() + " can't be divided into devices of no compute unit");
  std::size_t const first = own_devices().size();
  std::vector<device_object*> made;
  auto natives = d.native->split(units);
  all_parts& parts = parts_here();
  std::lock_guard const held(parts.lock);
  for (auto& native : natives) {
    made.push_back(new device_object(std::move(native), static_cast<int>(first + parts.devices.size())));
    made.back()->root = &d;
    parts.devices.push_back(made.back());
  }
  return made;
}

std::vector<future<void>> ends_of_streams(device_object& d) {
  std::vector<future<void>> each;
  for (auto& slot : d.streams) {
    stream_object* const s = slot.load(std::memory_order_acquire);  // pairs with stream_at
    if (s == nullptr || s->pending.load(std::memory_order_relaxed) == 0) continue;
    auto op = new_operation(d);
    op->name = "synchronize";
    op->stream = s;
    each.push_back(begin(std::move(op)));
  }
  return each;
}

std::unique_ptr<native_memory> native_device::borrow(std::uintptr_t) {
  throw device_error(facts_.name + " takes no memory that was made elsewhere");
}

ref<buffer_object> borrow_buffer(device_object& d, std::uintptr_t handle, std::size_t bytes) {
  if (d.rank >= 0) throw device_error(d.words() + " is another process's: it takes no memory of this one");
  if (handle == 0) throw std::invalid_argument("a buffer of memory that is not there: its handle is 0");
  return ref<buffer_object>::adopt(new buffer_object(d, d.native->borrow(handle), bytes));
}

ref<buffer_object> new_buffer(device_object& d, std::size_t bytes) {
  if (d.facts().memory != 0 && bytes > d.facts().memory)
    throw out_of_memory(std::to_string(bytes) + " bytes: " + d.words() + " has " + std::to_string(d.facts().memory));
  if (d.facts().largest_buffer != 0 && bytes > d.facts().largest_buffer)
    throw out_of_memory(std::to_string(bytes) + " bytes: a buffer of " + d.words() + " has " +
                        std::to_string(d.facts().largest_buffer) + " at most");
  std::size_t const wanted = bytes != 0 ? bytes : 1;
  std::unique_ptr<native_memory> memory;
  try {
    memory = d.native->allocate(wanted);
  } catch (const out_of_memory&) {
    // What is under way keeps its buffers, also those that the program has given up.
    for (future<void>& one : ends_of_streams(d)) one.wait();
    look_for_ends();
    memory = d.native->allocate(wanted);
  }
  return ref<buffer_object>::adopt(new buffer_object(d, std::move(memory), bytes));
}

}  // namespace amity::accel::detail
