#pragma once

/// What a back-end offers to the rest of the module: devices, their memory, programs, and streams of commands. There is
/// one for OpenCL, one for CUDA and one for the devices of other processes; another is a folder more.
///
/// A **stream** runs its commands one after the other. The driver gives each command a **mark**, by which its end can
/// be seen and other streams can wait for it.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "amity/accel/dim3.hpp"
#include "amity/accel/error.hpp"
#include "amity/base/language.hpp"

namespace amity::accel::detail {

/// What is known of a device.
struct device_facts {
  std::string backend;   ///< "cuda", "opencl"
  std::string name;      ///< the driver's
  std::string platform;  ///< whose driver it is
  std::string driver;    ///< its version
  std::pair<int, int> capability{0, 0};
  std::uint64_t memory = 0;          ///< bytes
  std::uint64_t largest_buffer = 0;  ///< bytes; 0: as much as there is
  std::uint32_t compute_units = 0;
  std::uint64_t largest_block = 0;
  dim3 largest_block_sizes{0, 0, 0};  ///< in each dimension; 0: not known
  std::uint64_t shared_memory = 0;    ///< bytes of a block
  bool is_processor = false;          ///< it computes by threads on this machine's cores
  bool has_fp64 = false;
  bool has_fp16 = false;
};

/// The driver's own objects that a stream has, for code of another library. OpenCL: `cl_command_queue`, `cl_context`,
/// `cl_device_id`. CUDA: `CUstream`, `CUcontext`, and the number of the device.
struct native_handles {
  void* queue = nullptr;
  void* context = nullptr;
  void* device = nullptr;
};

/// Memory on a device; freed by its destructor.
class native_memory {
 public:
  /// The driver's: a `cl_mem`, a `CUdeviceptr`. 0: it is no memory of this process.
  [[nodiscard]] virtual std::uintptr_t handle() const noexcept { return 0; }
  native_memory() = default;
  native_memory(const native_memory&) = delete;
  native_memory& operator=(const native_memory&) = delete;
  virtual ~native_memory() = default;
};

/// A parameter of a kernel, of the program's or of the caller's.
struct parameter {
  /// `opaque`: an image, a sampler or another object of the compiler's, which no launch gives.
  enum class kind : std::uint8_t { unknown, memory, constant_memory, local, value, opaque };
  kind is = kind::unknown;
  bool writes = false;      ///< memory: it is not const
  std::uint32_t bytes = 0;  ///< of a value, or of what a pointer points to; 0: not known
  std::string type;         ///< as it is written; "": not known
};

/// Of a kernel as it was compiled. Empty: the back-end can't tell.
struct kernel_signature {
  bool is_known = false;
  bool takes_any_shared_bytes = false;  ///< shared memory is no parameter, and a launch may have as much as it likes
  std::vector<parameter> parameters;
};

/// What a kernel needs and bears as it was compiled for its device.
struct kernel_limits {
  std::uint64_t shared_bytes = 0;   ///< of its own, beside that of a launch
  std::uint64_t largest_block = 0;  ///< 0: not known
  dim3 only_block{0, 0, 0};         ///< which the source says; 0: it does not say
};

/// A kernel that can be launched; by one thread at a time.
class native_kernel {
 public:
  native_kernel() = default;
  native_kernel(const native_kernel&) = delete;
  native_kernel& operator=(const native_kernel&) = delete;
  virtual ~native_kernel() = default;
  [[nodiscard]] const kernel_signature& signature() const noexcept { return signature_; }
  [[nodiscard]] const kernel_limits& limits() const noexcept { return limits_; }

 protected:
  kernel_signature signature_;
  kernel_limits limits_;
};

/// A built program.
class native_program {
 public:
  native_program() = default;
  native_program(const native_program&) = delete;
  native_program& operator=(const native_program&) = delete;
  virtual ~native_program() = default;
  /// Throws kernel_error.
  [[nodiscard]] virtual std::unique_ptr<native_kernel> kernel(const std::string& name) = 0;
  [[nodiscard]] virtual std::vector<std::string> kernel_names() const = 0;
  /// Throws device_error.
  [[nodiscard]] virtual std::vector<std::byte> binary() const = 0;
};

/// What a program is built from.
struct program_text {
  std::string source;                 ///< with what it includes (internal/includes.hpp)
  bool is_whole = true;               ///< nothing that it includes is left to the compiler
  std::vector<std::byte> binary;      ///< instead of a source
  std::string name;                   ///< for messages: a file's, or "a source"
  std::vector<std::string> options;   ///< of the compiler
  std::vector<std::string> includes;  ///< folders, for what is left
  std::vector<std::pair<std::string, std::string>> defines;
};

/// A value for a parameter of a kernel.
struct argument {
  parameter::kind is = parameter::kind::unknown;
  native_memory* memory = nullptr;
  bool writes = false;    ///< of memory: the kernel may write it
  std::size_t bytes = 0;  ///< of a value, or of local memory
  std::size_t at = 0;     ///< of a value: where it lies among `values`
};

/// What a stream is to do.
struct command {
  enum class kind : std::uint8_t { write, read, copy, fill, write_box, read_box, copy_box, launch, foreign, nothing };
  kind is = kind::nothing;
  native_memory* to = nullptr;    ///< write, copy, fill
  native_memory* from = nullptr;  ///< read, copy
  std::size_t to_offset = 0, from_offset = 0, bytes = 0;
  const void* host_from = nullptr;  ///< write; fill: the pattern
  void* host_to = nullptr;          ///< read
  std::size_t pattern_bytes = 0;    ///< fill: a power of two, at most 128
  box to_box, from_box;             ///< of boxes, also in the host's memory
  std::size_t region[3] = {0, 1, 1};
  native_kernel* kernel = nullptr;
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  std::span<const argument> arguments{};
  const std::byte* values = nullptr;
  /// foreign: hands commands of its own to the stream. Called once, by enqueue.
  const std::function<void(const native_handles&)>* hand_over = nullptr;
};

/// By which a driver knows a command.
using mark = void*;
enum class mark_state : std::uint8_t { runs, done, failed };

/// When a device was at work on a command, by its own clock, as sys::ticks of the host.
struct device_times {
  std::uint64_t begin = 0, end = 0;
};

/// Runs commands in order. One thread at a time calls it, but for what is said.
class native_stream {
 public:
  native_stream() = default;
  native_stream(const native_stream&) = delete;
  native_stream& operator=(const native_stream&) = delete;
  virtual ~native_stream() = default;
  /// Hands a command to the driver. It begins after those before it and after `after`, which are commands of streams of
  /// the same domain. What it names stays until its end. Throws device_error, and then nothing was handed over.
  [[nodiscard]] virtual mark enqueue(const command& c, std::span<const mark> after) = 0;
  /// The same for a sequence of launches, fills and copies that comes again. `made`: what the back-end keeps of it,
  /// null at first. Null: this back-end has no such thing, or can't this time; then nothing was handed over.
  [[nodiscard]] virtual mark enqueue_graph(std::span<const command>, std::span<const mark> /*after*/,
                                           std::shared_ptr<void>& /*made*/) {
    return nullptr;
  }
  /// What was handed over begins now. Any thread.
  virtual void flush() noexcept = 0;
  /// How far it is. `code`, `words`: of a failure. Never waits.
  [[nodiscard]] virtual mark_state look(mark m, int& code) noexcept = 0;
  /// Calls announce_end() when it is over, on some thread; at once, if it is over.
  virtual void announce(mark m) noexcept = 0;
  virtual void release(mark m) noexcept = 0;
  /// It has ended well, and nobody has been told: what a read has brought comes to where it belongs. Never waits.
  virtual void deliver(mark) noexcept {}
  [[nodiscard]] virtual std::string words_of(mark m, int code) const = 0;
  /// Of a command that is over, and that the driver got at `handed_over_at` (ticks). For a profile: a stream that was
  /// opened without one need not know. Any thread. False: the driver does not tell.
  [[nodiscard]] virtual bool times_of(mark, std::uint64_t /*handed_over_at*/, device_times&) noexcept { return false; }
};

/// A device of a driver. Any thread may call it.
class native_device {
 public:
  native_device() = default;
  native_device(const native_device&) = delete;
  native_device& operator=(const native_device&) = delete;
  virtual ~native_device() = default;
  [[nodiscard]] const device_facts& facts() const noexcept { return facts_; }
  /// Devices of one domain can wait for one another's commands, and copy from one another's memory.
  [[nodiscard]] virtual const void* domain() const noexcept = 0;
  /// Kernels of this one can use memory of `other`.
  [[nodiscard]] virtual bool reaches(const native_device& other) const { return domain() == other.domain(); }
  /// Throws out_of_memory, device_error.
  [[nodiscard]] virtual std::unique_ptr<native_memory> allocate(std::size_t bytes) = 0;
  /// Memory that the program has made itself, and that stays its own. Throws device_error.
  [[nodiscard]] virtual std::unique_ptr<native_memory> borrow(std::uintptr_t handle);
  [[nodiscard]] virtual std::unique_ptr<native_stream> open_stream() = 0;
  /// Compiles: it may take long. Throws build_error.
  [[nodiscard]] virtual std::unique_ptr<native_program> build(const program_text& text) = 0;
  /// Devices of `units` compute units each. Throws device_error.
  [[nodiscard]] virtual std::vector<std::unique_ptr<native_device>> split(std::uint32_t units) = 0;
  /// All that the driver tells, as words.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> properties() const = 0;

 protected:
  device_facts facts_;
};

/// The devices of a driver that is here; none, and why not.
struct found_devices {
  std::vector<std::unique_ptr<native_device>> devices;
  std::string status;  ///< "2 devices", "libOpenCL.so.1 is not there"
};

/// A back-end calls it when a mark that was asked about is over: from any thread, holding no lock.
void announce_end() noexcept;

}  // namespace amity::accel::detail
