#include "amity/accel/buffer.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "amity/accel/device.hpp"
#include "amity/accel/internal/backends.hpp"
#include "amity/accel/internal/boxes.hpp"

namespace amity::accel::detail {
namespace {

/// Drivers refuse commands of no bytes.
void set_kind(operation& op, command::kind kind, std::size_t bytes) {
  op.what.is = bytes != 0 ? kind : command::kind::nothing;
  op.what.bytes = bytes;
}

ref<operation> box_operation(const char* name, command::kind kind, buffer_object& b, const std::size_t (&region)[3]) {
  auto op = new_operation(b.of);
  op->name = name;
  op->what.is = kind;
  std::memcpy(op->what.region, region, sizeof region);
  return op;
}

}  // namespace

void check_range(const char* what, std::size_t offset, std::size_t count, std::size_t size,
                 std::exception_ptr& failure) noexcept {
  failure = std::make_exception_ptr(
      std::out_of_range(std::string(what) + ": [" + std::to_string(offset) + ", " + std::to_string(offset) + " + " +
                        std::to_string(count) + ") is not within the " + std::to_string(size) + " that are there"));
}

ref<buffer_object> make_buffer(device_object& d, std::size_t n, std::size_t element_bytes,
                               std::exception_ptr& failure) noexcept {
  return amity::detail::caught(failure, [&] {
    std::size_t bytes;
    if (__builtin_mul_overflow(n, element_bytes, &bytes))
      throw out_of_memory(std::to_string(n) + " elements of " + std::to_string(element_bytes) +
                          " bytes are more than an address can reach");
    return new_buffer(d, bytes);
  });
}

ref<operation> write_operation(buffer_object& b, std::size_t offset, const void* from, std::size_t bytes) {
  auto op = new_operation(b.of);
  op->name = "write";
  set_kind(*op, command::kind::write, bytes);
  op->what.to = b.memory.get();
  op->what.to_offset = offset;
  op->what.host_from = from;
  op->use(b, bytes == b.bytes ? access::overwrites : access::writes);
  return op;
}

ref<operation> read_operation(buffer_object& b, std::size_t offset, void* to, std::size_t bytes) {
  auto op = new_operation(b.of);
  op->name = "read";
  set_kind(*op, command::kind::read, bytes);
  op->what.from = b.memory.get();
  op->what.from_offset = offset;
  op->what.host_to = to;
  op->use(b, access::reads);
  return op;
}

namespace {
ref<operation> filled(buffer_object& b, std::size_t offset, std::size_t bytes, const void* pattern,
                      std::size_t pattern_bytes) {
  constexpr std::size_t longest_pattern = 128;
  if (!std::has_single_bit(pattern_bytes) || pattern_bytes > longest_pattern) {  // no driver knows such a pattern
    auto values = std::make_shared<std::vector<std::byte>>(bytes);
    for (std::size_t i = 0; i < bytes; i += pattern_bytes) std::memcpy(values->data() + i, pattern, pattern_bytes);
    auto op = write_operation(b, offset, values->data(), bytes);
    op->keeps = std::move(values);
    return op;
  }
  auto op = new_operation(b.of);
  op->name = "fill";
  set_kind(*op, command::kind::fill, bytes);
  op->what.to = b.memory.get();
  op->what.to_offset = offset;
  op->what.pattern_bytes = pattern_bytes;
  auto kept = std::make_shared<std::array<std::byte, longest_pattern>>();
  std::memcpy(kept->data(), pattern, pattern_bytes);
  op->what.host_from = kept->data();
  op->keeps = std::move(kept);
  op->use(b, bytes == b.bytes ? access::overwrites : access::writes);
  return op;
}
}  // namespace

ref<operation> fill_operation(buffer_object& b, std::size_t offset, std::size_t bytes, const void* pattern,
                              std::size_t pattern_bytes, std::exception_ptr& failure) noexcept {
  return amity::detail::caught(failure, [&] { return filled(b, offset, bytes, pattern, pattern_bytes); });
}

future<void> fill_bytes(buffer_object& b, std::size_t offset, std::size_t bytes, const void* pattern,
                        std::size_t pattern_bytes, std::exception_ptr& failure) noexcept {
  return amity::detail::caught(failure, [&] { return begin(filled(b, offset, bytes, pattern, pattern_bytes)); });
}

namespace {
ref<operation> checked_copy(const buffer_part& from, const buffer_part& to, std::size_t bytes) {
  if (&from.of == &to.of && from.offset < to.offset + bytes && to.offset < from.offset + bytes && bytes != 0)
    throw std::invalid_argument("copy: the two ranges of one buffer overlap");
  const device_object &source = from.of.of, &target = to.of.of;
  if (source.native->domain() != target.native->domain())
    throw std::invalid_argument("copy from " + source.words() + " to " + target.words() +
                                ": they can't reach one another");
  auto op = new_operation(to.of.of);
  op->name = "copy";
  set_kind(*op, command::kind::copy, bytes);
  op->what.from = from.of.memory.get();
  op->what.from_offset = from.offset;
  op->what.to = to.of.memory.get();
  op->what.to_offset = to.offset;
  op->use(from.of, access::reads);
  op->use(to.of, bytes == to.of.bytes ? access::overwrites : access::writes);
  return op;
}
}  // namespace

ref<operation> copy_operation(const buffer_part& from, const buffer_part& to, std::size_t bytes,
                              std::exception_ptr& failure) noexcept {
  return amity::detail::caught(failure, [&] { return checked_copy(from, to, bytes); });
}

future<void> copy_bytes(const buffer_part& from, const buffer_part& to, std::size_t bytes,
                        std::exception_ptr& failure) noexcept {
  return amity::detail::caught(failure, [&] {
    if (from.of.of.native->domain() == to.of.of.native->domain()) return begin(checked_copy(from, to, bytes));
    if (from.of.of.rank >= 0 && to.of.of.rank >= 0) return remote::copy_between_others(from, to, bytes);
    // Through the host. Both take their places in the order of their buffers now.
    auto between = std::make_shared<std::vector<std::byte>>(bytes);
    auto read = read_operation(from.of, from.offset, between->data(), bytes);
    read->keeps = between;
    auto write = write_operation(to.of, to.offset, between->data(), bytes);
    write->keeps = std::move(between);
    wait_for_end(*write, *read);
    static_cast<void>(begin(std::move(read)));
    return begin(std::move(write));
  });
}

namespace {
future<void> write_box_now(buffer_object& b, const box& to, const void* from, const box& host,
                           const region_bytes& region) {
  auto op = box_operation("write_box", command::kind::write_box, b, region);
  op->what.to_box = checked_box("write_box", to, region, b.bytes);
  op->what.from_box = checked_box("write_box", host, region, SIZE_MAX);
  op->what.to = b.memory.get();
  op->what.host_from = from;
  op->use(b, access::writes);
  return begin(std::move(op));
}

future<void> read_box_now(buffer_object& b, const box& from, void* to, const box& host, const region_bytes& region) {
  auto op = box_operation("read_box", command::kind::read_box, b, region);
  op->what.from_box = checked_box("read_box", from, region, b.bytes);
  op->what.to_box = checked_box("read_box", host, region, SIZE_MAX);
  op->what.from = b.memory.get();
  op->what.host_to = to;
  op->use(b, access::reads);
  return begin(std::move(op));
}

future<void> copy_box_now(buffer_object& from, const box& from_box, buffer_object& to, const box& to_box,
                          const region_bytes& region) {
  box const source = checked_box("copy_box from", from_box, region, from.bytes);
  box const target = checked_box("copy_box to", to_box, region, to.bytes);
  if (from.of.native->domain() != to.of.native->domain()) {  // densely, through the host
    auto between = std::make_shared<std::vector<std::byte>>(region[0] * region[1] * region[2]);
    auto read = read_box_now(from, source, between->data(), {}, region).share();
    auto op = box_operation("copy_box", command::kind::write_box, to, region);
    op->what.to = to.memory.get();
    op->what.to_box = target;
    op->what.from_box = checked_box("copy_box", {}, region, SIZE_MAX);
    op->what.host_from = between->data();
    op->keeps = std::move(between);
    op->use(to, access::writes);
    hold_for(*op, read);
    return begin(std::move(op));
  }
  auto op = box_operation("copy_box", command::kind::copy_box, to, region);
  op->what.from_box = source;
  op->what.to_box = target;
  op->what.from = from.memory.get();
  op->what.to = to.memory.get();
  op->use(from, access::reads);
  op->use(to, access::writes);
  return begin(std::move(op));
}
}  // namespace

future<void> write_box(buffer_object& b, const box& to, const void* from, const box& host, const region_bytes& region,
                       std::exception_ptr& failure) noexcept {
  return amity::detail::caught(failure, [&] { return write_box_now(b, to, from, host, region); });
}

future<void> read_box(buffer_object& b, const box& from, void* to, const box& host, const region_bytes& region,
                      std::exception_ptr& failure) noexcept {
  return amity::detail::caught(failure, [&] { return read_box_now(b, from, to, host, region); });
}

future<void> copy_box(buffer_object& from, const box& from_box, buffer_object& to, const box& to_box,
                      const region_bytes& region, std::exception_ptr& failure) noexcept {
  return amity::detail::caught(failure, [&] { return copy_box_now(from, from_box, to, to_box, region); });
}

future<void> ready_of(buffer_object& b) {
  auto op = new_operation(b.of);
  op->name = "ready";
  op->use(b, access::reads);
  return begin(std::move(op));
}

}  // namespace amity::accel::detail
