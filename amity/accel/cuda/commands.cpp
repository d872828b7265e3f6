#include "amity/accel/cuda/commands.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "amity/accel/few.hpp"

namespace amity::accel::cuda {
namespace {

using kind = detail::command::kind;

/// A box with its pitches said.
struct pitched {
  std::size_t origin, row, slice;
};
pitched pitched_of(const box& b, const std::size_t (&region)[3]) noexcept {
  std::size_t const row = b.row_pitch != 0 ? b.row_pitch : region[0];
  std::size_t const slice = b.slice_pitch != 0 ? b.slice_pitch : row * region[1];
  return {b.origin[0] + b.origin[1] * row + b.origin[2] * slice, row, slice};
}

template <class Copy>
void for_each_row(const pitched& p, const std::size_t (&region)[3], const Copy& copy) {
  std::size_t dense = 0;
  for (std::size_t z = 0; z < region[2]; ++z)
    for (std::size_t y = 0; y < region[1]; ++y, dense += region[0]) copy(p.origin + y * p.row + z * p.slice, dense);
}

/// Copies of this size at most go through a block of their own, others through one block in turns.
constexpr std::size_t largest_block = std::size_t{8} << 20;

/// Of one command.
class issuer {
 public:
  issuer(stream_handle stream, const device& on) noexcept : stream_(stream), on_(on) {}

  void issue(const detail::command& c, staging& keeps) {
    switch (c.is) {
      case kind::write:
        return write(c, keeps);
      case kind::read:
        return read(c, keeps);
      case kind::copy:
        return copy(c);
      case kind::fill:
        return fill(c);
      case kind::write_box:
        return write_box(c, keeps);
      case kind::read_box:
        return read_box(c, keeps);
      case kind::copy_box:
        return copy_box(place_of(c.from, c.from_box, c.region), place_of(c.to, c.to_box, c.region), c.region);
      case kind::launch:
        return launch(c);
      case kind::foreign:
        return (*c.hand_over)({.queue = stream_,
                               .context = on_.context(),
                               .device = reinterpret_cast<void*>(static_cast<std::intptr_t>(on_.number()))});
      case kind::nothing:
        return;
    }
  }

 private:
  static memory& memory_of(detail::native_memory* m) noexcept { return *static_cast<memory*>(m); }

  void write(const detail::command& c, staging& keeps) {
    if (c.bytes == 0) return;
    device_address const to = memory_of(c.to).address + c.to_offset;
    const auto* from = static_cast<const std::byte*>(c.host_from);
    if (!is_pinned(from, c.bytes)) {
      if (c.bytes > largest_block) return write_in_turns(to, from, c.bytes, keeps);
      keeps.block = pinned_block(c.bytes);
      std::memcpy(keeps.block.data(), from, c.bytes);
      from = keeps.block.data();
    }
    check(driver().write(to, from, c.bytes, stream_), "cuMemcpyHtoDAsync");
  }

  void read(const detail::command& c, staging& keeps) {
    if (c.bytes == 0) return;
    device_address const from = memory_of(c.from).address + c.from_offset;
    void* to = c.host_to;
    if (!is_pinned(to, c.bytes)) {
      if (c.bytes > largest_block) return read_in_turns(static_cast<std::byte*>(to), from, c.bytes, keeps);
      keeps.block = pinned_block(c.bytes);
      keeps.deliver_to = std::exchange(to, keeps.block.data());
      keeps.bytes = c.bytes;
    }
    check(driver().read(to, from, c.bytes, stream_), "cuMemcpyDtoHAsync");
  }

  /// One block for all of it: the stream itself copies to and from it, one piece after the other.
  void write_in_turns(device_address to, const std::byte* from, std::size_t bytes, staging& keeps) {
    keeps.block = pinned_block(largest_block);
    keeps.copies.reserve((bytes + largest_block - 1) / largest_block);
    for (std::size_t at = 0; at < bytes; at += largest_block) {
      std::size_t const n = std::min(largest_block, bytes - at);
      keeps.copies.push_back({keeps.block.data(), from + at, n});
      check(driver().call_in_stream(stream_, host_copy::run, &keeps.copies.back()), "cuLaunchHostFunc");
      check(driver().write(to + at, keeps.block.data(), n, stream_), "cuMemcpyHtoDAsync");
    }
  }

  void read_in_turns(std::byte* to, device_address from, std::size_t bytes, staging& keeps) {
    keeps.block = pinned_block(largest_block);
    keeps.copies.reserve((bytes + largest_block - 1) / largest_block);
    for (std::size_t at = 0; at < bytes; at += largest_block) {
      std::size_t const n = std::min(largest_block, bytes - at);
      keeps.copies.push_back({to + at, keeps.block.data(), n});
      check(driver().read(keeps.block.data(), from + at, n, stream_), "cuMemcpyDtoHAsync");
      check(driver().call_in_stream(stream_, host_copy::run, &keeps.copies.back()), "cuLaunchHostFunc");
    }
  }

  void copy(const detail::command& c) {
    if (c.bytes == 0) return;
    memory &to = memory_of(c.to), &from = memory_of(c.from);
    copy_between(to.of, to.address + c.to_offset, from.of, from.address + c.from_offset, c.bytes);
  }

  void copy_between(const device& to, device_address target, const device& from, device_address source,
                    std::size_t bytes) {
    if (on_.uses_memory_of(to) && on_.uses_memory_of(from))
      check(driver().copy(target, source, bytes, stream_), "cuMemcpyDtoDAsync");
    else
      check(driver().copy_to_peer(target, to.context(), source, from.context(), bytes, stream_), "cuMemcpyPeerAsync");
  }

  /// Patterns are powers of two. Those of more than a word are filled a column of words at a time.
  void fill(const detail::command& c) {
    if (c.bytes == 0) return;
    device_address const to = memory_of(c.to).address + c.to_offset;
    const auto* const pattern = static_cast<const std::byte*>(c.host_from);
    if (c.pattern_bytes == 1)
      return check(driver().fill_8(to, std::to_integer<std::uint8_t>(*pattern), c.bytes, stream_), "cuMemsetD8Async");
    if (c.pattern_bytes == 2) {
      std::uint16_t value = 0;
      std::memcpy(&value, pattern, sizeof value);
      return check(driver().fill_16(to, value, c.bytes / sizeof value, stream_), "cuMemsetD16Async");
    }
    for (std::size_t at = 0; at < c.pattern_bytes; at += sizeof(std::uint32_t)) {
      std::uint32_t value = 0;
      std::memcpy(&value, pattern + at, sizeof value);
      if (c.pattern_bytes == sizeof value)
        check(driver().fill_32(to, value, c.bytes / sizeof value, stream_), "cuMemsetD32Async");
      else
        check(driver().fill_column_32(to + at, c.pattern_bytes, value, 1, c.bytes / c.pattern_bytes, stream_),
              "cuMemsetD2D32Async");
    }
  }

  /// Where a box begins: in memory of a device, or dense in a block of the host's.
  struct place {
    const device* of;  ///< null: the host's
    device_address address;
    std::size_t row, slice;

    [[nodiscard]] place at(std::size_t y, std::size_t z) const noexcept {
      return {of, address + y * row + z * slice, row, slice};
    }
  };
  static place place_of(detail::native_memory* m, const box& b, const std::size_t (&region)[3]) noexcept {
    pitched const p = pitched_of(b, region);
    memory const& its = memory_of(m);
    return {&its.of, its.address + p.origin, p.row, p.slice};
  }
  static place place_of(const pinned_block& block, const std::size_t (&region)[3]) noexcept {
    return {nullptr, reinterpret_cast<device_address>(block.data()), region[0], region[0] * region[1]};
  }

  /// In one call where CUDA has words for it: its pitches are limited, and its slices have whole rows. Else slice by
  /// slice, or row by row.
  void copy_box(const place& from, const place& to, const std::size_t (&region)[3]) {
    const auto is_short = [&](const place& p) { return p.row <= on_.largest_pitch(); };
    bool const is_one_row = region[1] == 1 && region[2] == 1;
    if (is_one_row || !is_short(from) || !is_short(to)) {
      for (std::size_t z = 0; z < region[2]; ++z)
        for (std::size_t y = 0; y < region[1]; ++y) copy_row(from.at(y, z), to.at(y, z), region[0]);
      return;
    }
    if (from.slice % from.row == 0 && to.slice % to.row == 0) return copy_slices(from, to, region);
    for (std::size_t z = 0; z < region[2]; ++z) copy_slices(from.at(0, z), to.at(0, z), {region[0], region[1], 1});
  }

  void copy_row(const place& from, const place& to, std::size_t bytes) {
    if (from.of == nullptr)
      check(driver().write(to.address, reinterpret_cast<const void*>(from.address), bytes, stream_),
            "cuMemcpyHtoDAsync");
    else if (to.of == nullptr)
      check(driver().read(reinterpret_cast<void*>(to.address), from.address, bytes, stream_), "cuMemcpyDtoHAsync");
    else
      copy_between(*to.of, to.address, *from.of, from.address, bytes);
  }

  /// The address is where the box begins, so x, y and z are 0, and each slice has its rows.
  void copy_slices(const place& from, const place& to, const std::size_t (&region)[3]) {
    const auto side_of = [&](const place& p) {
      box_copy::side s;
      s.memory_type = p.of != nullptr ? device_memory : host_memory;
      if (p.of != nullptr)
        s.device = p.address;
      else
        s.host = reinterpret_cast<const void*>(p.address);
      s.context = (p.of != nullptr ? *p.of : on_).context();
      s.pitch = p.row;
      s.height = region[2] == 1 ? region[1] : p.slice / p.row;
      return s;
    };
    box_copy const b{side_of(from), side_of(to), region[0], region[1], region[2]};
    check(driver().copy_box(&b, stream_), "cuMemcpy3DPeerAsync");
  }

  void write_box(const detail::command& c, staging& keeps) {
    keeps.block = pinned_block(c.region[0] * c.region[1] * c.region[2]);
    const auto* const from = static_cast<const std::byte*>(c.host_from);
    for_each_row(pitched_of(c.from_box, c.region), c.region, [&](std::size_t at, std::size_t dense) {
      std::memcpy(keeps.block.data() + dense, from + at, c.region[0]);
    });
    copy_box(place_of(keeps.block, c.region), place_of(c.to, c.to_box, c.region), c.region);
  }

  void read_box(const detail::command& c, staging& keeps) {
    keeps.block = pinned_block(c.region[0] * c.region[1] * c.region[2]);
    keeps.deliver_to = c.host_to;
    keeps.boxes = c;
    copy_box(place_of(c.from, c.from_box, c.region), place_of(keeps.block, c.region), c.region);
  }

  void launch(const detail::command& c) {
    const auto& k = *static_cast<const kernel*>(c.kernel);
    k.check_launch(c);
    detail::few<void*, 16> arguments;
    for (const detail::argument& a : c.arguments) {
      if (a.is == detail::parameter::kind::memory)
        arguments.push_back(&memory_of(a.memory).address);
      else if (a.is == detail::parameter::kind::value)
        arguments.push_back(const_cast<std::byte*>(c.values + a.at));
    }
    check(driver().launch(k.handle, c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z,
                          static_cast<unsigned>(c.shared_bytes), stream_, arguments.data(), nullptr),
          "cuLaunchKernel");
  }

  stream_handle stream_;
  const device& on_;
};

}  // namespace

void staging::deliver() const noexcept {
  if (deliver_to == nullptr) return;
  const auto* const from = block.data();
  auto* const to = static_cast<std::byte*>(deliver_to);
  if (boxes.is != kind::read_box) {
    std::memcpy(to, from, bytes);
    return;
  }
  for_each_row(pitched_of(boxes.to_box, boxes.region), boxes.region,
               [&](std::size_t at, std::size_t dense) { std::memcpy(to + at, from + dense, boxes.region[0]); });
}

void issue(const detail::command& c, stream_handle stream, const device& on, staging& keeps) {
  issuer(stream, on).issue(c, keeps);
}

}  // namespace amity::accel::cuda
