/// Devices and their memory.

#include <array>
#include <mutex>

#include "amity/accel/cuda/compilers.hpp"
#include "amity/accel/cuda/later.hpp"
#include "amity/accel/cuda/objects.hpp"
#include "amity/accel/internal/backends.hpp"
#include "amity/accel/internal/free_thread.hpp"
#include "amity/base/hex.hpp"

namespace amity::accel {
namespace cuda {
namespace {

constexpr char the_domain = 0;

/// Devices with a context. Peers are made known to one another when the second of them gets its own.
struct known_devices {
  sync::mutex lock;
  std::vector<const device*> all;
};
known_devices& known() {
  static auto* const one = new known_devices;
  return *one;
}

std::string hex_of(const uuid& id) {
  std::string text;
  for (std::size_t i = 0; i < sizeof id.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += hex(&id.bytes[i], 1);
  }
  return text;
}

std::string version_words(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

memory::~memory() {
  if (is_own_) of.free(address);
}

device::device(ordinal id, int driver_version) : id_(id), driver_version_(driver_version) {
  std::array<char, 256> name{};
  driver().device_name(name.data(), static_cast<int>(name.size()), id);
  std::size_t bytes = 0;
  driver().device_memory(&bytes, id);
  facts_.backend = "cuda";
  facts_.name = name.data();
  facts_.platform = "NVIDIA CUDA";
  facts_.driver = version_words(driver_version);
  facts_.capability = {attribute(attribute_major), attribute(attribute_minor)};
  facts_.memory = bytes;
  facts_.compute_units = static_cast<std::uint32_t>(attribute(attribute_processors));
  facts_.largest_block = static_cast<std::uint64_t>(attribute(attribute_block_threads));
  facts_.largest_block_sizes = {static_cast<std::uint32_t>(attribute(attribute_block_x)),
                                static_cast<std::uint32_t>(attribute(attribute_block_y)),
                                static_cast<std::uint32_t>(attribute(attribute_block_z))};
  int const at_most = attribute(attribute_shared_at_most);
  facts_.shared_memory = static_cast<std::uint64_t>(at_most != 0 ? at_most : attribute(attribute_shared));
  shared_without_asking_ = static_cast<std::size_t>(attribute(attribute_shared));
  constexpr int most_x = 0x7fffffff, most_y_and_z = 0xffff;  // of all that there are, where the driver does not say it
  const auto limit = [this](int which, int otherwise) {
    int const said = attribute(which);
    return static_cast<std::uint32_t>(said > 0 ? said : otherwise);
  };
  largest_pitch_ = limit(attribute_pitch, most_x);
  largest_grid_ = {limit(attribute_grid_x, most_x), limit(attribute_grid_y, most_y_and_z),
                   limit(attribute_grid_z, most_y_and_z)};
  facts_.has_fp64 = true;
  facts_.has_fp16 = facts_.capability >= std::pair{5, 3};
  constexpr int with_second_interface = 11070;
  writes_in_stream_ = driver().write_in_stream != nullptr && driver_version >= with_second_interface &&
                      attribute(attribute_stream_writes) != 0;
  has_pool_ = driver().allocate_from_pool != nullptr && driver().free_in_stream != nullptr &&
              driver().create_pool != nullptr && driver().set_pool != nullptr && attribute(attribute_pools) != 0;
}

int device::attribute(int which) const noexcept {
  int value = 0;
  return driver().device_attribute(&value, which, id_) == 0 ? value : 0;
}

const void* device::domain() const noexcept { return &the_domain; }

context_handle device::context() const {
  if (context_handle const there = context_.load(std::memory_order_acquire); there != nullptr) return there;
  std::lock_guard const held(lock_);
  if (context_.load(std::memory_order_relaxed) == nullptr) make_context();
  return context_.load(std::memory_order_relaxed);
}

void device::make_context() const {
  context_handle made = nullptr;
  result outcome = 0;
  detail::on_free_thread([&] { outcome = driver().retain_context(&made, id_); });  // it makes threads
  check(outcome, ("a context of " + facts_.name).c_str());
  known_devices& k = known();
  std::lock_guard const held(k.lock);  // before: a fiber that waits may go on on another thread
  within_context const its(made);
  if (has_pool_) {
    check(driver().create_stream(&memory_stream_, stream_of_its_own), "cuStreamCreate");
    pool_properties const what{.location = id_};
    check(driver().create_pool(&pool_, &what), "cuMemPoolCreate");
    std::uint64_t keeps_all = ~std::uint64_t{0};
    driver().set_pool(pool_, pool_keeps, &keeps_all);
  }
  for (const device* const other : k.all) {
    context_handle const its_context = other->context_.load(std::memory_order_acquire);
    connect(*this, made, *other, its_context);
    connect(*other, its_context, *this, made);
  }
  k.all.push_back(this);
  context_.store(made, std::memory_order_release);  // pairs with context() and with the load above
}

constexpr int most_connected = 64;

/// The pool says who may use its memory. Memory of no pool is the context's, which others in the process share; so only
/// there is it told to let others in.
void device::connect(const device& user, context_handle users, const device& owner, context_handle owners) {
  int can = 0;
  if (owner.id_ >= most_connected || driver().can_access_peer(&can, user.id_, owner.id_) != 0 || can == 0) return;
  if (owner.pool_ != nullptr) {
    pool_access const access{location_device, user.id_, access_read_write};
    if (driver().set_pool_access == nullptr || driver().set_pool_access(owner.pool_, &access, 1) != 0) return;
  } else {
    within_context const of_user(users);
    result const code = driver().enable_peer(owners, 0);
    if (code != 0 && code != peer_is_enabled) return;
  }
  user.usable_.fetch_or(std::uint64_t{1} << owner.id_, std::memory_order_release);  // pairs with uses_memory_of
}

bool device::uses_memory_of(const device& other) const noexcept {
  if (&other == this) return true;
  std::uint64_t const usable = usable_.load(std::memory_order_acquire);  // pairs with connect
  return other.id_ < most_connected && (usable >> other.id_ & 1) != 0;
}

bool device::reaches(const detail::native_device& other) const {
  if (&other == this) return true;
  if (other.domain() != domain()) return false;
  const auto& its = static_cast<const device&>(other);
  static_cast<void>(context());
  static_cast<void>(its.context());
  return uses_memory_of(its);
}

/// Memory that was freed in the stream of memory is there again for what follows in it. Other streams may use it, too,
/// when that stream is through, which is at once: only memory is given there, and only what nothing uses is taken.
result device::allocate_now(device_address& made, std::size_t bytes) const {
  if (!has_pool_) return driver().allocate(&made, bytes);
  result const code = driver().allocate_from_pool(&made, bytes, pool_, memory_stream_);
  return code != 0 ? code : driver().synchronize_stream(memory_stream_);
}

std::unique_ptr<detail::native_memory> device::allocate(std::size_t bytes) {
  context_handle const here = context();
  device_address made = 0;
  const auto try_it = [&] {
    within_context const its(here);
    return allocate_now(made, bytes);
  };
  result code = try_it();
  if (code == out_of_memory_code) {
    if (!has_pool_) do_what_was_put_off();
    if (has_pool_ && driver().trim_pool != nullptr) driver().trim_pool(pool_, 0);
    code = try_it();
  }
  check(code, ("a buffer of " + std::to_string(bytes) + " bytes on " + facts_.name).c_str());
  return std::make_unique<memory>(*this, made);
}

std::unique_ptr<detail::native_memory> device::borrow(std::uintptr_t handle) {
  static_cast<void>(context());
  return std::make_unique<memory>(*this, handle, false);
}

void device::free(device_address a) const noexcept {
  context_handle const here = context_.load(std::memory_order_relaxed);  // whoever has memory has seen the context
  if (has_pool_) {
    within_context const its(here);
    driver().free_in_stream(a, memory_stream_);
    return;
  }
  later(
      here, [](void* of) noexcept { driver().free(reinterpret_cast<device_address>(of)); }, reinterpret_cast<void*>(a));
}

std::vector<std::unique_ptr<detail::native_device>> device::split(std::uint32_t) {
  throw device_error(facts_.name + " can't be divided: CUDA has no parts of devices");
}

std::vector<std::pair<std::string, std::string>> device::properties() const {
  const auto number = [&](int which) { return std::to_string(attribute(which)); };
  const auto yes_or_no = [&](int which) { return std::string(attribute(which) != 0 ? "yes" : "no"); };
  constexpr int per_mega = 1000;  // of kilohertz
  std::vector<std::pair<std::string, std::string>> all{
      {"name", facts_.name},
      {"platform", facts_.platform},
      {"driver", facts_.driver},
      {"compute capability", std::to_string(facts_.capability.first) + "." + std::to_string(facts_.capability.second)},
      {"compute units", std::to_string(facts_.compute_units)},
      {"clock in MHz", std::to_string(attribute(attribute_clock) / per_mega)},
      {"memory clock in MHz", std::to_string(attribute(attribute_memory_clock) / per_mega)},
      {"memory in bytes", std::to_string(facts_.memory)},
      {"shared memory of a block in bytes", std::to_string(facts_.shared_memory)},
      {"cache in bytes", number(attribute_cache)},
      {"warp", number(attribute_warp)},
      {"largest block", std::to_string(facts_.largest_block)},
      {"memory shared with the host", yes_or_no(attribute_integrated)},
      {"error correction", yes_or_no(attribute_ecc)},
      {"memory pools", has_pool_ ? "yes" : "no"},
      {"streams write their progress", writes_in_stream_ ? "yes" : "no"}};
  if (uuid id{}; driver().device_uuid != nullptr && driver().device_uuid(&id, id_) == 0)
    all.emplace_back("uuid", "GPU-" + hex_of(id));
  if (std::array<char, 64> bus{};
      driver().device_bus != nullptr && driver().device_bus(bus.data(), static_cast<int>(bus.size()), id_) == 0)
    all.emplace_back("PCI bus", bus.data());
  return all;
}

}  // namespace cuda

detail::found_devices detail::find_cuda_devices() {
  using namespace cuda;
  found_devices found;
  if (!open_driver(found.status)) return found;
  result code = driver().init(0);
  int n = 0, version = 0;
  if (code == 0) code = driver().driver_version(&version);
  if (code == 0) code = driver().device_count(&n);
  if (code != 0 || n == 0) {
    found.status = code == 0 || code == no_device
                       ? std::string("libcuda.so.1 is there, and no device")
                       : "libcuda.so.1 is there, and its start failed: " + words_of_error(code);
    return found;
  }
  for (int i = 0; i < n; ++i) {
    ordinal id = 0;
    if (driver().device(&id, i) == 0) found.devices.push_back(std::make_unique<cuda::device>(id, version));
  }
  found.status = std::to_string(found.devices.size()) + (found.devices.size() == 1 ? " device" : " devices");
  // Opened here and not at the first build: that may go on while the process ends, and the library's own objects with
  // it.
  for (const auto& d : found.devices) {
    std::string why;
    if (!compilers_for(d->facts().capability, version, why).empty()) continue;
    found.status += "; no program can be compiled: " + why;
    break;
  }
  return found;
}

}  // namespace amity::accel
