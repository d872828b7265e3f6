#pragma once

/// What processes say to one another about devices.
///
/// Requests to a process go by one **channel** for each client: they are numbered, and carried out in that order,
/// whatever order they arrive in. The client chooses the names of what it makes, so it can go on at once: to make a
/// buffer, write it and launch a kernel takes no round trip. The rules R1 to R4 are in README.md.

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "amity/accel/backend.hpp"
#include "amity/accel/buffer.hpp"

namespace amity::accel::remote {

/// Of a buffer, a program, a stream or a command; unique in the job: the maker's rank is part of it.
using name = std::uint64_t;
inline constexpr int rank_shift = 40;
[[nodiscard]] constexpr int maker_of(name n) noexcept { return static_cast<int>(n >> rank_shift); }

struct make_buffer {
  name buffer = 0;
  int device = 0;
  std::uint64_t bytes = 0;
};
/// One more handle of a buffer is under way, or one less is there.
struct count_buffer {
  name buffer = 0;
  int by = 0;
};
struct make_program {
  name program = 0;
  int device = 0;
  std::uint64_t hash = 0;   ///< of the source
  bool has_source = false;  ///< R3: this process has not sent it there before
  std::string source, its_name;
  bool is_whole = true;  ///< of the source: nothing that it includes is left to the compiler
  std::vector<std::byte> binary;
  std::vector<std::string> options, includes;
  std::vector<std::pair<std::string, std::string>> defines;
  template <class Archive>
  void serialize(Archive& ar) {
    ar(program, device, hash, has_source, source, its_name, is_whole, binary, options, includes, defines);
  }
};
struct sent_argument {
  detail::parameter::kind is = detail::parameter::kind::unknown;
  name buffer = 0;
  bool writes = false;
  std::uint64_t bytes = 0, at = 0;
};
/// detail::command, with names in the place of pointers.
struct do_command {
  name command = 0, stream = 0;
  int device = 0;
  detail::command::kind is = detail::command::kind::nothing;
  name to = 0, from = 0;
  std::uint64_t to_offset = 0, from_offset = 0, bytes = 0, pattern_bytes = 0;
  box to_box, from_box;
  std::uint64_t region[3] = {0, 1, 1};
  std::vector<std::byte> data;  ///< write: the values, boxes densely; fill: the pattern
  name program = 0;
  std::string kernel;
  dim3 grid, block;
  std::uint64_t shared_bytes = 0;
  std::vector<sent_argument> arguments;
  std::vector<std::byte> values;
  template <class Archive>
  void serialize(Archive& ar) {
    ar(command, stream, device, is, to, from, to_offset, from_offset, bytes, pattern_bytes, to_box, from_box, region[0],
       region[1], region[2], data, program, kernel, grid, block, shared_bytes, arguments, values);
  }
};
/// The client has no handle of it any more.
struct drop_program {
  name program = 0;
};
using request = std::variant<make_buffer, count_buffer, make_program, do_command, drop_program>;

/// An exception on its way.
struct sent_error {
  enum class kind : std::uint8_t { none, device, memory, build, kernel, other };
  kind is = kind::none;
  int code = 0;
  std::string what, log;
  template <class Archive>
  void serialize(Archive& ar) {
    ar(is, code, what, log);
  }
};
/// Of the exception that is being handled.
[[nodiscard]] sent_error error_to_send() noexcept;
/// The exception of its type again.
[[nodiscard]] std::exception_ptr exception_of(const sent_error& e);

struct sent_parameter {
  detail::parameter::kind is = detail::parameter::kind::unknown;
  bool writes = false;
  std::uint32_t bytes = 0;
  std::string type;
  template <class Archive>
  void serialize(Archive& ar) {
    ar(is, writes, bytes, type);
  }
};
struct sent_kernel {
  std::string its_name;
  bool is_known = false;
  bool takes_any_shared_bytes = false;
  std::uint64_t shared_bytes = 0, largest_block = 0;
  dim3 only_block;
  std::vector<sent_parameter> parameters;
  template <class Archive>
  void serialize(Archive& ar) {
    ar(its_name, is_known, takes_any_shared_bytes, shared_bytes, largest_block, only_block, parameters);
  }
};
struct build_result {
  sent_error error;
  std::vector<sent_kernel> kernels;
  template <class Archive>
  void serialize(Archive& ar) {
    ar(error, kernels);
  }
};

/// detail::device_facts.
struct sent_facts {
  std::string backend, its_name, platform, driver;
  int major = 0, minor = 0;
  std::uint64_t memory = 0, largest_buffer = 0, largest_block = 0, shared_memory = 0;
  std::uint32_t compute_units = 0;
  dim3 largest_block_sizes;
  bool has_fp64 = false, has_fp16 = false;
  template <class Archive>
  void serialize(Archive& ar) {
    ar(backend, its_name, platform, driver, major, minor, memory, largest_buffer, largest_block, shared_memory,
       compute_units, largest_block_sizes, has_fp64, has_fp16);
  }
};

/// Devices by their numbers, or why there are none.
struct division {
  sent_error error;
  std::vector<int> numbers;
  std::vector<sent_facts> facts;
  template <class Archive>
  void serialize(Archive& ar) {
    ar(error, numbers, facts);
  }
};

// --- server.cpp, called by rpc in the process that has the devices

void take_request(int client, std::uint64_t number, request r);
[[nodiscard]] std::vector<sent_facts> tell_devices();
/// Of one, which may be a part of another.
[[nodiscard]] division tell_device(int number);
/// Divides one.
[[nodiscard]] division divide_device(int number, std::uint32_t units);
/// Copies bytes from a buffer here to one of another process; returns at the end.
[[nodiscard]] sent_error copy_on(buffer<std::byte> from, std::uint64_t from_offset, buffer<std::byte> to,
                                 std::uint64_t to_offset, std::uint64_t bytes);
/// Returns when the client's requests up to `number` have been carried out. Throws device_error where they never will
/// be, since the client is lost.
void await_requests(int client, std::uint64_t number);
[[nodiscard]] std::vector<std::byte> tell_binary(name program);
/// `client` is lost: what it has made, and nobody else may have a handle of, is given up.
void free_what_is_of(int client);

// --- client.cpp, called by rpc_ff in the process that asked

void take_end(name command, sent_error error, std::vector<std::byte> data);
void take_build(name program, build_result result);

}  // namespace amity::accel::remote
