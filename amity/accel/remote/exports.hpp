#pragma once

/// Buffers of this process that others know by name.

#include "amity/accel/objects.hpp"
#include "amity/accel/remote/wire.hpp"

namespace amity::accel::remote {

/// A name that nobody in the job has had.
[[nodiscard]] name new_name() noexcept;
/// One handle of it leaves this process.
[[nodiscard]] name export_buffer(detail::buffer_object& b);
/// What has the name; throws device_error if there is none, or what it failed with when it was made.
[[nodiscard]] detail::ref<detail::buffer_object> find_export(name n);
/// So many handles more; at none it is forgotten.
void count_export(name n, int by);

}  // namespace amity::accel::remote
