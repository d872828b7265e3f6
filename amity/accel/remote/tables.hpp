#pragma once

/// What a process keeps for its clients.

#include <exception>
#include <map>
#include <unordered_map>
#include <utility>

#include "amity/accel/kernel_object.hpp"
#include "amity/accel/remote/wire.hpp"
#include "amity/sync/condition_variable.hpp"

namespace amity::accel::remote {

struct tables {
  sync::mutex lock;  ///< of all of it
  struct exported {
    detail::ref<detail::buffer_object> buffer;
    std::exception_ptr failure;  ///< instead: it could not be made
    int handles = 0;
    bool was_passed_on = false;  ///< by the process that made it: others may have handles, too
  };
  std::unordered_map<name, exported> buffers;
  std::unordered_map<const detail::buffer_object*, name> names;  ///< of those among them that this process has made
  std::unordered_map<name, detail::ref<detail::program_object>> programs;
  std::map<std::pair<name, std::string>, detail::ref<detail::kernel_object>> kernels;
  std::unordered_map<name, detail::stream_object*> streams;
  std::unordered_map<std::uint64_t, std::string> sources;  ///< by hash: R3
};
[[nodiscard]] tables& own_tables();

}  // namespace amity::accel::remote
